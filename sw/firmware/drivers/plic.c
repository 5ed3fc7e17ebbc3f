// SPDX-License-Identifier: Apache-2.0
#include "sw/firmware/drivers/plic.h"

#include "sw/firmware/include/mmio.h"
#include "sw/spec/generated/address_map.h"

// RISC-V PLIC 1.0.0; context 0 is hart 0 in M mode.
enum { PRIORITY = 0, ENABLE = 0x2000, THRESHOLD = 0x200000, CLAIM = 0x200004 };

static uintptr_t plic_register(uint32_t offset) {
  return (uintptr_t)TERN_MGMT_PLIC_BASE + offset;
}

void plic_enable(uint32_t source) {
  const uintptr_t enable = plic_register(ENABLE + source / 32 * 4);
  mmio_write(plic_register(PRIORITY + 4 * source), 1);
  mmio_write(enable, mmio_read(enable) | UINT32_C(1) << source % 32);
  mmio_write(plic_register(THRESHOLD), 0);
}

uint32_t plic_claim(void) {
  return mmio_read(plic_register(CLAIM));
}

void plic_complete(uint32_t source) {
  mmio_write(plic_register(CLAIM), source);
}
