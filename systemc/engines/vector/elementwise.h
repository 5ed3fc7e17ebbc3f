// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "systemc/engines/vector/engine_unit.h"

namespace tern {

// The arithmetic of the Vector, Scalar or GpSimd engine: operands are widened to FP32, every
// operation rounds once, the result is converted once. Operations have passed check_instruction().
class Elementwise {
 public:
  // The units that only the Vector engine has.
  struct Units {
    std::unique_ptr<ExpUnit> exp;
    std::unique_ptr<MxUnit> mx;
  };
  // psum: null for an engine that does not reach PSUM; describe: the text for the instruction with
  // an index.
  Elementwise(unsigned queue, SbufAccess sbuf, PsumPort* psum, Units units,
              DescribeIndex describe = {});

  // Whether run() executes it.
  static bool executes(unsigned opcode);

  // Calls PsumPort::transfer, so only from an SC_THREAD when an operand is in PSUM.
  // index: of the instruction in its queue, for messages. let_interval_pass: waits until the engine
  // is free for the next instruction; used where a unit works meanwhile.
  void run(const Operation& operation, unsigned index = 0,
           const std::function<void()>& let_interval_pass = {});

  // For a snapshot, between instructions.
  void archive_state(base::StateArchive& archive) {
    unit_.accumulators.archive_state(archive);
    unit_.random.archive_state(archive);
  }

 private:
  EngineUnit unit_;
};

}  // namespace tern
