// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/app/report/bounds.h"

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
  std::string backend;                     // of the tensor engine: model | rtl | both
  std::string exp_backend = "model";       // of the exponential unit
  std::string dma_backend = "model";       // of the DMA engines
  double simulated_us = 0;                 // first instruction to interrupt, of all programs
  std::vector<double> program_us;          // of each
  std::uint64_t begin_fs = 0, end_fs = 0;  // of the programs, on the simulated clock
  std::vector<HbmBytes> hbm;               // of each program
  double copy_us = 0;                      // host copies, both directions
  double wall_s = 0;
  double tensor_clock_ghz = 0;
  std::uint64_t tensor_cycles = 0;   // first command accepted to last status
  std::uint64_t tensor_columns = 0;  // moving columns streamed
  std::uint64_t macs = 0;
  std::uint64_t rtl_cycles = 0;        // cycles clocked in the Verilated RTL, 0 for the model
  double rtl_wall_s = 0;               // host time inside the Verilated RTL
  std::uint64_t exp_rtl_results = 0;   // of the Verilated exponential unit
  std::uint64_t exp_rtl_cycles = 0;    // of its instructions
  std::uint64_t exp_model_cycles = 0;  // of the same in the fast model
  double exp_rtl_wall_s = 0;           // host time inside it
  std::uint64_t dma_rtl_cycles = 0;    // clocked in the Verilated DMA engines, all together
  std::vector<EngineUse> engines;
  MemoryUse memory;
  std::vector<std::vector<PhaseBound>> phases;  // of each program, with their bounds
  std::vector<std::uint32_t> result;            // words of the outputs, in their order

  // First instruction to the last program's end, on the simulated clock.
  std::uint64_t duration_fs() const { return end_fs - begin_fs; }

  // Its name in the comparisons.
  std::string label() const {
    std::string result = backend;
    if (exp_backend != "model") result += ", exp " + exp_backend;
    if (dma_backend != "model") result += ", dma " + dma_backend;
    return result;
  }

  // Columns streamed per tensor cycle: 1 when the array accepts a column every cycle.
  double utilisation() const {
    return tensor_cycles == 0
               ? 0
               : static_cast<double>(tensor_columns) / static_cast<double>(tensor_cycles);
  }

  // What the array could do in the mode that was used: multiplications per second. From the most
  // that a column did: 128 x 128, or two or four times that.
  double peak_macs_per_s() const {
    constexpr double kArray = 128 * 128;
    double passes = 1;
    while (static_cast<double>(macs) > passes * kArray * static_cast<double>(tensor_columns))
      passes *= 2;
    return passes * kArray * tensor_clock_ghz * 1e9;
  }
  // Model FLOPs utilisation: multiplications over that peak, for the whole time of the programs.
  double mfu() const {
    return simulated_us > 0 ? static_cast<double>(macs) / (peak_macs_per_s() * simulated_us * 1e-6)
                            : 0;
  }
};

}  // namespace tern::app
