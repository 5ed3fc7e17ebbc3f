// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/app/kinds/qos/qos_workload.h"
#include "sw/config/chip_config.h"
#include "sw/runtime/executable.h"

namespace tern::app {

// The program of one core for one batch. Its queues:
//   vector  gate; per layer: waits for the exchange before and for the weights, computes
//   sync    per layer: triggers the exchange; a nop when the pieces of all others are there
//   gpsimd  per layer: triggers the weights of the layer after the next, when their buffer is free
//   scalar  per layer: a nop when the weights are there
// The host opens the gate (qos_gate()) when all cores are ready. Tensor "weights": two layers'.
// UserError when the buffers do not fit into SBUF.
Executable qos_program(const QosWorkload& workload, const ChipConfig& chip, unsigned batch,
                       unsigned core);

// Semaphore that the host sets to 1.
constexpr unsigned kQosGate = 10;

}  // namespace tern::app
