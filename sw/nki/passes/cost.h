// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "sw/config/chip_config.h"
#include "sw/nki/trace/instruction.h"

namespace tern::nki {

// What an instruction takes, estimated by the documented formulas (docs/fidelity.md): for their
// order alone.
struct Cost {
  unsigned queue = 0;      // TERN_QUEUE_*; of a transfer: its trigger's
  double interval_ns = 0;  // the engine, or the queue, is busy
  double latency_ns = 0;   // after that, until another queue goes on
  bool activates = false;  // Scalar may have to load the function's tables
  Activation function = {};

  struct Transfer {
    double data_ns = 0;       // the DMA engines
    double generator_ns = 0;  // a generator of descriptors; 0: the host has made them
    double start_ns = 0;      // from the trigger to the first data
    bool either = false;      // the generator may be that of Sync or of Scalar
  };
  std::optional<Transfer> transfer;
};

// Elements a cycle of tensor_copy and tensor_scalar on this engine.
double copy_rate(const Instruction& instruction, Engine engine, const ChipConfig& chip);

Cost cost_of(const Instruction& instruction, const ChipConfig& chip);

}  // namespace tern::nki
