// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "sw/config/wave_options.h"

namespace tern {

// The Verilated pipelines of rtl/mx, one quadrant wide: 32 partitions with four elements each,
// element 4p + q in slot q of partition p.
constexpr unsigned kMxRtlPartitions = 32;
constexpr unsigned kMxRtlLanes = 4 * kMxRtlPartitions;
constexpr unsigned kMxRtlBlocks = kMxRtlPartitions / 8;

struct MxQuantizeInput {
  bool fp16 = false, e5m2 = false, ocp = false;
  std::array<std::uint16_t, kMxRtlLanes> elements{};
};
struct MxQuantizeOutput {
  std::array<std::uint8_t, kMxRtlLanes> codes{};
  std::array<std::uint8_t, kMxRtlBlocks> scales{};
};
struct MxDequantizeInput {
  unsigned src = 0, dst = 0;  // dtype codes
  std::array<std::uint32_t, kMxRtlPartitions> x4{};
  std::array<std::uint8_t, kMxRtlBlocks> scales{};
};
struct MxDequantizeOutput {
  std::array<std::uint32_t, kMxRtlLanes> elements{};
};

// Each call of cycle() is one clock cycle: `input` (if any) is at the ports in it, and the block's
// output of the same cycle is returned.
class MxQuantizeRtl {
 public:
  explicit MxQuantizeRtl(const WaveOptions& wave = {});
  ~MxQuantizeRtl();
  std::optional<MxQuantizeOutput> cycle(const MxQuantizeInput* input);

 private:
  struct Dut;
  std::unique_ptr<Dut> dut_;
};

class MxDequantizeRtl {
 public:
  explicit MxDequantizeRtl(const WaveOptions& wave = {});
  ~MxDequantizeRtl();
  std::optional<MxDequantizeOutput> cycle(const MxDequantizeInput* input);

 private:
  struct Dut;
  std::unique_ptr<Dut> dut_;
};

}  // namespace tern
