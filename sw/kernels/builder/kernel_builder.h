// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/kernels/builder/builder_loops.h"

namespace tern::kernels {

// Writes the program of one NeuronCore. Functions append one instruction each, in program order;
// the builder places tiles, inserts the semaphore waits that data dependences need, and checks
// every documented limit. Errors are UserErrors that begin with the caller's source line. Each
// class of the chain below it has the functions of one kind.
class KernelBuilder : public LoopCalls {
 public:
  using LoopCalls::LoopCalls;

  // Waits for everything on every queue, halts, and hands the program over. The builder is empty
  // afterwards.
  Executable finish(SourceLine where = SourceLine::here());
};

}  // namespace tern::kernels
