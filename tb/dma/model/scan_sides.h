// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "systemc/cosim/dma_scan_rtl.h"
#include "systemc/dma/model/packet_scan.h"
#include "tb/common/bench_wave.h"
#include "tb/common/mismatch.h"
#include "tb/dma/model/descriptor_stream.h"

namespace tern::tb {

// What a stream of records did to the scan of model and RTL.
struct ScanOutcome {
  MismatchLog difference;  // the first one
  unsigned pairs = 0, packets = 0;
  std::uint64_t bytes = 0;       // of the good packets
  std::vector<unsigned> faults;  // codes, in order
};

// Both scans side by side; every run begins with all rings set up again, or after a reset. Rings
// have 8 pairs, so that ring_id takes all its values.
class ScanSides {
 public:
  static constexpr std::uint32_t kRingPairs = 8;

  ScanOutcome run(const std::uint8_t* records, std::size_t bytes);
  void reset();
  ScanOutcome run(const Bytes& records) { return run(records.data(), records.size()); }

 private:
  struct Ring {
    dma::model::PacketScan scan;
    std::uint64_t position = 0;  // pairs so far
    std::uint32_t begin = 0;     // index of the packet's first pair
    bool broken = false;
  };

  DmaScanRtl rtl_{bench_wave()};
  bool is_new_ = false;
  std::array<Ring, DmaScanRtl::kRings> rings_;
};

}  // namespace tern::tb
