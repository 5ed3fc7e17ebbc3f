// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>

#include "systemc/link/flit/data_link.h"
#include "systemc/link/line/line_wire.h"

namespace tern::link {

// A flit as it leaves an end.
struct FlitSeen {
  std::uint64_t cycle = 0;  // of the port
  bool back = false;        // from the receiver of the payload
  const flit::LaneWords* lanes = nullptr;
  bool spoiled = false;
};
using FlitObserver = std::function<void(const FlitSeen&)>;

struct PortCounts {
  std::uint64_t packets = 0;  // delivered
  std::uint64_t flits = 0;    // with payload, repeated ones too
  std::uint64_t spoiled = 0;  // in both directions, with and without payload
  std::uint64_t replays = 0, trainings = 0;
  std::uint64_t cycles = 0;  // simulated
};

// One port of a link that carries payload in one direction: what is around its two ends, cycle by
// cycle. Packets wait here, wires spoil flits, delivered packets leave their buffer in the next
// cycle, and a link that asks for it is trained again. A copy goes its own way from there.
class LinePort {
 public:
  struct Options {
    unsigned wire_cycles = 1;      // of a flit, from one end to the other
    unsigned training_cycles = 8;  // until it runs again
    std::uint64_t seed = 0;
  };
  explicit LinePort(const Options& options);

  void set_loss(double probability);
  // No slots, so that the wires become empty.
  void pause(bool on) { paused_ = on; }
  // While they are. Both are times in cycles of the clock.
  void set_clock(unsigned wire_cycles, unsigned training_cycles);
  unsigned wire_cycles() const { return options_.wire_cycles; }
  void add(const flit::Packet& packet) { waiting_.push_back(packet); }

  // One cycle of both ends. The packet that the receiver delivers in it; none: null. Valid until
  // the next one.
  const flit::Packet* cycle(flit::DataLink* sender, flit::DataLink* receiver,
                            const FlitObserver& observer);

  std::uint64_t at() const { return cycle_; }  // the next cycle
  bool up() const { return up_; }
  std::uint64_t taken() const { return taken_; }
  std::uint64_t delivered() const { return counts_.packets; }
  bool has_waiting() const { return !waiting_.empty(); }
  // All packets are delivered, and it is not in training.
  bool settled() const {
    return up_ && down_ == 0 && waiting_.empty() && taken_ == counts_.packets;
  }
  // Trained again and again without a packet.
  bool hopeless() const { return trainings_in_vain_ > 3; }
  const PortCounts& counts() const { return counts_; }

 private:
  void send(unsigned from, const flit::LinkOutputs& outputs, const FlitObserver& observer);

  Options options_;
  std::deque<flit::Packet> waiting_;
  std::array<LineWire, 2> wires_;  // with the payload, back
  bool paused_ = false;
  bool frees_ = false;
  flit::Freed freed_;
  std::uint64_t cycle_ = 0, taken_ = 0;
  std::uint64_t down_ = 0;  // cycles until training ends
  unsigned trainings_in_vain_ = 0;
  bool up_ = false;
  PortCounts counts_;
};

}  // namespace tern::link
