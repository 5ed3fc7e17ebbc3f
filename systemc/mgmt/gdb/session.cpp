// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/gdb/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "systemc/mgmt/gdb/riscv_registers.h"

namespace tern::gdb {

namespace {

constexpr std::uint64_t kPageBytes = 4096;
// Answers; the numbers of errors are those of POSIX.
constexpr const char* kOk = "OK";
constexpr const char* kBadRequest = "E16";  // EINVAL
constexpr const char* kBadAddress = "E0e";  // EFAULT
constexpr std::size_t kMostPoints = 1000;

}  // namespace

bool Session::Point::operator<(const Point& other) const {
  const auto key = [](const Point& p) {
    return std::tuple(p.kind, p.watchpoint.kind, p.watchpoint.address, p.watchpoint.bytes);
  };
  return key(*this) < key(other);
}

bool Target::write_register(unsigned number_of_hart, unsigned number, std::string_view bytes) {
  return gdb::write_register(hart(number_of_hart), hart_config(), number, bytes);
}

Session::Session(Target& target)
    : target_(target), description_(target_description(target.hart(0), target.hart_config())) {}

Session::~Session() {
  for (const Point& point : points_) set_point(point, false);
}

void Session::receive(std::string_view bytes) {
  reader_.add(bytes);
  handle();
}

void Session::handle() {
  while (!wish_ && !interrupted_) {
    const auto item = reader_.next();
    if (!item) return;
    switch (item->kind) {
      case PacketReader::Item::Kind::kInterrupt:
        interrupted_ = runs_;
        break;
      case PacketReader::Item::Kind::kDamaged:
        if (acknowledges_) output_ += '-';
        break;
      case PacketReader::Item::Kind::kPacket:
        if (acknowledges_) output_ += '+';
        // A running target hears only an interrupt.
        if (!runs_) answer(item->text);
        break;
    }
  }
}

std::optional<Wish> Session::take_wish() {
  runs_ = runs_ || wish_.has_value();
  return std::exchange(wish_, std::nullopt);
}

void Session::report(const Event& event) {
  const bool awaited = runs_;  // a new client asks itself
  runs_ = interrupted_ = false;
  event_ = event;
  hart_ = event.hart;
  if (awaited) answer("?");
  handle();
}

void Session::harts_changed() {
  for (const Point& point : points_) set_point(point, true);
}

void Session::end(const Event& event) {
  event_ = event;
  reply_stop();
}

void Session::reply(std::string_view text) {
  output_ += framed(text);
}

void Session::answer(std::string_view packet) {
  if (packet.empty()) return reply("");
  const char command = packet[0];
  const std::string_view rest = packet.substr(1);
  switch (command) {
    case '?':
      return reply_stop();
    case 'g':
      return reply_registers();
    case 'G':
      return set_registers(rest);
    case 'p':
      return reply_register(rest);
    case 'P':
      return set_register(rest);
    case 'm':
      return read_memory(rest);
    case 'M':
      return write_memory(rest, false);
    case 'X':
      return write_memory(rest, true);
    case 'z':
    case 'Z':
      return insert_point(rest, command == 'Z');
    case 'H':
      return set_thread(rest);
    case 'c':
      return step_or_run(rest, Wish::Kind::kRun);
    case 's':
      return step_or_run(rest, Wish::Kind::kStep);
    case 'b':
      return go_back(rest);
    case 'T': {
      std::string_view thread = rest;
      return reply(thread_of(&thread) ? kOk : kBadRequest);
    }
    case 'D':
      reply(kOk);
      wish_ = {Wish::Kind::kDetach, 0};
      return;
    case 'k':
      wish_ = {Wish::Kind::kKill, 0};
      return;
    case 'q':
    case 'Q':
      return query(packet);
    case 'v': {
      std::string_view text = packet;
      if (take(&text, "vCont?")) return reply("vCont;c;C;s;S");
      if (take(&text, "vCont;")) return resume(text);
      if (take(&text, "vKill")) {
        reply(kOk);
        wish_ = {Wish::Kind::kKill, 0};
        return;
      }
      return reply("");
    }
    default:
      return reply("");
  }
}

// Why it stands still.
void Session::reply_stop() {
  constexpr const char* kWatch[] = {"watch", "rwatch", "awatch"};
  const std::string thread = fmt::format("thread:{:x};", target_.first_thread() + event_.hart);
  switch (event_.kind) {
    case Event::Kind::kExit:
      return reply(fmt::format("W{:02x}", event_.code));
    case Event::Kind::kEnded:
      return reply(fmt::format("X{:02x}", event_.code));
    case Event::Kind::kRequest:
      return reply("T02" + thread);
    case Event::Kind::kBegin:
      return reply("T05replaylog:begin;" + thread);
    case Event::Kind::kFault:
      return reply("T0b" + thread);
    case Event::Kind::kStep:
      return reply("T05" + thread);
    case Event::Kind::kBreakpoint:
      return reply("T05hwbreak:;" + thread);
    case Event::Kind::kWatchpoint:
      return reply(fmt::format("T05{}:{:x};{}",
                               kWatch[static_cast<unsigned>(event_.watchpoint.kind)],
                               event_.watchpoint.address, thread));
  }
}

void Session::reply_registers() {
  std::string bytes;
  for (unsigned i = 0; i < kGeneralRegisters; ++i)
    bytes += *read_register(hart(), target_.hart_config(), i);
  reply(hex_of(bytes));
}

void Session::reply_register(std::string_view text) {
  const auto number = take_number(&text);
  if (!number || !text.empty() || *number > 0xffff) return reply(kBadRequest);
  const auto bytes = read_register(hart(), target_.hart_config(), static_cast<unsigned>(*number));
  reply(bytes ? hex_of(*bytes) : kBadRequest);
}

void Session::set_registers(std::string_view text) {
  const auto bytes = bytes_of_hex(text);
  const unsigned size = target_.hart_config().xlen / 8;
  if (!bytes || bytes->size() != std::size_t{kGeneralRegisters} * size) return reply(kBadRequest);
  for (unsigned i = 0; i < kGeneralRegisters; ++i) {
    const auto one = std::string_view(*bytes).substr(std::size_t{i} * size, size);
    target_.write_register(hart_, i, one);
  }
  reply(kOk);
}

void Session::set_register(std::string_view text) {
  const auto number = take_number(&text);
  if (!number || *number > 0xffff || !take(&text, "=")) return reply(kBadRequest);
  const auto bytes = bytes_of_hex(text);
  const bool done = bytes && target_.write_register(hart_, static_cast<unsigned>(*number), *bytes);
  reply(done ? kOk : kBadRequest);
}

template <typename Page>
std::size_t Session::by_page(std::uint64_t address, std::size_t bytes, const Page& page) {
  std::size_t done = 0;
  while (done < bytes) {
    const std::uint64_t at = address + done;
    const std::size_t part = std::min<std::size_t>(bytes - done, kPageBytes - at % kPageBytes);
    std::uint64_t physical = 0;
    if (!hart().translate(at, physical) || !page(physical, done, static_cast<unsigned>(part)))
      return done;
    done += part;
  }
  return done;
}

void Session::read_memory(std::string_view text) {
  const auto address = take_number(&text);
  const bool comma = take(&text, ",");
  const auto length = take_number(&text);
  if (!address || !comma || !length || !text.empty()) return reply(kBadRequest);
  std::string bytes(std::min<std::uint64_t>(*length, kPacketBytes / 2), '\0');
  const std::size_t done =
      by_page(*address, bytes.size(), [&](std::uint64_t at, std::size_t from, unsigned count) {
        return target_.peek(at, bytes.data() + from, count);
      });
  if (done == 0 && *length != 0) return reply(kBadAddress);
  reply(hex_of(std::string_view(bytes).substr(0, done)));
}

void Session::write_memory(std::string_view text, bool binary) {
  const auto address = take_number(&text);
  const bool comma = take(&text, ",");
  const auto length = take_number(&text);
  if (!address || !comma || !length || !take(&text, ":")) return reply(kBadRequest);
  const auto bytes = binary ? std::optional<std::string>(std::string(text)) : bytes_of_hex(text);
  if (!bytes || bytes->size() != *length) return reply(kBadRequest);
  const std::size_t done =
      by_page(*address, bytes->size(), [&](std::uint64_t at, std::size_t from, unsigned count) {
        return target_.poke(at, bytes->data() + from, count);
      });
  reply(done == bytes->size() ? kOk : kBadAddress);
}

void Session::insert_point(std::string_view text, bool insert) {
  const auto type = take_number(&text);
  const bool first = take(&text, ",");
  const auto address = take_number(&text);
  const bool second = take(&text, ",");
  const auto bytes = take_number(&text);
  if (!type || !first || !address || !second || !bytes) return reply(kBadRequest);
  if (*type > 4) return reply("");
  Point point{*type < 2 ? Kind::kBreakpoint : Kind::kWatchpoint, {*address, 0, {}}};
  if (point.kind == Kind::kWatchpoint) {
    using Watch = riscv::Watchpoint::Kind;
    point.watchpoint.kind = static_cast<Watch>(*type - 2);
    point.watchpoint.bytes = *bytes;
    // Of no byte, or across the end of the address space.
    if (*bytes == 0 || *bytes - 1 > ~*address) return reply(kBadRequest);
  }
  const bool there = points_.count(point) != 0;
  if (insert && !there && points_.size() >= kMostPoints) return reply(kBadRequest);
  if (insert != there) {
    set_point(point, insert);
    if (insert) {
      points_.insert(point);
    } else {
      points_.erase(point);
    }
  }
  reply(kOk);
}

void Session::set_point(const Point& point, bool insert) {
  for (unsigned h = 0; h < target_.harts(); ++h) {
    riscv::Hart& hart = target_.hart(h);
    if (point.kind == Kind::kWatchpoint) {
      insert ? hart.add_watchpoint(point.watchpoint) : hart.remove_watchpoint(point.watchpoint);
    } else {
      const std::uint64_t pc = point.watchpoint.address;
      insert ? hart.add_breakpoint(pc) : hart.remove_breakpoint(pc);
    }
  }
}

std::optional<unsigned> Session::thread_of(std::string_view* text) const {
  if (take(text, "-1")) return hart_;
  const auto number = take_number(text);
  if (number == 0) return hart_;
  const unsigned first = target_.first_thread();
  if (!number || *number < first || *number - first >= target_.harts()) return std::nullopt;
  return static_cast<unsigned>(*number) - first;
}

// "g1" for registers and memory, "c1" for steps.
void Session::set_thread(std::string_view text) {
  if (text.empty() || (text[0] != 'g' && text[0] != 'c')) return reply("");
  const bool registers = text[0] == 'g';
  text.remove_prefix(1);
  const bool any = text == "0" || text == "-1";
  const auto thread = thread_of(&text);
  if (thread && registers) hart_ = *thread;
  if (thread && !registers) stepped_hart_ = any ? std::nullopt : thread;
  reply(thread ? kOk : kBadRequest);
}

void Session::step_or_run(std::string_view text, Wish::Kind kind) {
  if (!text.empty()) {  // from another address
    const auto pc = take_number(&text);
    if (!pc || !text.empty()) return reply(kBadRequest);
    const unsigned size = target_.hart_config().xlen / 8;
    target_.write_register(hart_, kGeneralRegisters - 1,
                           {reinterpret_cast<const char*>(&*pc), size});
  }
  wish_ = {kind, stepped_hart_.value_or(hart_)};
}

// "s" or "c", of packets bs and bc.
void Session::go_back(std::string_view text) {
  if (!target_.reverses() || (text != "s" && text != "c")) return reply("");
  wish_ = {text == "s" ? Wish::Kind::kStepBack : Wish::Kind::kRunBack,
           stepped_hart_.value_or(hart_)};
}

// "s:2;c": the first thread that steps; a thread that only runs says nothing more.
void Session::resume(std::string_view actions) {
  Wish wish{Wish::Kind::kRun, 0};
  if (actions.empty()) return reply(kBadRequest);
  while (!actions.empty()) {
    const char action = actions[0];
    actions.remove_prefix(1);
    const bool with_signal = action == 'C' || action == 'S';
    if (with_signal && !take_number(&actions)) return reply(kBadRequest);
    std::optional<unsigned> thread = hart_;
    if (take(&actions, ":")) thread = thread_of(&actions);
    if (!thread || std::string_view("cCsS").find(action) == std::string_view::npos ||
        (!actions.empty() && !take(&actions, ";")))
      return reply(kBadRequest);
    if ((action == 's' || action == 'S') && wish.kind == Wish::Kind::kRun)
      wish = {Wish::Kind::kStep, *thread};
  }
  wish_ = wish;
}

}  // namespace tern::gdb
