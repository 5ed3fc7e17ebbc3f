// SPDX-License-Identifier: Apache-2.0
#include "sw/firmware/drivers/clock.h"

#include "sw/firmware/include/hart.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/mgmt.h"

enum { MTIMECMP = 0x4000, MTIME = 0xBFF8 };  // of hart 0 (ACLINT)

static volatile uint64_t* clint_register(unsigned offset) {
  return (volatile uint64_t*)((uintptr_t)TERN_MGMT_CLINT_BASE + offset);
}

uint64_t clock_now(void) {
  return *clint_register(MTIME);
}

uint64_t clock_ticks_of_us(uint64_t us) {
  return us * (TERN_MGMT_TIMEBASE_HZ / 1000000u);
}

uint64_t clock_us_of_ticks(uint64_t ticks) {
  return ticks / (TERN_MGMT_TIMEBASE_HZ / 1000000u);
}

void clock_set_alarm(uint64_t ticks) {
  *clint_register(MTIMECMP) = ticks;
}

void clock_sleep_until(uint64_t ticks) {
  // Off between the comparison and wfi: an alarm in between would be taken, and nothing would end
  // the sleep. wfi ends for a pending interrupt, which is then taken.
  hart_interrupts_off();
  while (clock_now() < ticks) {
    clock_set_alarm(ticks);
    hart_wait();
    hart_interrupts_on();
    hart_interrupts_off();
  }
  hart_interrupts_on();
}
