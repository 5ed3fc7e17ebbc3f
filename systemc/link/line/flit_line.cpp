// SPDX-License-Identifier: Apache-2.0
#include "systemc/link/line/flit_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sw/base/user_error.h"
#include "systemc/link/error_gap.h"

namespace tern::link {

namespace {

// Of the RTL, both ends together: packet to flit on the lanes, flit to packet.
constexpr double kPipelineCycles = 7;
constexpr double kFsPerNs = 1e6;
constexpr std::uint32_t kDwordBytes = 4;

void refuse_others(const FlitLine::Options& o) {
  const auto refuse = [&](const std::string& why) {
    throw UserError(fmt::format("link {}: flit by flit, {}", o.name, why));
  };
  if (o.config.protocol != system::Protocol::kPcie6 &&
      o.config.protocol != system::Protocol::kPcie7)
    refuse(fmt::format("only with flits of PCIe 6.0 and 7.0, not {}",
                       system::protocol_name(o.config.protocol)));
  if (o.config.header_bytes != kDwordBytes * flit::kHeadDwords)
    refuse(fmt::format("header_bytes is {}", kDwordBytes * flit::kHeadDwords));
  if (o.config.max_payload > kDwordBytes * flit::kMaxData)
    refuse(fmt::format("max_payload is at most {}", kDwordBytes * flit::kMaxData));
}

// Its content says what it is: the receiver's is compared with the model's.
flit::Packet packet_of(std::uint64_t train, std::uint32_t index, std::uint32_t bytes,
                       unsigned traffic_class) {
  flit::Packet packet;
  packet.cls = traffic_class;
  packet.dwords = (bytes + kDwordBytes - 1) / kDwordBytes;
  packet.head = {static_cast<std::uint32_t>(train), static_cast<std::uint32_t>(train >> 32), index};
  std::uint64_t state = train << 12 ^ index;
  for (unsigned i = 0; i < packet.dwords; ++i)
    packet.data[i] = static_cast<std::uint32_t>(next_random(&state));
  return packet;
}

}  // namespace

FlitLine::FlitLine(Options options, MakeEnd make_end, Observer observer)
    : options_(std::move(options)), make_end_(std::move(make_end)), observer_(std::move(observer)) {
  refuse_others(options_);
  add_ports();
  change(options_.lanes, options_.config.bit_error_rate);
  started_ = true;
}

FlitLine::~FlitLine() = default;

unsigned FlitLine::lanes_of_port(unsigned lanes, std::size_t port) {
  const auto first = static_cast<unsigned>(port) * kPortLanes;
  return lanes > first ? std::min(lanes - first, kPortLanes) : 0;
}

void FlitLine::add_ports() {
  const LinkTiming timing(options_.config, options_.lanes, options_.lane_gb_per_s, options_.medium,
                          options_.from_chip, options_.to_chip);
  for (std::size_t n = 0; lanes_of_port(options_.lanes, n) > 0; ++n) {
    LinePort::Options o;
    o.wire_cycles = wire_cycles(timing, lanes_of_port(options_.lanes, n));
    o.training_cycles = training_cycles(lanes_of_port(options_.lanes, n));
    o.seed = options_.seed + n * 0xd1342543de82ef95ULL;
    auto port = std::make_unique<Port>(o);
    if (make_end_) {
      const std::string place = fmt::format("port{}.", n);
      port->device = std::make_unique<Device>(
          Device{LinePort(o), make_end_(place + "sender"), make_end_(place + "receiver")});
    }
    set_rate(port.get(), lanes_of_port(options_.lanes, n));
    ports_.push_back(std::move(port));
    // Credits are exchanged before time 0.
    constexpr std::uint64_t kMostCycles = 100'000;
    Port& made = *ports_.back();
    while (!made.model.port.up() && made.model.port.at() < kMostCycles) step(n);
    if (!made.model.port.up()) throw RunError(fmt::format("link {} does not start", options_.name));
    made.skipped = -static_cast<std::int64_t>(made.model.port.at());
  }
}

double FlitLine::cycle_of(unsigned lanes) const {
  return static_cast<double>(flit::kFlitBytes) / (lanes * options_.lane_gb_per_s) /
         flit::LinkOptions().flit_cycles;
}

// The RTL's own stages are part of the controllers of the ends.
unsigned FlitLine::wire_cycles(const LinkTiming& timing, unsigned lanes) const {
  return static_cast<unsigned>(
      std::max(1.0, std::round(timing.flight() / cycle_of(lanes) - kPipelineCycles)));
}

unsigned FlitLine::training_cycles(unsigned lanes) const {
  constexpr double kLeast = 8;  // rtl/link/README.md
  return static_cast<unsigned>(
      std::max(kLeast, std::ceil(options_.config.retrain_ns / cycle_of(lanes))));
}

void FlitLine::set_rate(Port* port, unsigned lanes) const {
  port->cycle_fs = static_cast<std::uint64_t>(std::llround(cycle_of(lanes) * kFsPerNs));
}

// At the end of what is under way.
void FlitLine::set_clock(std::size_t number, unsigned wire, unsigned training) {
  constexpr unsigned kStages = 16;  // more than a flit takes inside of the ends
  Port& port = *ports_[number];
  const auto each = [&](const auto& act) {
    act(port.model.port);
    if (port.device) act(port.device->port);
  };
  each([](LinePort& p) { p.pause(true); });
  for (unsigned left = port.model.port.wire_cycles() + kStages; left > 0; --left) step(number);
  each([&](LinePort& p) {
    p.set_clock(wire, training);
    p.pause(false);
  });
}

void FlitLine::change(unsigned lanes, double bit_error_rate) {
  if (started_) finish();
  LinkConfig config = options_.config;
  config.bit_error_rate = bit_error_rate;
  const LinkTiming timing(config, lanes, options_.lane_gb_per_s, options_.medium,
                          options_.from_chip, options_.to_chip);
  for (std::size_t n = 0; n < ports_.size(); ++n) {
    Port& port = *ports_[n];
    port.model.port.set_loss(timing.loss_probability());
    if (port.device) port.device->port.set_loss(timing.loss_probability());
    const unsigned own = lanes_of_port(lanes, n);
    if (own == 0) continue;  // nothing is sent over it any more
    // It is idle: its cycles go on where the last train left it free.
    set_rate(&port, own);
    if (!started_) continue;
    set_clock(n, wire_cycles(timing, own), training_cycles(own));
    port.skipped = static_cast<std::int64_t>((free_ + port.cycle_fs - 1) / port.cycle_fs) -
                   static_cast<std::int64_t>(port.model.port.at());
  }
  options_.lanes = lanes;
}

// A cycle of the model and of the ends beside it.
void FlitLine::step(std::size_t number) {
  Port& port = *ports_[number];
  FlitObserver observer;
  if (observer_ && started_) {
    observer = [&](const FlitSeen& flit) {
      observer_(time_of(port, flit.cycle), static_cast<unsigned>(number), flit);
    };
  }
  Model& model = port.model;
  const flit::Packet* expected =
      model.port.cycle(&model.sender, &model.receiver, port.device ? FlitObserver() : observer);
  if (!port.device) return;
  Device& device = *port.device;
  const flit::Packet* got = device.port.cycle(device.sender.get(), device.receiver.get(), observer);
  const bool equal =
      (expected == nullptr) == (got == nullptr) && (expected == nullptr || *expected == *got);
  if (equal) return;
  const auto text = [](const flit::Packet* packet) {
    return packet == nullptr
               ? "no packet"
               : fmt::format("packet {} of train {}", packet->head[2], packet->head[0]);
  };
  throw RunError(fmt::format("link {}, port {}, cycle {}: the model delivers {}, the other end {}",
                             options_.name, number, model.port.at() - 1, text(expected),
                             expected != nullptr && got != nullptr ? "another one" : text(got)));
}

void FlitLine::check(const Port& port) const {
  if (port.model.port.hopeless())
    throw RunError(
        fmt::format("link {}: more errors than replays can mend: it trains in vain", name()));
}

void FlitLine::run_until(std::size_t number, std::int64_t cycle) {
  Port& port = *ports_[number];
  constexpr std::int64_t slots = flit::LinkOptions().flit_cycles;
  while (now(port) < cycle) {
    if (port.model.quiet()) {
      // Slots stay in step.
      port.skipped += (cycle - now(port)) / slots * slots;
      if (now(port) >= cycle) return;
    }
    step(number);
    check(port);
  }
}

FlitLine::Carried FlitLine::carry(std::uint64_t start, std::uint32_t payload,
                                  unsigned traffic_class) {
  // Packets go to the port whose queue will be empty first.
  std::vector<bool> used(ports_.size());
  const std::uint64_t train = trains_++;
  const std::uint32_t most = options_.config.max_payload;
  std::uint32_t index = 0;
  for (std::uint32_t left = payload; index == 0 || left > 0; ++index) {
    const std::uint32_t bytes = std::min(left, most);
    left -= bytes;
    std::size_t best = 0;
    for (std::size_t n = 0; n < ports_.size(); ++n) {
      if (lanes_of_port(options_.lanes, n) == 0) break;
      Port& port = *ports_[n];
      port.booked = std::max(port.booked, static_cast<double>(start));
      if (port.booked < ports_[best]->booked) best = n;
    }
    Port& port = *ports_[best];
    if (!used[best]) {
      used[best] = true;
      const std::uint64_t first = (start + port.cycle_fs - 1) / port.cycle_fs;
      run_until(best, static_cast<std::int64_t>(first));
    }
    const double flits = static_cast<double>(packet_bytes(options_.config, bytes)) /
                         static_cast<double>(flit::kTlpBytes);
    port.booked += flits * flit::LinkOptions().flit_cycles * static_cast<double>(port.cycle_fs);
    const flit::Packet packet = packet_of(train, index, bytes, traffic_class);
    port.model.port.add(packet);
    if (port.device) port.device->port.add(packet);
  }

  // A copy of the model runs ahead: trains that follow change nothing of this one's times.
  Carried carried;
  for (std::size_t n = 0; n < ports_.size(); ++n) {
    if (!used[n]) continue;
    const Port& port = *ports_[n];
    Model ahead = port.model;
    std::uint64_t free = ahead.port.at();
    while (ahead.port.has_waiting() || ahead.port.taken() != ahead.port.delivered()) {
      const bool waits = ahead.port.has_waiting();
      ahead.port.cycle(&ahead.sender, &ahead.receiver, {});
      if (waits && !ahead.port.has_waiting()) free = ahead.port.at();
      if (ahead.port.hopeless())
        throw RunError(
            fmt::format("link {}: more errors than replays can mend: it trains in vain", name()));
    }
    carried.free = std::max(carried.free, time_of(port, free));
    carried.arrived = std::max(carried.arrived, time_of(port, ahead.port.at()));
  }
  // Trains leave the receiver in order, whichever port was late.
  carried.arrived = arrived_ = std::max(carried.arrived, arrived_);
  free_ = carried.free;
  return carried;
}

void FlitLine::finish() {
  for (std::size_t n = 0; n < ports_.size(); ++n) {
    while (!ports_[n]->model.quiet()) {
      step(n);
      check(*ports_[n]);
    }
  }
}

PortCounts FlitLine::counts() const {
  PortCounts sum;
  for (const auto& port : ports_) {
    const PortCounts& c = port->device ? port->device->port.counts() : port->model.port.counts();
    sum.packets += c.packets;
    sum.flits += c.flits;
    sum.spoiled += c.spoiled;
    sum.replays += c.replays;
    sum.trainings += c.trainings;
    sum.cycles += c.cycles;
  }
  return sum;
}

}  // namespace tern::link
