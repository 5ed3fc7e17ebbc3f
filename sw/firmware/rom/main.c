// SPDX-License-Identifier: Apache-2.0
// The boot ROM: starts the newest image that may run, or shuts the part down.
#include <stdbool.h>
#include <string.h>

#include "sw/firmware/drivers/boot_data.h"
#include "sw/firmware/drivers/chip.h"
#include "sw/firmware/drivers/clock.h"
#include "sw/firmware/drivers/finisher.h"
#include "sw/firmware/drivers/flash.h"
#include "sw/firmware/drivers/uart.h"
#include "sw/firmware/drivers/watchdog.h"
#include "sw/firmware/include/log.h"
#include "sw/firmware/rom/verify.h"
#include "sw/spec/generated/address_map.h"

// What is written again in rom/start.S and runtime/runtime.ld.
static_assert(TERN_MGMT_MEMORY_BASE + TERN_MGMT_ROM_SCRATCH == 0x80020000, "end of the ROM's part");

enum { GUARD_US = 500000 };  // of each stage, until an image sets the watchdog itself

_Noreturn void rom_enter(uint64_t entry);

static char slot_name(unsigned slot) {
  return (char)('A' + slot);
}

// A class for each slot: enough for the factory, little for an attacker.
_Noreturn void rom_shutdown(void) {
  const uint32_t errors = chip_boot_error();
  chip_set_phase(TERN_PHASE_SHUTDOWN);
  log_line("rom: shutdown, code %04x", (unsigned)errors);
  finisher_fail((uint16_t)errors);
}

static void hand_over(unsigned slot, const struct tern_manifest* manifest, uint64_t rom_ticks,
                      uint64_t verify_ticks) {
  struct tern_boot_record record;
  memset(&record, 0, sizeof record);
  record.magic = TERN_MGMT_BOOT_RECORD_MAGIC;
  record.slot = slot;
  record.security_version = manifest->security_version;
  record.version = manifest->version;
  record.errors = chip_boot_error();
  record.reset_cause = chip_reset_cause();
  record.rom_ticks = rom_ticks;
  record.verify_ticks = verify_ticks;
  memcpy((void*)(uintptr_t)TERN_MGMT_MEMORY_BASE, &record, sizeof record);
}

static bool has_failed_often(unsigned slot) {
  return boot_data_failures(slot) >= TERN_MGMT_BOOT_ATTEMPTS;
}

// What a manifest claims decides only the order. A slot that never gets to its end comes last.
static unsigned choose_first(void) {
  const unsigned first = verify_claimed_version(1) > verify_claimed_version(0) ? 1 : 0;
  if (!has_failed_often(first) || has_failed_often(1 - first)) return first;
  chip_set_boot_error(chip_boot_error() | TERN_BOOT_ERROR_ATTEMPTS << 8 * first);
  log_line("rom: slot %c did not come to its end %u times", slot_name(first),
           (unsigned)boot_data_failures(first));
  return 1 - first;
}

_Noreturn void rom_main(void) {
  const uint64_t rom_ticks = clock_now();
  uart_init();
  chip_set_phase(TERN_PHASE_ROM);
  log_line("rom: reset cause %u, %u resets", (unsigned)chip_reset_cause(), (unsigned)chip_resets());
  const uint64_t verify_ticks = clock_now();
  chip_set_phase(TERN_PHASE_VERIFY);
  const unsigned first = choose_first();
  for (unsigned attempt = 0; attempt < FLASH_SLOTS; ++attempt) {
    const unsigned slot = attempt == 0 ? first : 1 - first;
    struct tern_manifest manifest;
    const uint32_t error = verify_slot(slot, &manifest);
    if (error != TERN_BOOT_ERROR_NONE) {
      chip_set_boot_error((chip_boot_error() & ~(0xffu << 8 * slot)) | error << 8 * slot);
      log_line("rom: slot %c refused, class %u", slot_name(slot), (unsigned)error);
      continue;
    }
    log_line("rom: slot %c verified, %u bytes", slot_name(slot), (unsigned)manifest.length);
    flash_protect(slot);
    watchdog_guard(GUARD_US, GUARD_US);
    boot_data_note_start(slot);
    hand_over(slot, &manifest, rom_ticks, verify_ticks);
    rom_enter(manifest.entry);
  }
  rom_shutdown();
}
