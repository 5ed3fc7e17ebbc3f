// SPDX-License-Identifier: Apache-2.0
#include "sw/firmware/drivers/power.h"

#include "sw/firmware/include/mmio.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/mgmt.h"

static uintptr_t power_register(uint32_t offset) {
  return (uintptr_t)TERN_MGMT_POWER_BASE + offset;
}

uint32_t power_use_largest_step(void) {
  const uint32_t step = mmio_read(power_register(TERN_REG_POWER_MAX_STEP));
  mmio_write(power_register(TERN_REG_POWER_STEP), step);
  return step;
}

void power_set_target(uint32_t permille) {
  mmio_write(power_register(TERN_REG_POWER_TARGET), permille);
}

uint32_t power_target(void) {
  return mmio_read(power_register(TERN_REG_POWER_TARGET));
}

uint32_t power_level(void) {
  return mmio_read(power_register(TERN_REG_POWER_LEVEL));
}

uint32_t power_interval_us(void) {
  return mmio_read(power_register(TERN_REG_POWER_INTERVAL_US));
}
