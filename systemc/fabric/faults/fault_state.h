// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/system/fabric.h"
#include "systemc/fabric/faults/fault_script.h"
#include "systemc/fabric/faults/observed.h"

namespace tern::fabric::faults {

// What of a system still works while the faults of a script happen to it, and what was observed. A
// level of detail decides when they happen and carries out what they mean. It borrows the fabric.
class FaultState {
 public:
  // seed: of bit errors.
  FaultState(const system::Fabric& fabric, FaultScript script, std::uint64_t seed);

  const system::Fabric& fabric() const { return fabric_; }
  const FaultScript& script() const { return script_; }
  std::uint64_t seed() const { return seed_; }

  // The times of the script count from here. kNever: from an instant that is not known yet.
  Time origin() const { return origin_; }
  void set_origin(Time origin) { origin_ = origin; }

  // The fault happens; links that differ from now on. Over at now + lasts, if it ends.
  std::vector<std::uint32_t> begin(std::size_t fault, Time now);
  std::vector<std::uint32_t> end(std::size_t fault);
  static bool ends(const Fault& fault) {
    return fault.kind == Fault::Kind::kFlap || fault.kind == Fault::Kind::kHotSwap;
  }
  // The link has more errors than replays can mend.
  void give_up(std::uint32_t link);

  // In service, with both ends. One that flaps is: traffic waits for it.
  bool usable(std::uint32_t link) const { return usable_[link]; }
  bool flaps(std::uint32_t link) const { return links_[link].flaps > 0; }
  unsigned lanes(std::uint32_t link) const;
  double bit_error_rate(std::uint32_t link) const { return links_[link].bit_error_rate; }
  // Counts the instants at which other links became usable, or less.
  std::uint64_t epoch() const { return epoch_; }

  ObservedCounts& observed(std::uint32_t link) { return observed_[link]; }
  const ObservedCounts& observed(std::uint32_t link) const { return observed_[link]; }

  // kNever: it has not happened.
  Time happened(std::size_t fault) const { return happened_[fault]; }

 private:
  struct LinkState {
    bool dead = false;
    unsigned flaps = 0;   // under way
    unsigned failed = 0;  // lanes, without those that spare ones stand in for
    unsigned spared = 0;  // lanes of its chip's that stand in
    double bit_error_rate = 0;
  };
  struct NodeState {
    bool dead = false;
    unsigned swaps = 0;   // under way
    unsigned spares = 0;  // lanes left
  };

  void lose_lanes(std::uint32_t link, unsigned lanes);
  void replace(std::uint32_t node, std::vector<std::uint32_t>* changed);
  // The chip whose spare lanes can stand in for those of a link; null: none.
  NodeState* spares_of(std::uint32_t link);
  void refresh();

  const system::Fabric& fabric_;
  const FaultScript script_;
  const std::uint64_t seed_;
  Time origin_ = 0;
  std::vector<LinkState> links_;
  std::vector<NodeState> nodes_;
  std::vector<bool> usable_;
  std::uint64_t epoch_ = 0;
  std::vector<ObservedCounts> observed_;
  std::vector<Time> happened_;
};

}  // namespace tern::fabric::faults
