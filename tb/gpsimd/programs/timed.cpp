// SPDX-License-Identifier: Apache-2.0
// Instructions of known cost between two reads of the cycle counter. Argument 0 is the number of
// repetitions of a load from local memory, one from SBUF, a store and four others (with the loop's
// two).
#include "sw/gpsimd/tern_gpsimd.h"

extern "C" int tern_main(uint32_t iterations, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,
                         uint32_t, uint32_t) {
  using namespace tern_gpsimd;
  uint32_t local = 0;
  uint32_t* sbuf = partition<uint32_t>(0);
  const uint64_t begin = cycles();
  asm volatile(
      "1:\n\t"
      "lw t0, 0(%1)\n\t"
      "lw t1, 0(%2)\n\t"
      "add t0, t0, t1\n\t"
      "addi t0, t0, 1\n\t"
      "sw t0, 0(%1)\n\t"
      "addi %0, %0, -1\n\t"
      "bnez %0, 1b"
      : "+r"(iterations)
      : "r"(&local), "r"(sbuf)
      : "t0", "t1", "memory");
  *partition<uint32_t>(1) = static_cast<uint32_t>(cycles() - begin);
  return 0;
}
