// SPDX-License-Identifier: Apache-2.0
// The power that the chip may use, in permille. The hardware moves the level in steps.
#pragma once

#include <stdint.h>

enum { POWER_FULL = 1000 };

// The largest step that the supply allows; also sets it.
uint32_t power_use_largest_step(void);
void power_set_target(uint32_t permille);
uint32_t power_target(void);
uint32_t power_level(void);
uint32_t power_interval_us(void);  // of a step
