// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "sw/runtime/executable.h"
#include "sw/runtime/status.h"

namespace tern::runtime {

// Contents of the core's error registers for a custom_op that failed.
struct ProgramFaultRegisters {
  std::uint32_t pc = 0;  // error_detail
  std::uint32_t processor = 0, reason = 0, value = 0;
};

// Contents of a stopped ring's registers and the core's error registers.
struct RingFault {
  unsigned engine = 0, ring = 0;
  unsigned fault = 0;         // TERN_DMA_FAULT_*
  std::uint32_t index = 0;    // of the descriptor in the ring
  std::uint64_t address = 0;  // the one concerned, or 0
};

// The status that the Neuron runtime documents for such an error.
Status status_of(const RingFault& fault);

// The instruction of a loaded program: its addresses are the chip's.
using LoadedInstruction = std::function<tern_instruction_t(unsigned queue, std::size_t index)>;

// "DMA engine 3, ring 0: stopped at descriptor 17, of mlp.cpp:40: dma_load of tensor 'w': a source
// address outside every unit, 0x3f000000000; status 1006 (out of bound)".
std::string describe_ring_fault(const Executable& program, const RingFault& fault,
                                const LoadedInstruction& loaded);

// "GpSimd program 'row_topk', processor 4: wrote to 0x20400000, where it has no memory, at 0x10124
// in row_topk+0x1c".
std::string describe_program_fault(const Blob& program, const ProgramFaultRegisters& fault);

}  // namespace tern::runtime
