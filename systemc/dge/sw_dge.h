// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <systemc>
#include <vector>

#include "sw/base/state_archive.h"
#include "sw/config/chip_config.h"
#include "sw/spec/generated/isa.h"
#include "sw/spec/generated/registers.h"
#include "systemc/dge/copy_expansion.h"
#include "systemc/dge/ring_port.h"
#include "systemc/engines/ports/clock_domain.h"
#include "systemc/engines/ports/sbuf_access.h"

namespace tern::dge {

// The fault that stops a queue at a dma_indirect.
struct IndirectFault {
  unsigned code = TERN_ERROR_NONE;
  std::uint32_t detail = 0;
  std::uint32_t value = 0;  // dma_index: the index
};

// The descriptors of a dma_indirect, row after row: those of each engine in their order. Row i of P
// goes to engine i * 16 / P, with fewer than 16 rows to engine i. Rows out of bounds are omitted,
// or are the fault.
struct IndirectPairs {
  std::array<std::vector<MadePair>, kEngines> engines;
  std::optional<IndirectFault> fault;
};
IndirectPairs expand_indirect(const tern_instr_dma_indirect_t& instruction, unsigned core,
                              const SbufAccess& sbuf);

// Descriptors made by the GpSimd processors, in rings in SBUF. Timing: README.md.
class SwDge {
 public:
  SwDge(const DmaConfig& config, double clock_ghz, unsigned core, SbufAccess sbuf,
        std::uint64_t partition_bytes, RingPort& rings);

  // A register of an engine was written: bases and sizes of rings define where they begin.
  void register_written(unsigned engine, std::uint32_t offset, std::uint32_t value);
  // Runs in the calling SC_THREAD, until the doorbells have been rung; waits while a ring is full.
  // Nothing is moved if there is a fault.
  std::optional<IndirectFault> execute(const tern_instr_dma_indirect_t& instruction);
  // For a snapshot, while none executes.
  void archive_state(base::StateArchive& archive);

 private:
  struct Ring {
    std::uint64_t tx_base = 0, rx_base = 0;
    std::uint64_t tx_at_size = 0, rx_at_size = 0;  // the bases when the size was written
    std::uint32_t size = 0;
    std::uint8_t *tx = nullptr, *rx = nullptr;  // in SBUF; null: not there
    std::uint64_t written = 0;
  };
  std::uint8_t* place(std::uint64_t address, std::uint64_t bytes) const;
  void find_lists(Ring& ring) const;
  void write(Ring& ring, const MadePair& made);

  const std::uint64_t start_cycles_, row_cycles_;
  const ClockDomain clock_;
  const unsigned core_;
  const SbufAccess sbuf_;
  const std::uint64_t partition_bytes_;
  RingPort& port_;
  std::array<std::array<Ring, TERN_REG_DMA_RING_SIZE_COUNT>, kEngines> rings_{};
};

}  // namespace tern::dge
