// SPDX-License-Identifier: Apache-2.0
// Time of the hart (CLINT): ticks of 100 ns since reset.
#pragma once

#include <stdint.h>

uint64_t clock_now(void);

uint64_t clock_ticks_of_us(uint64_t us);
uint64_t clock_us_of_ticks(uint64_t ticks);

// The timer interrupt: at this time; there is one at a time. UINT64_MAX: never.
void clock_set_alarm(uint64_t ticks);

// Sleeps until then. Interrupts are taken meanwhile, and are on afterwards.
void clock_sleep_until(uint64_t ticks);
