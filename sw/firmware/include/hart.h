// SPDX-License-Identifier: Apache-2.0
// What only instructions can do.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define HART_MSTATUS_MIE UINT64_C(8)
#define HART_MIE_MTIE UINT64_C(0x80)
#define HART_MIE_MEIE UINT64_C(0x800)

static inline void hart_interrupts_on(void) {
  __asm__ volatile("csrs mstatus, %0" ::"r"(HART_MSTATUS_MIE) : "memory");
}

static inline void hart_interrupts_off(void) {
  __asm__ volatile("csrc mstatus, %0" ::"r"(HART_MSTATUS_MIE) : "memory");
}

// Which interrupts the hart takes.
static inline void hart_enable(uint64_t lines) {
  __asm__ volatile("csrs mie, %0" ::"r"(lines) : "memory");
}

// Sleeps until an enabled interrupt is pending, also while interrupts are off.
static inline void hart_wait(void) {
  __asm__ volatile("wfi" ::: "memory");
}

static inline void hart_set_trap_vector(void (*entry)(void)) {
  __asm__ volatile("csrw mtvec, %0" ::"r"(entry) : "memory");
}

// Code that was written as data may now be executed.
static inline void hart_fence_code(void) {
  __asm__ volatile("fence.i" ::: "memory");
}
