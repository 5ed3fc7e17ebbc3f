// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "sw/config/wave_options.h"
#include "systemc/memory/near_memory.h"

namespace tern {

// The Verilated adders of rtl/dma (dma_near_memory), a beat of 64 bytes at a time.
class NearMemoryRtl : public NearMemory {
 public:
  // The waveform has a cycle for each beat; it has no scopes.
  explicit NearMemoryRtl(WaveOptions wave = {});
  ~NearMemoryRtl() override;
  void add(WriteOp op, std::uint8_t* memory, const std::uint8_t* data, std::size_t bytes) override;

  std::uint64_t beats() const { return beats_; }

 private:
  struct Dut;
  std::unique_ptr<Dut> dut_;
  std::uint64_t beats_ = 0;
};

}  // namespace tern
