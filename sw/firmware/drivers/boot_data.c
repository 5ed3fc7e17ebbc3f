// SPDX-License-Identifier: Apache-2.0
#include "sw/firmware/drivers/boot_data.h"

#include <stddef.h>
#include <string.h>

#include "sw/firmware/drivers/flash.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/mgmt.h"

static uint32_t tries_at(unsigned slot) {
  return TERN_MGMT_FLASH_DATA + (uint32_t)offsetof(struct tern_boot_data, tries) + 4 * slot;
}

static uint32_t good_at(unsigned slot) {
  return TERN_MGMT_FLASH_DATA + (uint32_t)offsetof(struct tern_boot_data, good) + 4 * slot;
}

static uint32_t read_word(uint32_t offset) {
  uint32_t word;
  memcpy(&word, (const uint8_t*)(uintptr_t)TERN_MGMT_FLASH_BASE + offset, sizeof word);
  return word;
}

static uint32_t cleared_bits(uint32_t word) {
  uint32_t count = 0;
  for (uint32_t zeros = ~word; zeros != 0; zeros &= zeros - 1) ++count;
  return count;
}

uint32_t boot_data_failures(unsigned slot) {
  const uint32_t tries = cleared_bits(read_word(tries_at(slot)));
  const uint32_t good = cleared_bits(read_word(good_at(slot)));
  return tries > good ? tries - good : 0;
}

// The lowest one of 32 bits; when none is left, the sector is erased and all counts begin anew.
void boot_data_note_start(unsigned slot) {
  uint32_t tries = read_word(tries_at(slot));
  if (tries == 0) {
    flash_erase(TERN_MGMT_FLASH_DATA);
    tries = UINT32_MAX;
  }
  flash_program(tries_at(slot), tries & (tries - 1));
}

void boot_data_note_success(unsigned slot) {
  flash_program(good_at(slot), read_word(tries_at(slot)));
}
