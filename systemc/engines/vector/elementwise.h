// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "systemc/engines/vector/engine_unit.h"

namespace tern {

// The arithmetic of the Vector, Scalar or GpSimd engine: operands are widened to FP32, every
// operation rounds once, the result is converted once. Works on operations that
// check_instruction() has let pass.
class Elementwise {
 public:
  // psum: null for an engine that does not reach PSUM; exp: null for all but the Vector engine;
  // describe: says in words which instruction an index is.
  Elementwise(unsigned queue, SbufAccess sbuf, PsumPort* psum,
              std::unique_ptr<ExpUnit> exp = nullptr, DescribeIndex describe = {});

  // Whether run() takes it.
  static bool executes(unsigned opcode);

  // Calls PsumPort::transfer, so only from an SC_THREAD when an operand lies in PSUM.
  // index: of the instruction in its queue, for messages.
  void run(const Operation& operation, unsigned index = 0);

 private:
  EngineUnit unit_;
};

}  // namespace tern
