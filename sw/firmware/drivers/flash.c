// SPDX-License-Identifier: Apache-2.0
#include "sw/firmware/drivers/flash.h"

#include "sw/firmware/drivers/clock.h"
#include "sw/firmware/include/hart.h"
#include "sw/firmware/include/mmio.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/mgmt.h"

enum { PATIENCE_US = 50000 };  // less than the watchdog's

const uint8_t* flash_slot(unsigned slot) {
  return (const uint8_t*)(uintptr_t)TERN_MGMT_FLASH_BASE + slot * TERN_MGMT_FLASH_SLOT;
}

static uintptr_t flash_register(uint32_t offset) {
  return (uintptr_t)TERN_MGMT_FLASH_CONTROL_BASE + offset;
}

void flash_protect(unsigned slot) {
  mmio_write(flash_register(TERN_REG_FLASH_PROTECT), UINT32_C(1) << slot);
}

static bool command(uint32_t code, uint32_t offset) {
  mmio_write(flash_register(TERN_REG_FLASH_ADDRESS), offset);
  mmio_write(flash_register(TERN_REG_FLASH_COMMAND), TERN_MGMT_FLASH_KEY | code);
  const uint64_t end = clock_now() + clock_ticks_of_us(PATIENCE_US);
  uint32_t status;
  do {
    hart_pause();
    status = mmio_read(flash_register(TERN_REG_FLASH_STATUS));
  } while ((status & TERN_REG_FLASH_STATUS_BUSY_MASK) != 0 && clock_now() < end);
  return (status & (TERN_REG_FLASH_STATUS_BUSY_MASK | TERN_REG_FLASH_STATUS_ERROR_MASK)) == 0;
}

bool flash_erase(uint32_t offset) {
  return command(1, offset);
}

bool flash_program(uint32_t offset, uint32_t value) {
  mmio_write(flash_register(TERN_REG_FLASH_DATA), value);
  return command(2, offset);
}
