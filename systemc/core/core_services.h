// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <systemc>

#include "sw/config/chip_config.h"
#include "sw/spec/generated/address_map.h"
#include "systemc/core/core_options.h"
#include "systemc/core/sbuf.h"
#include "systemc/core/sequencer.h"
#include "systemc/dge/hw_dge.h"
#include "systemc/dge/sw_dge.h"
#include "systemc/dma/engine.h"
#include "systemc/engines/ports/service_outcome.h"
#include "systemc/gpsimd/custom_operator.h"
#include "systemc/trace/trace.h"

namespace tern {

// What the instructions of a core start in addition to its engines: 16 DMA engines, the descriptor
// generators that feed them, and programs of GpSimd's processors.
class CoreServices : private dge::RingPort {
 public:
  static constexpr unsigned kDmaEngines = TERN_CORE_DMA_COUNT;
  // Blocks the calling SC_THREAD; an error code, or none.
  using ReadMemory = std::function<unsigned(std::uint64_t address, void* data, unsigned bytes)>;

  // process: of the trace.
  CoreServices(const CoreConfig& config, const DmaConfig& dma_config, const CoreOptions& options,
               CoreContext& context, Sbuf& sbuf, unsigned index, const std::string& process,
               ReadMemory read_memory);

  // Executes an instruction that works in parallel to its engine; nothing for the others. May block
  // the calling SC_THREAD.
  ServiceOutcome serve(unsigned queue, const tern_instruction_t& instruction);

  void trigger_dma(const tern_instr_dma_trigger_t& instruction);
  // With the descriptor generator of the Scalar or the Sync queue.
  void copy(unsigned queue, const tern_instr_dma_copy_t& instruction);
  ServiceOutcome copy_indirect(const tern_instr_dma_indirect_t& instruction);
  ServiceOutcome run_program(const tern_instr_custom_op_t& instruction);

  // Aborts every ring of every DMA engine.
  void abort_rings();
  // No transfer is in progress.
  bool at_rest() const;
  dma::Engine& dma(unsigned engine) { return *dma_[engine]; }
  // What keeps a snapshot from being taken, in words; empty: nothing.
  std::string in_flight() const;
  // For a snapshot, while nothing does.
  void archive_state(base::StateArchive& archive);
  // Where the descriptor generator of GpSimd takes over a ring from the DMA engine.
  void ring_register_written(unsigned engine, std::uint32_t offset, std::uint32_t value) {
    gpsimd_dge_.register_written(engine, offset, value);
  }

 private:
  // dge::RingPort
  bool push_pair(unsigned engine, unsigned ring, const std::uint8_t* pair) override;
  void doorbell(unsigned engine, unsigned ring, unsigned pairs) override;
  bool stopped(unsigned engine, unsigned ring) override;
  std::uint32_t head(unsigned engine, unsigned ring) override;

  CoreContext& context_;
  const ReadMemory read_memory_;
  gpsimd::CustomOperator custom_operator_;
  ClockDomain gpsimd_clock_;
  dma::EngineClock dma_clock_;
  dge::HwDge scalar_dge_, sync_dge_, gpsimd_copies_;
  dge::SwDge gpsimd_dge_;
  std::array<std::unique_ptr<dma::Engine>, kDmaEngines> dma_;
};

}  // namespace tern
