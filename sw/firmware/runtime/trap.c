// SPDX-License-Identifier: Apache-2.0
#include "sw/firmware/runtime/trap.h"

#include "sw/firmware/drivers/clock.h"
#include "sw/firmware/drivers/finisher.h"
#include "sw/firmware/drivers/plic.h"
#include "sw/firmware/include/hart.h"
#include "sw/firmware/include/log.h"
#include "sw/firmware/runtime/errors.h"
#include "sw/spec/generated/mgmt.h"

enum { TIMER = 7, EXTERNAL = 11 };
#define INTERRUPT (UINT64_C(1) << 63)

// Sources whose cause lasts until the main loop has served it. The PLIC reports such a source again
// only after its completion, so it is completed there, not in the handler.
static volatile bool mailbox_claimed, watchdog_claimed;

static void take_external(void) {
  for (uint32_t source = plic_claim(); source != 0; source = plic_claim()) {
    if (source == TERN_MGMT_IRQ_MAILBOX) {
      mailbox_claimed = true;
    } else if (source == TERN_MGMT_IRQ_WATCHDOG) {
      errors_add(TERN_ERROR_CLASS_HANG, ERRORS_OF_FIRMWARE, 0, 1);
      watchdog_claimed = true;
    } else {
      errors_take(source - TERN_MGMT_IRQ_ERROR);
      plic_complete(source);
    }
  }
}

__attribute__((interrupt("machine"), aligned(4))) static void trap_entry(void) {
  uint64_t cause, pc, value;
  __asm__ volatile("csrr %0, mcause" : "=r"(cause));
  __asm__ volatile("csrr %0, mepc" : "=r"(pc));
  __asm__ volatile("csrr %0, mtval" : "=r"(value));
  if (cause == (INTERRUPT | TIMER)) {
    clock_set_alarm(UINT64_MAX);  // who waits looks at the clock
  } else if (cause == (INTERRUPT | EXTERNAL)) {
    take_external();
  } else {
    log_line("fault: cause %u at %lx, value %lx; reset", (unsigned)cause, (unsigned long)pc,
             (unsigned long)value);
    finisher_reset();
  }
}

void trap_init(void) {
  hart_set_trap_vector(trap_entry);
  clock_set_alarm(UINT64_MAX);
  for (uint32_t c = 0; c < TERN_ERROR_CLASS_COUNT; ++c) plic_enable(TERN_MGMT_IRQ_ERROR + c);
  plic_enable(TERN_MGMT_IRQ_WATCHDOG);
  plic_enable(TERN_MGMT_IRQ_MAILBOX);
  hart_enable(HART_MIE_MTIE | HART_MIE_MEIE);
  hart_interrupts_on();
}

bool trap_mailbox_waits(void) {
  return mailbox_claimed;
}

void trap_mailbox_served(void) {
  mailbox_claimed = false;
  plic_complete(TERN_MGMT_IRQ_MAILBOX);
}

void trap_watchdog_restarted(void) {
  if (!watchdog_claimed) return;
  watchdog_claimed = false;
  plic_complete(TERN_MGMT_IRQ_WATCHDOG);
}
