// SPDX-License-Identifier: Apache-2.0
// Hardware loops: the author's iterations are recorded one by one, folded into one body
// (loop_fold.h), and written with waits that are correct in every iteration (loop_writer.h).
#include <algorithm>

#include "sw/base/user_error.h"
#include "sw/kernels/builder/builder_loops.h"
#include "sw/kernels/builder/loop_writer.h"

namespace tern::kernels {

namespace {

[[noreturn]] void fail(SourceLine where, const std::string& message) {
  throw UserError(where.text() + ": loop: " + message);
}

bool is_zero(const tern_instr_extend_t& extension) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(&extension);
  return std::all_of(bytes, bytes + sizeof extension, [](std::uint8_t byte) { return byte == 0; });
}

}  // namespace

void LoopCalls::loop(unsigned count, const std::function<void(unsigned iteration)>& body,
                     SourceLine where) {
  if (iteration_ != nullptr) fail(where, "inside another loop");
  if (group_.cores > 1) fail(where, "not in a program that works with other cores");
  std::vector<LoopIteration> iterations(count);
  struct Recording {
    explicit Recording(LoopIteration** target) : iteration(target) {}
    ~Recording() { *iteration = nullptr; }
    LoopIteration** iteration;
  };
  {
    const Recording recording(&iteration_);
    for (unsigned t = 0; t < count; ++t) {
      iteration_ = &iterations[t];
      body(t);
    }
  }
  if (count < 2) {
    for (const LoopIteration& iteration : iterations) write_iteration(iteration);
    return;
  }
  std::string reason;
  const auto folded = fold_loop(iterations, &reason);
  if (!folded) {
    fail(where,
         reason.empty() ? "expected a number of iterations that its period divides" : reason);
  }
  if (folded->iterations[0].empty()) return;
  LoopWriter(this, *folded, where).write();
}

// Without a loop, in sequence.
void LoopCalls::write_iteration(const LoopIteration& iteration) {
  for (const LoopStep& step : iteration) {
    if (step.transfer) {
      transfer(step.transfer->tile, step.transfer->tensor, step.transfer->direction, {},
               step.where);
    } else {
      emit(step.queue, step.instruction, step.name, step.accesses, step.where,
           is_zero(step.extension) ? nullptr : &step.extension);
    }
  }
}

}  // namespace tern::kernels
