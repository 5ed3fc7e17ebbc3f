// SPDX-License-Identifier: Apache-2.0
#include "sw/firmware/drivers/chip.h"

#include "sw/firmware/include/mmio.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/mgmt.h"

static uint32_t get(uint32_t offset) {
  return mmio_read((uintptr_t)TERN_MGMT_CONTROL_BASE + offset);
}

static void put(uint32_t offset, uint32_t value) {
  mmio_write((uintptr_t)TERN_MGMT_CONTROL_BASE + offset, value);
}

uint32_t chip_hbm_stacks(void) {
  return get(TERN_REG_CONTROL_HBM_STACKS);
}

uint32_t chip_cores(void) {
  return get(TERN_REG_CONTROL_CORES);
}

uint32_t chip_dies(void) {
  return get(TERN_REG_CONTROL_DIES);
}

uint32_t chip_links(void) {
  return get(TERN_REG_CONTROL_LINKS);
}

uint64_t chip_memory_bytes(void) {
  return get(TERN_REG_CONTROL_MEMORY_BYTES);
}

uint32_t chip_reset_cause(void) {
  return get(TERN_REG_CONTROL_RESET_CAUSE);
}

uint32_t chip_resets(void) {
  return get(TERN_REG_CONTROL_RESETS);
}

void chip_set_phase(uint32_t phase) {
  put(TERN_REG_CONTROL_PHASE, phase);
}

uint32_t chip_phase(void) {
  return get(TERN_REG_CONTROL_PHASE);
}

void chip_set_boot_error(uint32_t errors) {
  put(TERN_REG_CONTROL_BOOT_ERROR, errors);
}

uint32_t chip_boot_error(void) {
  return get(TERN_REG_CONTROL_BOOT_ERROR);
}

void chip_set_heartbeat(uint32_t count) {
  put(TERN_REG_CONTROL_HEARTBEAT, count);
}

void chip_start_training(unsigned unit) {
  put(TERN_REG_CONTROL_TRAINING_START + unit * TERN_REG_CONTROL_TRAINING_START_STRIDE, 1);
}

uint32_t chip_training_status(unsigned unit) {
  return get(TERN_REG_CONTROL_TRAINING_STATUS + unit * TERN_REG_CONTROL_TRAINING_STATUS_STRIDE);
}

uint32_t chip_training_attempts(unsigned unit) {
  return get(TERN_REG_CONTROL_TRAINING_ATTEMPTS + unit * TERN_REG_CONTROL_TRAINING_ATTEMPTS_STRIDE);
}

uint32_t chip_training_margin(unsigned unit) {
  return get(TERN_REG_CONTROL_TRAINING_MARGIN + unit * TERN_REG_CONTROL_TRAINING_MARGIN_STRIDE);
}

void chip_hold_cores(uint32_t cores) {
  put(TERN_REG_CONTROL_CORE_RESET, get(TERN_REG_CONTROL_CORE_RESET) | cores);
}

void chip_release_cores(uint32_t cores) {
  put(TERN_REG_CONTROL_CORE_RESET, get(TERN_REG_CONTROL_CORE_RESET) & ~cores);
}

uint32_t chip_ready_cores(void) {
  return get(TERN_REG_CONTROL_CORE_READY);
}

void chip_enable_errors(uint32_t classes) {
  put(TERN_REG_CONTROL_ERROR_ENABLE, classes);
}

void chip_clear_error(unsigned error_class) {
  put(TERN_REG_CONTROL_ERROR_PENDING, UINT32_C(1) << error_class);
}

struct chip_error chip_read_error(unsigned error_class) {
  const uint32_t from = error_class * TERN_REG_CONTROL_ERROR_COUNT_STRIDE;
  struct chip_error error;
  error.count = get(TERN_REG_CONTROL_ERROR_COUNT + from);
  error.unit = (uint16_t)get(TERN_REG_CONTROL_ERROR_UNIT + from);
  error.address = (uint64_t)get(TERN_REG_CONTROL_ERROR_ADDRESS_HIGH + from) << 32 |
                  get(TERN_REG_CONTROL_ERROR_ADDRESS_LOW + from);
  return error;
}
