// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/system/fabric.h"
#include "systemc/fabric/transport.h"

namespace tern::fabric {

// Who sends to whom. README.md.
struct Traffic {
  std::string pattern = "all-to-all";
  std::uint64_t bytes = 65536;  // from a chip to each of its targets
  unsigned streams = 1;         // that the bytes are divided into, each on a way of its own
  unsigned traffic_class = 3;
  std::uint32_t from = 0, to = 1;  // of `pair`; `to` of `incast`
  unsigned targets = 8;            // of a chip, of `uniform`, itself and repetitions left out
  std::uint64_t seed = 0;          // of `uniform` and `permutation`
  // When it begins; how often all of it is sent, and after which time again.
  Time at = 0, every = 0;
  unsigned rounds = 1;
};

std::vector<std::string> pattern_names();
inline constexpr std::size_t kMostTransfers = 20'000'000;

// Throws UserError: the system's chips do not suit the pattern, too many transfers.
std::vector<Transfer> transfers_of(const Traffic& traffic, const system::Fabric& fabric);

}  // namespace tern::fabric
