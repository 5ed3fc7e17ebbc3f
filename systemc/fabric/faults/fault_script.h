// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/system/fabric.h"
#include "systemc/fabric/transport.h"

namespace tern::fabric::faults {

// What breaks, where and when. Keys: README.md.
struct Fault {
  enum class Kind : std::uint8_t {
    kLaneLoss,    // links, lanes
    kBitErrors,   // links, bit_error_rate: from then on
    kFlap,        // links stand still for `lasts`
    kDeadLink,    // links
    kDeadSwitch,  // nodes
    kDeadChip,    // nodes
    kTrayPulled,  // nodes
    kHotSwap,     // nodes are out for `lasts`, then there are new ones
  };
  enum class From : std::uint8_t {
    kTime,       // `at`
    kTransfers,  // when the links `counted` have carried `count` transfers to their last byte
    kBytes,      // the same for bytes of payload
  };
  Kind kind = Kind::kDeadLink;
  From from = From::kTime;
  Time at = 0;
  std::uint64_t count = 0;
  std::vector<std::uint32_t> counted;

  std::vector<std::uint32_t> links, nodes;
  unsigned lanes = 0;
  double bit_error_rate = 0;
  Time lasts = 0;  // training included

  std::string element;  // as the script names it
  std::string source;   // "faults.yaml:3", for messages
};

// The name of a kind in a script: "lane_loss".
std::string fault_name(Fault::Kind kind);

struct FaultScript {
  static constexpr std::size_t kMostFaults = 1'000;
  std::vector<Fault> faults;
};

// Throws UserError "FILE:LINE: ...": what the keys do not allow, elements that the system lacks.
FaultScript load_fault_script(const std::string& path, const system::Fabric& fabric);

}  // namespace tern::fabric::faults
