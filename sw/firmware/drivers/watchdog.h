// SPDX-License-Identifier: Apache-2.0
// Two stages: interrupt, then reset.
#pragma once

#include <stdint.h>

// From now on, until reset: it cannot be stopped.
void watchdog_start(uint32_t stage1_us, uint32_t stage2_us);
// The same, but the next program may set it anew.
void watchdog_guard(uint32_t stage1_us, uint32_t stage2_us);
// Software is alive.
void watchdog_restart(void);
