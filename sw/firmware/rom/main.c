// SPDX-License-Identifier: Apache-2.0
// The boot ROM: starts the newest image that may run, or shuts the part down.
#include <string.h>

#include "sw/firmware/drivers/chip.h"
#include "sw/firmware/drivers/clock.h"
#include "sw/firmware/drivers/finisher.h"
#include "sw/firmware/drivers/flash.h"
#include "sw/firmware/drivers/uart.h"
#include "sw/firmware/include/log.h"
#include "sw/firmware/rom/verify.h"
#include "sw/spec/generated/address_map.h"

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

_Noreturn void rom_main(void) {
  const uint64_t rom_ticks = clock_now();
  uart_init();
  chip_set_phase(TERN_PHASE_ROM);
  log_line("rom: reset cause %u, %u resets", (unsigned)chip_reset_cause(), (unsigned)chip_resets());
  const uint64_t verify_ticks = clock_now();
  chip_set_phase(TERN_PHASE_VERIFY);
  // What a manifest claims decides only which slot is first.
  const unsigned first = verify_claimed_version(1) > verify_claimed_version(0) ? 1 : 0;
  for (unsigned attempt = 0; attempt < FLASH_SLOTS; ++attempt) {
    const unsigned slot = attempt == 0 ? first : 1 - first;
    struct tern_manifest manifest;
    const uint32_t error = verify_slot(slot, &manifest);
    chip_set_boot_error(chip_boot_error() | error << 8 * slot);
    if (error != TERN_BOOT_ERROR_NONE) {
      log_line("rom: slot %c refused, class %u", slot_name(slot), (unsigned)error);
      continue;
    }
    log_line("rom: slot %c verified, %u bytes", slot_name(slot), (unsigned)manifest.length);
    flash_protect(slot);
    hand_over(slot, &manifest, rom_ticks, verify_ticks);
    rom_enter(manifest.entry);
  }
  rom_shutdown();
}
