// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "systemc/cosim/link_lockstep.h"
#include "systemc/cosim/link_rtl.h"
#include "systemc/link/flit/link_model.h"
#include "tb/common/bench_inputs.h"
#include "tb/datalink/wire.h"

namespace tern::tb {

// What a test does with the ends in each cycle.
struct EndTraffic {
  unsigned offer = 0;        // chance of a new packet, in 1/256 a cycle
  unsigned free = 256;       // chance that a delivered packet leaves its buffer, in 1/256 a cycle
  unsigned max_dwords = 64;  // of data
  unsigned slot_gap = 0;     // up to that many cycles more between slots
};

// Two ends, each as RTL and as model with the same inputs, and two wires. Checks in every cycle:
// outputs equal; packets delivered are those sent, in order, once; buffers never hold more than
// their credits. It trains the link again when an end asks for it.
class LinkPair {
 public:
  struct Counts {
    std::uint64_t sent = 0, delivered = 0, bad = 0, duplicates = 0, replays = 0, recoveries = 0,
                  payload_bytes = 0;
  };

  explicit LinkPair(LinkSize size, std::uint64_t seed = 0, unsigned delay = 5);
  ~LinkPair();
  LinkPair(const LinkPair&) = delete;
  LinkPair& operator=(const LinkPair&) = delete;

  std::array<EndTraffic, 2> traffic;
  bool always_full = false;  // packets have `max_dwords`
  flit::LaneMask replaced;   // lanes that training takes out

  Wire& wire(unsigned from);
  const Counts& counts(unsigned end) const;
  const flit::LinkOutputs& outputs(unsigned end) const;  // of the last cycle
  std::uint64_t cycle() const { return cycle_; }
  const flit::LinkOptions& options() const { return options_; }

  void step();
  void run(std::uint64_t cycles);
  void run_until(const std::function<bool()>& done, std::uint64_t at_most);
  // No new packets, no faults: until all is delivered and all credits are back.
  void drain();
  void train();  // begins in the next cycle

  // Of the last training with load_i.
  const flit::LaneMask& dead_lanes() const { return loaded_; }
  // For tests that look at the wire.
  std::function<void(unsigned end, const flit::LinkOutputs& outputs)> on_cycle;
  // For tests of failures: a model that is not equal.
  void break_model(unsigned end);

 private:
  struct End;

  void cycle_of(unsigned end);
  void deliver(unsigned end);
  bool quiet() const;
  std::string inputs() const;

  std::mt19937_64 random_;
  flit::LinkOptions options_;
  std::array<std::unique_ptr<End>, 2> ends_;
  std::array<Wire, 2> wires_;  // from end 0, from end 1
  std::uint64_t cycle_ = 0;
  unsigned down_ = 0;  // cycles until training ends
  flit::LaneMask loaded_;
  unsigned now_ = 0;  // the end at work
  BenchInputs text_{[this] { return inputs(); }};
};

flit::Packet random_packet(std::mt19937_64& random, unsigned max_dwords);

}  // namespace tern::tb
