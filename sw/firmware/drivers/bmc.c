// SPDX-License-Identifier: Apache-2.0
#include "sw/firmware/drivers/bmc.h"

#include "sw/firmware/include/mmio.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/mgmt.h"

static_assert(BMC_WORDS == TERN_REG_BMC_TABLE_COUNT, "words of the table");

void bmc_write(uint32_t word, uint32_t value) {
  mmio_write((uintptr_t)TERN_MGMT_BMC_BASE + TERN_REG_BMC_TABLE + 4 * (uintptr_t)word, value);
}

void bmc_set_attention(bool on) {
  mmio_write((uintptr_t)TERN_MGMT_BMC_BASE + TERN_REG_BMC_ATTENTION, on ? 1 : 0);
}
