// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/near_memory_rtl.h"

#include <VDmaNearMemory.h>

#include <algorithm>
#include <cstring>

#include "systemc/cosim/rtl_block.h"

namespace tern {

struct NearMemoryRtl::Dut : cosim::RtlModel<VDmaNearMemory> {
  std::unique_ptr<cosim::WaveFile> wave;
};

NearMemoryRtl::NearMemoryRtl(WaveOptions wave) : dut_(std::make_unique<Dut>()) {
  wave.scope.clear();
  wave.levels = WaveOptions().levels;
  dut_->wave = cosim::open_wave(&dut_->model, wave, "dma_near_memory");
}
NearMemoryRtl::~NearMemoryRtl() = default;

void NearMemoryRtl::add(WriteOp op, std::uint8_t* memory, const std::uint8_t* data,
                        std::size_t bytes) {
  VDmaNearMemory& model = dut_->model;
  constexpr std::size_t kBeat = sizeof model.memory_i;
  model.en_i = 1;
  model.bf16_i = op == WriteOp::kAddBf16;
  model.fp8_i = op == WriteOp::kAddFp8;
  for (std::size_t done = 0; done < bytes; done += kBeat, ++beats_) {
    const std::size_t part = std::min(kBeat, bytes - done);
    std::memcpy(&model.memory_i, memory + done, part);
    std::memcpy(&model.data_i, data + done, part);
    model.eval();
    if (dut_->wave) dut_->wave->dump(beats_, 0);
    std::memcpy(memory + done, &model.sum_o, part);
  }
}

}  // namespace tern
