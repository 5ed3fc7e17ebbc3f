// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "systemc/cosim/dma_rtl.h"
#include "tb/common/bench_wave.h"
#include "tb/dma/model/unit_bench.h"

namespace tern::tb {

constexpr std::uint64_t kFrom = 0x10000, kTo = 0x90'0000;

inline UnitBench::Make rtl(unsigned descriptor_cycles = 0,
                           unsigned policy = TERN_QOS_POLICY_ROUND_ROBIN) {
  dma::UnitConfig config;
  config.descriptor_cycles = descriptor_cycles;
  config.policy = policy;
  return [config](dma::Environment& s) {
    return std::make_unique<dma::DmaRtl>(config, s, bench_wave());
  };
}

inline std::vector<SeenRequest> of(const UnitBench& bench, dma::Port port) {
  std::vector<SeenRequest> result;
  for (const auto& r : bench.requests) {
    if (r.port == port) result.push_back(r);
  }
  return result;
}

// Packets of one pair, 64 bytes each, all different.
inline void put_copies(UnitBench& bench, unsigned ring, unsigned packets) {
  for (unsigned i = 0; i < packets; ++i) {
    bench.put_copy(ring, kFrom + 64 * i, kTo + 0x10000 * ring + 64 * i, 64);
  }
}

}  // namespace tern::tb
