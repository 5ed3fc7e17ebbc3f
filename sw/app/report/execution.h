// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sw/app/report/bounds.h"
#include "sw/app/report/energy.h"
#include "systemc/trace/rtl_work.h"

namespace tern::app {

// Share of one engine in an execution.
struct EngineUse {
  std::string name;
  std::uint64_t instructions = 0;
  double busy_us = 0;  // simulated time with at least one instruction in execution
};

// Data that DMA engines and memory of the chip moved while the programs ran.
struct MemoryUse {
  std::uint64_t dma_bytes = 0, dma_descriptors = 0, dma_packets = 0;  // of the core
  std::uint64_t hbm_read_bytes = 0, hbm_write_bytes = 0;              // of all stacks
  std::uint64_t row_hits = 0, row_misses = 0, row_conflicts = 0, refreshes = 0;
};

// On the buses of all stacks, in whole bursts: data, descriptors, instructions.
struct HbmBytes {
  std::uint64_t read = 0, written = 0;
};

// One execution of the workload on one core.
struct Execution {
  unsigned core = 0;
  std::string backend;                        // of the tensor engine: model | rtl | both
  std::string exp_backend = "model";          // of the exponential unit
  std::string mx_backend = "model";           // of the MX converters
  std::string near_memory_backend = "model";  // of the adders next to memories
  std::string dma_backend = "model";          // of the DMA engines
  double simulated_us = 0;                    // first instruction to interrupt, of all programs
  std::vector<double> program_us;             // of each
  std::uint64_t begin_fs = 0, end_fs = 0;     // of the programs, on the simulated clock
  std::vector<HbmBytes> hbm;                  // of each program
  double copy_us = 0;                         // host copies, both directions
  double wall_s = 0;
  double tensor_clock_ghz = 0;
  std::uint64_t tensor_cycles = 0;   // first command accepted to last status
  std::uint64_t tensor_columns = 0;  // moving columns streamed
  // Multiplications of the array (padding and the passes of FP32 count), and how many the whole
  // array could have done in the same columns and modes.
  std::uint64_t macs = 0, capacity = 0;
  std::uint64_t rtl_cycles = 0;             // cycles clocked in the Verilated RTL, 0 for the model
  double rtl_wall_s = 0;                    // host time inside the Verilated RTL
  RtlWork exp_rtl, mx_rtl;                  // of the Verilated exponential unit and MX converters
  std::uint64_t near_memory_rtl_beats = 0;  // of 64 bytes, in the Verilated adders
  std::uint64_t dma_rtl_cycles = 0;         // clocked in the Verilated DMA engines, all together
  std::vector<EngineUse> engines;
  MemoryUse memory;
  std::vector<std::vector<PhaseBound>> phases;  // of each program, with their bounds
  std::vector<EnergyUse> energy;                // of each program, the whole chip
  std::vector<std::uint32_t> result;            // words of the outputs, in their order

  // First instruction to the last program's end, on the simulated clock.
  std::uint64_t duration_fs() const { return end_fs - begin_fs; }

  EnergyUse all_energy() const {
    EnergyUse all;
    for (const EnergyUse& program : energy) all += program;
    return all;
  }

  // The Verilated units take the cycles of their models.
  bool units_agree() const {
    return exp_rtl.cycles == exp_rtl.model_cycles && mx_rtl.cycles == mx_rtl.model_cycles;
  }

  // Its name in the comparisons.
  std::string label() const {
    const std::pair<const char*, const std::string&> others[] = {
        {"exp", exp_backend},
        {"mx", mx_backend},
        {"near-memory", near_memory_backend},
        {"dma", dma_backend}};
    std::string result = backend;
    for (const auto& [name, other] : others) {
      if (other != "model") result += fmt::format(", {} {}", name, other);
    }
    return result;
  }

  // Columns streamed per tensor cycle: 1 when the array accepts a column every cycle.
  double utilisation() const {
    return tensor_cycles == 0
               ? 0
               : static_cast<double>(tensor_columns) / static_cast<double>(tensor_cycles);
  }

  // What the array could do in the modes that were used: multiplications per second.
  double peak_macs_per_s() const {
    return tensor_columns == 0 ? 0
                               : static_cast<double>(capacity) /
                                     static_cast<double>(tensor_columns) * tensor_clock_ghz * 1e9;
  }
  // Model FLOPs utilisation: multiplications over that peak, for the whole time of the programs.
  double mfu() const {
    const double most = peak_macs_per_s() * simulated_us * 1e-6;
    return most > 0 ? static_cast<double>(macs) / most : 0;
  }
};

}  // namespace tern::app
