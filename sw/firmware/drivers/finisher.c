// SPDX-License-Identifier: Apache-2.0
#include "sw/firmware/drivers/finisher.h"

#include "sw/firmware/include/hart.h"
#include "sw/firmware/include/mmio.h"
#include "sw/spec/generated/address_map.h"

enum { FAIL = 0x3333, RESET = 0x7777 };

static _Noreturn void finish(uint32_t value) {
  mmio_write((uintptr_t)TERN_MGMT_FINISHER_BASE, value);
  for (;;) hart_wait();
}

_Noreturn void finisher_fail(uint16_t code) {
  finish((uint32_t)code << 16 | FAIL);
}

_Noreturn void finisher_reset(void) {
  finish(RESET);
}
