// SPDX-License-Identifier: Apache-2.0
// Questions: packets q and Q.
#include <fmt/format.h>

#include <algorithm>

#include "sw/base/user_error.h"
#include "systemc/mgmt/gdb/session.h"

namespace tern::gdb {

namespace {

std::string state_text(const riscv::HartState& state) {
  const char* mode = state.mode == riscv::Privilege::kMachine      ? "M mode"
                     : state.mode == riscv::Privilege::kSupervisor ? "S mode"
                                                                   : "U mode";
  return fmt::format("{}{}", mode, state.waiting ? ", in wfi" : "");
}

}  // namespace

void Session::query(std::string_view text) {
  if (take(&text, "qSupported")) {
    return reply(
        fmt::format("PacketSize={:x};QStartNoAckMode+;qXfer:features:read+;hwbreak+;"
                    "vContSupported+{}",
                    kPacketBytes, target_.reverses() ? ";ReverseStep+;ReverseContinue+" : ""));
  }
  if (text == "QStartNoAckMode") {
    reply("OK");
    acknowledges_ = false;
    return;
  }
  if (take(&text, "qXfer:features:read:target.xml:")) return transfer_description(text);
  if (text == "qfThreadInfo") {
    const unsigned first = target_.first_thread();
    std::string list = fmt::format("m{:x}", first);
    for (unsigned hart = 1; hart < target_.harts(); ++hart)
      list += fmt::format(",{:x}", first + hart);
    return reply(list);
  }
  if (text == "qsThreadInfo") return reply("l");
  if (take(&text, "qThreadExtraInfo,")) return thread_text(text);
  if (text == "qC") return reply(fmt::format("QC{:x}", target_.first_thread() + hart_));
  if (text == "qAttached" || take(&text, "qAttached:")) return reply("1");
  if (take(&text, "qSymbol")) return reply("OK");
  if (take(&text, "qRcmd,")) return monitor(text);
  reply("");
}

// "OFFSET,LENGTH"
void Session::transfer_description(std::string_view text) {
  const auto offset = take_number(&text);
  const bool comma = take(&text, ",");
  const auto length = take_number(&text);
  if (!offset || !comma || !length || *offset > description_.size()) return reply("E16");
  const std::size_t count = std::min<std::uint64_t>(*length, kPacketBytes / 2);
  const std::string part = description_.substr(*offset, count);
  reply((*offset + part.size() < description_.size() ? "m" : "l") + part);
}

void Session::thread_text(std::string_view text) {
  const auto thread = thread_of(&text);
  if (!thread) return reply("E16");
  const riscv::HartState state = target_.hart(*thread).save();
  reply(hex_of(fmt::format("{}: {}", target_.hart_name(*thread), state_text(state))));
}

void Session::monitor(std::string_view hex) {
  const auto command = bytes_of_hex(hex);
  if (!command) return reply("E16");
  std::string text;
  try {
    text = target_.monitor(*command);
  } catch (const UserError& error) {
    text = fmt::format("{}\n", error.what());
  }
  if (text.size() > kPacketBytes / 2) text.resize(kPacketBytes / 2);
  reply(text.empty() ? "OK" : hex_of(text));
}

}  // namespace tern::gdb
