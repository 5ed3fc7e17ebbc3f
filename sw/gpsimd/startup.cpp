// SPDX-License-Identifier: Apache-2.0
// What happens before and after tern_main().
#include "sw/gpsimd/tern_gpsimd.h"

extern "C" {

using Constructor = void (*)();
extern const Constructor __init_array_start[];
extern const Constructor __init_array_end[];

// Stops like a breakpoint, with the address in the message.
[[noreturn]] void abort() {
  for (;;) asm volatile("ebreak");
}

[[noreturn]] void _exit(int status) {
  for (;;) {
    tern_gpsimd::device_register(TERN_REG_GPSIMD_EXIT) = static_cast<uint32_t>(status);
  }
}

[[noreturn]] void tern_start(uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3, uint32_t a4,
                             uint32_t a5, uint32_t a6, uint32_t a7) {
  for (const Constructor* call = __init_array_start; call != __init_array_end; ++call) (*call)();
  _exit(tern_main(a0, a1, a2, a3, a4, a5, a6, a7));
}

}  // extern "C"
