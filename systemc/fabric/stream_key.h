// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "systemc/fabric/transport.h"

namespace tern::fabric {

// What transfers that take one path in order have in common.
struct StreamKey {
  explicit StreamKey(const Transfer& t)
      : source(t.source), target(t.target), stream(t.stream), traffic_class(t.traffic_class) {}
  bool operator==(const StreamKey& o) const {
    return source == o.source && target == o.target && stream == o.stream &&
           traffic_class == o.traffic_class;
  }

  std::uint32_t source, target, stream;
  std::uint8_t traffic_class;
};

struct StreamHash {
  std::size_t operator()(const StreamKey& key) const {
    std::uint64_t h = key.source;
    for (const std::uint64_t part :
         {std::uint64_t{key.target}, std::uint64_t{key.stream}, std::uint64_t{key.traffic_class}})
      h = (h ^ part) * 0x9e3779b97f4a7c15ULL + (h >> 29);
    return static_cast<std::size_t>(h ^ h >> 32);
  }
};

}  // namespace tern::fabric
