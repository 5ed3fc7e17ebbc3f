// SPDX-License-Identifier: Apache-2.0
#include "sw/firmware/drivers/flash.h"

#include "sw/firmware/include/mmio.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/mgmt.h"

const uint8_t* flash_slot(unsigned slot) {
  return (const uint8_t*)(uintptr_t)TERN_MGMT_FLASH_BASE + slot * TERN_MGMT_FLASH_SLOT;
}

void flash_protect(unsigned slot) {
  mmio_write((uintptr_t)TERN_MGMT_FLASH_CONTROL_BASE + TERN_REG_FLASH_PROTECT, UINT32_C(1) << slot);
}
