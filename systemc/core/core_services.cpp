// SPDX-License-Identifier: Apache-2.0
#include "systemc/core/core_services.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "sw/base/text.h"
#include "sw/spec/generated/registers.h"
#include "systemc/core/instruction_registry.h"

namespace tern {

namespace {

gpsimd::ProgramLog program_log(const CoreOptions& options, const std::string& core) {
  return [core, sink = options.program_log](unsigned processor, const std::string& text) {
    const std::string line = fmt::format("{} gpsimd processor {}: {}", core, processor, text);
    if (sink) {
      sink(line);
    } else {
      base::to_stderr(fmt::format("{}\n", line));
    }
  };
}

}  // namespace

CoreServices::CoreServices(const CoreConfig& config, const DmaConfig& dma_config,
                           const CoreOptions& options, CoreContext& context, Sbuf& sbuf,
                           unsigned index, const std::string& process, ReadMemory read_memory)
    : context_(context),
      read_memory_(std::move(read_memory)),
      custom_operator_({sbuf.access(), sbuf.partition_bytes()}, config.gpsimd_programs,
                       program_log(options, process), options.program_runner),
      gpsimd_clock_(config.gpsimd.clock_ghz),
      dma_clock_("dma_clock", dma_config.clock_ghz),
      scalar_dge_("dge_scalar", dma_config, index, *this, context.bus, process, "dge scalar"),
      sync_dge_("dge_sync", dma_config, index, *this, context.bus, process, "dge sync"),
      gpsimd_copies_("dge_gpsimd", dge::software_timing(dma_config, config.gpsimd.clock_ghz), index,
                     *this, context.bus, process, "dge gpsimd"),
      gpsimd_dge_(dma_config, config.gpsimd.clock_ghz, index, sbuf.access(), sbuf.partition_bytes(),
                  *this) {
  for (unsigned e = 0; e < kDmaEngines; ++e) {
    dma_[e] = std::make_unique<dma::Engine>(
        fmt::format("dma{}", e).c_str(), dma_config, dma_clock_, e, context.bus, process,
        options.make_dma(options.dma, fmt::format("{} dma{}", process, e)));
    dma_[e]->set_error_handler([this, e](unsigned ring, unsigned code, std::uint64_t detail) {
      context_.errors.report(code, TERN_REG_CORE_ERROR_QUEUE_DMA + e, ring,
                             static_cast<std::uint32_t>(detail));
      context_.status_changed();
    });
  }
}

ServiceOutcome CoreServices::serve(unsigned queue, const tern_instruction_t& instruction) {
  const InstructionRow* row = instruction_table().find(instruction.header.opcode);
  if (row == nullptr || row->serve == nullptr) return {};
  return row->serve(*this, queue, instruction);
}

void CoreServices::copy(unsigned queue, const tern_instr_dma_copy_t& instruction) {
  dge::HwDge& generator = queue == TERN_QUEUE_SCALAR   ? scalar_dge_
                          : queue == TERN_QUEUE_GPSIMD ? gpsimd_copies_
                                                       : sync_dge_;
  generator.execute(instruction);
}

void CoreServices::abort_rings() {
  for (const auto& engine : dma_) engine->abort_rings();
}

bool CoreServices::at_rest() const {
  return scalar_dge_.idle() && sync_dge_.idle() && gpsimd_copies_.idle() &&
         std::all_of(dma_.begin(), dma_.end(), [](const auto& dma) { return dma->at_rest(); });
}

// The file is read when the instruction begins; the program runs once it has arrived. A failure is
// reported at its time, after the cycles until then.
ServiceOutcome CoreServices::run_program(const tern_instr_custom_op_t& instruction) {
  const std::uint64_t address = std::uint64_t{instruction.code_hi} << 32 | instruction.code_lo;
  std::vector<std::uint8_t> file(instruction.code_bytes);
  const unsigned error = read_memory_(address, file.data(), instruction.code_bytes);
  if (error != TERN_ERROR_NONE) return {error, instruction.code_lo};
  const std::uint64_t begin = gpsimd_clock_.now();
  gpsimd_clock_.wait_for(begin);
  const gpsimd::CustomResult result = custom_operator_.run(instruction, std::move(file));
  const gpsimd::ProgramFault& fault = result.fault;
  if (fault.reason == TERN_PROGRAM_FAULT_NONE) return {TERN_ERROR_NONE, 0, result.cycles};
  gpsimd_clock_.wait_for(begin + result.cycles);
  context_.errors.note_program(result.processor, fault.reason, fault.value);
  return {TERN_ERROR_CUSTOM_OP, fault.pc};
}

ServiceOutcome CoreServices::copy_indirect(const tern_instr_dma_indirect_t& instruction) {
  const auto fault = gpsimd_dge_.execute(instruction);
  if (!fault) return {};
  if (fault->code == TERN_ERROR_DMA_INDEX) context_.errors.note_program(0, 0, fault->value);
  return {fault->code, fault->detail};
}

void CoreServices::trigger_dma(const tern_instr_dma_trigger_t& instruction) {
  for (unsigned e = 0; e < kDmaEngines; ++e) {
    if (instruction.count[e] != 0) dma_[e]->doorbell(instruction.ring, instruction.count[e]);
  }
}

bool CoreServices::push_pair(unsigned engine, unsigned ring, const std::uint8_t* pair) {
  return dma_[engine]->push_pair(ring, pair);
}

void CoreServices::doorbell(unsigned engine, unsigned ring, unsigned pairs) {
  dma_[engine]->doorbell(ring, pairs);
}

bool CoreServices::stopped(unsigned engine, unsigned ring) {
  return dma_[engine]->ring_stopped(ring);
}

std::uint32_t CoreServices::head(unsigned engine, unsigned ring) {
  return dma_[engine]->ring_head(ring);
}

}  // namespace tern
