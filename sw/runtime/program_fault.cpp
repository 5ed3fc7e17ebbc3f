// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/program_fault.h"

#include <cstdio>
#include <vector>

#include "sw/base/elf_file.h"
#include "sw/base/text.h"
#include "sw/runtime/error_text.h"
#include "sw/spec/generated/registers.h"

namespace tern::runtime {

namespace {

std::string reason_text(unsigned reason, std::uint32_t value) {
  switch (reason) {
    case TERN_PROGRAM_FAULT_LOAD:
      return "read " + base::hex(value) + ", where it has no memory";
    case TERN_PROGRAM_FAULT_STORE:
      return "wrote to " + base::hex(value) + ", where it has no memory";
    case TERN_PROGRAM_FAULT_PROTECTED:
      return "wrote to " + base::hex(value) + ", its code or constants (or its stack is too small)";
    case TERN_PROGRAM_FAULT_MISALIGNED:
      return "misaligned access to " + base::hex(value);
    case TERN_PROGRAM_FAULT_JUMP:
      return "jumped to " + base::hex(value) + ", where it has no code";
    case TERN_PROGRAM_FAULT_ILLEGAL:
      return "instruction " + base::hex(value) + ", which the processor lacks";
    case TERN_PROGRAM_FAULT_BREAKPOINT:
      return "breakpoint or abort()";
    case TERN_PROGRAM_FAULT_LIMIT:
      return "still running after " + std::to_string(value) +
             " cycles (core.gpsimd.programs.limit_cycles)";
    case TERN_PROGRAM_FAULT_EXIT:
      return "ended with status " + std::to_string(static_cast<std::int32_t>(value));
    case TERN_PROGRAM_FAULT_STOPPED:
      return "waits for an interrupt, and there are none";
    case TERN_PROGRAM_FAULT_REGISTER:
      return "no register for this access to " + base::hex(value) + " (whole words only)";
  }
  return "fault " + std::to_string(reason);
}

}  // namespace

std::string describe_program_fault(const Blob& program, const ProgramFaultRegisters& fault) {
  const std::string what = "GpSimd program '" + program.name + "'";
  if (fault.reason == TERN_PROGRAM_FAULT_BAD_FILE) {
    try {
      const base::ElfFile file(program.bytes);
    } catch (const base::ElfError& error) {
      return what + ": " + error.what();
    }
    return what + ": its file in HBM is damaged";
  }
  std::string text = what + ", processor " + std::to_string(fault.processor) + ": " +
                     reason_text(fault.reason, fault.value);
  if (fault.reason == TERN_PROGRAM_FAULT_EXIT) return text;
  text += ", at " + base::hex(fault.pc);
  try {
    const std::string symbol = base::ElfFile(program.bytes).symbol_at(fault.pc);
    if (!symbol.empty()) text += " in " + symbol;
  } catch (const base::ElfError&) {
    // The core took a different file: no names.
  }
  return text;
}

namespace {

// Whether an address lies between the first and the last byte of one side of a transfer.
bool covers(std::uint32_t low, std::uint32_t high, const std::int32_t (&stride)[3],
            const tern_instr_dma_copy_t& in, std::uint64_t address) {
  std::uint64_t first = std::uint64_t{high} << 32 | low;
  std::uint64_t last = first + (in.length == 0 ? TERN_DESCRIPTOR_MAX_LENGTH : in.length) - 1;
  for (unsigned d = 0; d < 3; ++d) {
    const std::int64_t way = std::int64_t{stride[d]} * (in.count[d] - 1);
    (way < 0 ? first : last) += static_cast<std::uint64_t>(way);
  }
  return first <= address && address <= last;
}

bool covers(const tern_instruction_t& instruction, std::uint64_t address) {
  if (instruction.header.opcode != TERN_OPCODE_DMA_COPY) return false;
  const tern_instr_dma_copy_t& in = instruction.dma_copy;
  return covers(in.src_lo, in.src_hi, in.src_stride, in, address) ||
         covers(in.dst_lo, in.dst_hi, in.dst_stride, in, address);
}

// The line of the only instruction whose generator uses the ring, else of the only one that moves
// the address.
std::string origin_of_generated(const Executable& program, const RingFault& fault,
                                const LoadedInstruction& loaded) {
  std::vector<std::string> users, movers;
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
    for (std::size_t i = 0; i < program.queues[q].size(); ++i) {
      const tern_instruction_t& in = program.queues[q][i];
      const bool uses =
          (in.header.opcode == TERN_OPCODE_DMA_COPY && in.dma_copy.ring == fault.ring) ||
          (in.header.opcode == TERN_OPCODE_DMA_INDIRECT && in.dma_indirect.ring == fault.ring);
      if (!uses) continue;
      users.push_back(i < program.origins[q].size() ? program.origins[q][i]
                                                    : opcode_name(in.bytes[0]));
      if (covers(loaded(q, i), fault.address)) movers.push_back(users.back());
    }
  }
  if (users.size() == 1) return users.front();
  if (movers.size() == 1) return movers.front();
  return "one of several instructions that use the ring";
}

// The line that a descriptor comes from: of a ring in memory the transfer's.
std::string origin_of(const Executable& program, const RingFault& fault,
                      const LoadedInstruction& loaded) {
  const auto transfers = program.transfers.find(fault.ring);
  if (transfers != program.transfers.end()) {
    std::string text;
    for (const TransferOrigin& transfer : transfers->second) {
      if (transfer.begin[fault.engine] > fault.index) break;
      text = transfer.text;
    }
    return text;
  }
  if (program.generated_rings.count(fault.ring) == 0) return {};
  return origin_of_generated(program, fault, loaded);
}

}  // namespace

Status status_of(const RingFault& fault) {
  switch (fault.fault) {
    case TERN_DMA_FAULT_ECC:
      return fault.address < TERN_HOST_BASE ? Status::kHbmUncorrectable
                                            : Status::kCoreUncorrectable;
    case TERN_DMA_FAULT_FETCH:
    case TERN_DMA_FAULT_READ:
    case TERN_DMA_FAULT_WRITE:
      return Status::kOutOfBound;
    default:
      return Status::kDmaAbort;
  }
}

std::string describe_ring_fault(const Executable& program, const RingFault& fault,
                                const LoadedInstruction& loaded) {
  std::string text = "DMA engine " + std::to_string(fault.engine) + ", ring " +
                     std::to_string(fault.ring) + ": stopped at descriptor " +
                     std::to_string(fault.index);
  const std::string origin = origin_of(program, fault, loaded);
  if (!origin.empty()) text += ", of " + origin;
  text += ": " + dma_fault_text(fault.fault);
  if (fault.address != 0) {
    char address[32];
    std::snprintf(address, sizeof address, ", 0x%llx",
                  static_cast<unsigned long long>(fault.address));
    text += address;
  }
  return text + "; status " + status_text(status_of(fault));
}

}  // namespace tern::runtime
