// SPDX-License-Identifier: Apache-2.0
// The management firmware: brings the chip up, then serves it.
#include <string.h>

#include "sw/firmware/drivers/boot_data.h"
#include "sw/firmware/drivers/chip.h"
#include "sw/firmware/drivers/clock.h"
#include "sw/firmware/drivers/finisher.h"
#include "sw/firmware/drivers/flash.h"
#include "sw/firmware/drivers/otp.h"
#include "sw/firmware/drivers/watchdog.h"
#include "sw/firmware/include/hart.h"
#include "sw/firmware/include/log.h"
#include "sw/firmware/runtime/bringup.h"
#include "sw/firmware/runtime/commands.h"
#include "sw/firmware/runtime/errors.h"
#include "sw/firmware/runtime/health.h"
#include "sw/firmware/runtime/service.h"
#include "sw/firmware/runtime/trap.h"
#include "sw/spec/generated/address_map.h"

enum { TICK_US = 1000, WATCHDOG_US = 100000 };

static struct tern_boot_record read_boot_record(void) {
  struct tern_boot_record record;
  memcpy(&record, (const void*)(uintptr_t)TERN_MGMT_MEMORY_BASE, sizeof record);
  if (record.magic != TERN_MGMT_BOOT_RECORD_MAGIC) memset(&record, 0, sizeof record);
  record.slot %= FLASH_SLOTS;
  return record;
}

// An image that has come to the end of the sequence is good: older ones never boot again.
static void commit(unsigned slot, uint32_t security_version) {
  boot_data_note_success(slot);
  if (!otp_raise_rollback(security_version)) log_line("rollback fuses refused");
  otp_lock();
}

// Until a handler has something for the main loop, or the tick is due.
static void wait_for_work(uint64_t tick) {
  hart_interrupts_off();
  if (!trap_mailbox_waits() && !errors_are_new() && clock_now() < tick) {
    clock_set_alarm(tick);
    hart_wait();
  }
  hart_interrupts_on();
}

_Noreturn static void serve(void) {
  const uint64_t period = clock_ticks_of_us(TICK_US);
  uint64_t tick = clock_now();
  for (;;) {
    if (clock_now() >= tick) {
      watchdog_restart();
      trap_watchdog_restarted();
      health_tick();
      tick += period;
    }
    errors_report();
    if (trap_mailbox_waits()) {
      service_answer();
      trap_mailbox_served();
    }
    wait_for_work(tick);
  }
}

void runtime_main(void) {
  chip_set_phase(TERN_PHASE_RUNTIME);
  const struct tern_boot_record record = read_boot_record();
  log_line("tern firmware %u.%u.%u, security version %u, slot %c", (unsigned)(record.version >> 24),
           (unsigned)(record.version >> 16 & 0xFF), (unsigned)(record.version & 0xFFFF),
           (unsigned)record.security_version, (char)('A' + record.slot));
  command_set_boot_record(&record);
  trap_init();
  watchdog_start(WATCHDOG_US, WATCHDOG_US);
  if (record.reset_cause == TERN_RESET_CAUSE_WATCHDOG) {
    hart_interrupts_off();
    errors_add(TERN_ERROR_CLASS_HANG, ERRORS_OF_FIRMWARE, TERN_RESET_CAUSE_WATCHDOG, 1);
    hart_interrupts_on();
  }
  bringup_run();
  commit(record.slot, record.security_version);
  bringup_announce();
  serve();
}
