// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "systemc/core/neuron_core.h"
#include "systemc/hbm/hbm_memory.h"

namespace tern {

// An error as somewhere in the chip has found it.
struct ChipFault {
  enum class Kind : std::uint8_t {
    kCorrected,      // unit: HBM stack; address: of the burst, in the system
    kUncorrectable,  // likewise
    kDmaAbort,       // unit: core; address: DMA engine << 8 | ring
    kSemaphore,      // unit: core; address: queue << 32 | instruction
    kSequencer,      // likewise, of every other error of a queue
  };
  Kind kind = Kind::kCorrected;
  unsigned unit = 0;
  std::uint64_t address = 0;
};

// Counters of errors and the scrubbers, in the chip's registers; who listens learns of each error.
class ChipHealth {
 public:
  using Listener = std::function<void(const ChipFault& fault)>;

  ChipHealth(HbmMemory& hbm, const std::vector<std::unique_ptr<NeuronCore>>& cores);

  void listen(Listener listener) { listener_ = std::move(listener); }

  // Registers hbm_corrected to core_errors (docs/reference/registers.md, block "chip"), whole
  // words; false: there is none, or it refuses the value.
  bool read(std::uint64_t offset, std::uint32_t* value) const;
  bool write(std::uint64_t offset, std::uint32_t value);

  // For a snapshot.
  void archive_state(base::StateArchive& archive);

 private:
  struct Stack {
    std::uint32_t corrected = 0, uncorrectable = 0;
    std::uint64_t address = 0;
  };
  void found_bits(unsigned stack, std::uint64_t offset, bool corrected);
  void report(const ChipFault& fault) const {
    if (listener_) listener_(fault);
  }

  HbmMemory& hbm_;
  std::vector<Stack> stacks_;
  std::vector<std::uint32_t> core_errors_;
  Listener listener_;
};

}  // namespace tern
