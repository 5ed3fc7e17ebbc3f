// SPDX-License-Identifier: Apache-2.0
#include "sw/firmware/drivers/watchdog.h"

#include "sw/firmware/include/mmio.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/mgmt.h"

static void put(uint32_t offset, uint32_t value) {
  mmio_write((uintptr_t)TERN_MGMT_WATCHDOG_BASE + offset, value);
}

static void start(uint32_t stage1_us, uint32_t stage2_us, uint32_t control) {
  put(TERN_REG_WATCHDOG_STAGE1_US, stage1_us);
  put(TERN_REG_WATCHDOG_STAGE2_US, stage2_us);
  put(TERN_REG_WATCHDOG_CONTROL, control);
}

void watchdog_start(uint32_t stage1_us, uint32_t stage2_us) {
  start(stage1_us, stage2_us,
        TERN_REG_WATCHDOG_CONTROL_ENABLE_MASK | TERN_REG_WATCHDOG_CONTROL_LOCK_MASK);
}

void watchdog_guard(uint32_t stage1_us, uint32_t stage2_us) {
  start(stage1_us, stage2_us, TERN_REG_WATCHDOG_CONTROL_ENABLE_MASK);
}

void watchdog_restart(void) {
  put(TERN_REG_WATCHDOG_RESTART, TERN_MGMT_WATCHDOG_KEY);
}
