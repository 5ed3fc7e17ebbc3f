// SPDX-License-Identifier: Apache-2.0
// A program with every kind of failure. Argument 0: which; argument 1: the processor that does it
// (others end well), or 8 for all.
#include <stdlib.h>

#include "sw/gpsimd/tern_gpsimd.h"
#include "tb/gpsimd/programs/misbehaviour.h"

namespace {

using namespace tern_gpsimd;

#define APART __attribute__((noinline))

// The loads and stores before the bad one check that the right instruction is named.
APART int stray_load(volatile uint32_t* local) {
  local[0] = 1;
  local[1] = local[0] + 1;
  return static_cast<int>(*reinterpret_cast<volatile uint32_t*>(0x30000000) + local[1]);
}
APART void stray_store(volatile uint32_t* local) {
  local[0] = local[1];
  *reinterpret_cast<volatile uint32_t*>(0x20000000 + 16 * 0x40000) = local[0];
}
APART int null_pointer() {
  volatile uintptr_t nothing = 0;
  return *reinterpret_cast<volatile int*>(nothing);
}
APART void write_code(volatile uint32_t* local) {
  local[0] = 1;
  reinterpret_cast<volatile uint32_t*>(&write_code)[0] = local[0];
}
APART void misaligned(volatile uint32_t* local) {
  local[0] = 1;
  asm volatile("addi t0, %0, 2\n\tsw zero, 0(t0)" : : "r"(local) : "t0", "memory");
}
APART void wild_jump() {
  volatile uintptr_t target = 0x20000000;
  reinterpret_cast<void (*)()>(target)();
}
APART void illegal() {
  asm volatile("nop\n\t.word 0xffffffff");
}
APART void breakpoint() {
  asm volatile("nop\n\tebreak\n\tnop");
}
APART void endless() {
  for (;;) asm volatile("");
}
APART int deep(volatile int* depth) {
  volatile int room[64] = {};
  room[0] = ++*depth;
  return *depth == 0 ? 0 : deep(depth) + room[0];
}
APART void wait_for_interrupt() {
  asm volatile("wfi");
}
APART void odd_register() {
  *reinterpret_cast<volatile uint8_t*>(TERN_GPSIMD_REGISTERS_BASE) = 1;
}
APART void environment_call() {
  asm volatile("ecall");
}

}  // namespace

extern "C" int tern_main(uint32_t what, uint32_t who, uint32_t, uint32_t, uint32_t, uint32_t,
                         uint32_t, uint32_t) {
  *partition<uint32_t>(0) = 0x600d0000 + processor();
  if (who < 8 && who != processor()) return 0;
  volatile uint32_t local[2] = {};
  switch (what) {
    case tern_tb::kStrayLoad:
      return stray_load(local);
    case tern_tb::kStrayStore:
      stray_store(local);
      break;
    case tern_tb::kNullPointer:
      return null_pointer();
    case tern_tb::kWriteCode:
      write_code(local);
      break;
    case tern_tb::kMisaligned:
      misaligned(local);
      break;
    case tern_tb::kWildJump:
      wild_jump();
      break;
    case tern_tb::kIllegal:
      illegal();
      break;
    case tern_tb::kBreakpoint:
      breakpoint();
      break;
    case tern_tb::kEndless:
      endless();
      break;
    case tern_tb::kStackOverflow: {
      volatile int depth = 0;
      return deep(&depth);
    }
    case tern_tb::kWait:
      wait_for_interrupt();
      break;
    case tern_tb::kOddRegister:
      odd_register();
      break;
    case tern_tb::kEnvironmentCall:
      environment_call();
      break;
    case tern_tb::kStatus:
      return 42;
    case tern_tb::kAbort:
      abort();
  }
  return 0;
}
