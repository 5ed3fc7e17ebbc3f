// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "systemc/fabric/packet/ready_set.h"
#include "systemc/fabric/packet/shape.h"
#include "systemc/fabric/packet/train.h"

// State of a node: a switch, or a chip with what it forwards and what it sends itself. Queues by
// class and virtual channel are numbered class * vcs + vc.
namespace tern::fabric::packet {

// Waiting trains; the head asks for its output.
struct Queue {
  std::uint32_t first = kNone, last = kNone;
  // What the head wants: an output, room in the receiver, its virtual channels there.
  std::uint32_t output = kNone, stored = 0;
  std::uint8_t first_vc = 0, vcs = 1;
  Time asks = 0;  // not before
};

// Transfers of a chip of one class and first channel, by flow: flows take turns train by train.
struct Injection {
  std::deque<std::uint32_t> flows;
};

struct Input {
  std::uint32_t channel = kNone;  // kNone: what the chip sends over one output
  std::vector<Queue> queues;
  std::uint32_t waiting = 0;          // a bit of each queue that is not empty
  std::vector<Injection> injections;  // by queue; of a channel: none
  unsigned accepted = 0;              // the output served most recently
};

struct Credit {
  Time time = 0;
  std::uint16_t queue = 0;
  std::uint32_t bytes = 0;
};

struct ChannelStatistics {
  std::uint64_t trains = 0, payload = 0;
  Time busy = 0;
  Time credit_stall = 0;  // idle with a train that waited for nothing but buffer space
};

struct Output {
  std::uint32_t channel = kNone;
  bool busy = false;
  bool dirty = false;    // in the router's list of outputs to look at
  bool starved = false;  // waits for a credit; the next one to arrive wakes it
  Time held_until = 0;   // by a fault: sends nothing before; kNever: until it is over
  Time wakes = kNever;   // the time of the last event that was to wake it
  Time stalled_since = kNever;
  std::vector<std::int64_t> credits;  // by queue of the receiver
  std::deque<Credit> returning;       // in order of time
  // By class: heads that want this output (input * vcs + vc), the one served most recently, and how
  // many trains of other classes were sent while they waited.
  std::array<ReadySet, kClasses> ready;
  std::array<unsigned, kClasses> served{};
  std::array<unsigned, kClasses> passed{};
  // What it sends now.
  std::uint32_t input = 0, queue = 0, stored = 0;
  ChannelStatistics statistics;

  void end_stall(Time now) {
    if (stalled_since != kNever) statistics.credit_stall += now - stalled_since;
    stalled_since = kNever;
  }
};

struct Router {
  std::vector<Input> inputs;  // channels; of a chip then one for each output
  std::vector<Output> outputs;
  std::vector<std::uint32_t> dirty;
  bool listed = false;  // among the routers with dirty outputs
  ReadySet idle;        // heads (input * vcs + vc) of inputs that send to no output now

  bool is_idle(unsigned input, unsigned vcs) const { return idle.contains(input * vcs); }
  // An input begins to send, or ends.
  void occupy(unsigned input, unsigned vcs) {
    for (unsigned vc = 0; vc < vcs; ++vc) idle.erase(input * vcs + vc);
  }
  void vacate(unsigned input, unsigned vcs) {
    for (unsigned vc = 0; vc < vcs; ++vc) idle.insert(input * vcs + vc);
  }
};

}  // namespace tern::fabric::packet
