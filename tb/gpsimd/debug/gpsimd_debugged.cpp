// SPDX-License-Identifier: Apache-2.0
// Programs of GpSimd that wait for GDB at any free port: one on processors 1 and 6, one that strays
// on processor 2. Prints what came out.
#include <cstdio>
#include <exception>

#include "misbehave_blob.h"
#include "systemc/gpsimd/custom_operator.h"
#include "systemc/gpsimd/debug/debugger.h"
#include "tb/gpsimd/programs/misbehaviour.h"
#include "tb/gpsimd/sbuf_memory.h"
#include "timed_blob.h"

int main() {
  using namespace tern;
  try {
    tb::SbufMemory sbuf;
    gpsimd::Debugger debugger(0);
    gpsimd::CustomOperator custom(sbuf.window(), {150, 3, 8, 100'000'000}, {}, &debugger);
    tern_instr_custom_op_t instruction{};
    instruction.cores = 0b01000010;
    instruction.args[0] = 100;
    const gpsimd::CustomResult timed = custom.run(instruction, gpsimd_blob::timed());
    std::printf("timed: %llu cycles, fault %u, marked %u\n",
                static_cast<unsigned long long>(timed.cycles), timed.fault.reason,
                sbuf.words(6 * 16 + 2, 0, 1)[0]);
    instruction.cores = 0b00000100;
    instruction.args[0] = tern_tb::kStrayStore;
    instruction.args[1] = 8;
    const gpsimd::CustomResult stray = custom.run(instruction, gpsimd_blob::misbehave());
    std::printf("stray: fault %u at %#x\n", stray.fault.reason, stray.fault.pc);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
