// SPDX-License-Identifier: Apache-2.0
// The chip: training, resets, errors, and what software reports of itself (block "control").
#pragma once

#include <stdint.h>

uint32_t chip_hbm_stacks(void);
uint32_t chip_cores(void);
uint32_t chip_dies(void);
uint32_t chip_links(void);
uint64_t chip_memory_bytes(void);  // of this core
uint32_t chip_reset_cause(void);
uint32_t chip_resets(void);

void chip_set_phase(uint32_t phase);
uint32_t chip_phase(void);
void chip_set_boot_error(uint32_t errors);
uint32_t chip_boot_error(void);
void chip_set_heartbeat(uint32_t count);

void chip_start_training(unsigned unit);
uint32_t chip_training_status(unsigned unit);
uint32_t chip_training_attempts(unsigned unit);
uint32_t chip_training_margin(unsigned unit);

// A bit for each core.
void chip_hold_cores(uint32_t cores);
void chip_release_cores(uint32_t cores);
uint32_t chip_ready_cores(void);

struct chip_error {
  uint32_t count;  // since reset, of the class
  uint16_t unit;   // of the newest one
  uint64_t address;
};
void chip_enable_errors(uint32_t classes);
// The class is no longer pending; what arrives from now on makes it pending again.
void chip_clear_error(unsigned error_class);
struct chip_error chip_read_error(unsigned error_class);
