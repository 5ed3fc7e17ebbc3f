// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "sw/config/wave_options.h"
#include "systemc/dma/model/pair.h"

namespace tern {

// The Verilated scan of a DMA engine's descriptors alone (rtl/dma/dma_scan.sv): a pair per
// cycle.
class DmaScanRtl {
 public:
  static constexpr unsigned kRings = TERN_REG_DMA_RING_SIZE_COUNT;
  static constexpr unsigned kAnyPhase = 4;  // ring_id is not checked

  struct Packet {
    unsigned fault = 0;       // TERN_DMA_FAULT_*; 0: a good packet
    std::uint32_t index = 0;  // position of the first pair, or of the bad one
    unsigned pairs = 0;       // good packets only, like all that follows
    std::uint32_t bytes = 0;
    unsigned op = 0, src_dtype = 0, dst_dtype = 0, crc = 0;
    std::uint32_t expected_crc = 0;
  };

  explicit DmaScanRtl(const WaveOptions& wave = {});  // out of reset
  ~DmaScanRtl();

  // One cycle: the pair, at `index` of its ring; the packet that it ends or breaks.
  std::optional<Packet> scan(unsigned ring, const dma::model::Pair& pair, unsigned phase,
                             std::uint32_t index);
  // One cycle: these rings (one bit each) are in no packet and have no fault from the next one on.
  void clear(std::uint32_t rings);
  // Between two cycles: all rings as after clear().
  void reset();

 private:
  void tick();
  struct Dut;
  std::unique_ptr<Dut> dut_;
};

}  // namespace tern
