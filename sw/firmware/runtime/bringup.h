// SPDX-License-Identifier: Apache-2.0
// From the entry of the firmware to a chip that is ready.
#pragma once

#include <stdint.h>

// The sequence: HBM, link between the dies, cores, power.
void bringup_run(void);
// Reports the result: phase ready or degraded.
void bringup_announce(void);
// Trains units first .. first + count - 1 of this mask (bit 0: first), again where it fails.
// Returns those that passed.
uint32_t bringup_train(const char* name, unsigned first, unsigned count, uint32_t mask);
// Holds these cores in reset and releases those that may run. Returns the ones that are ready.
uint32_t bringup_reset_cores(uint32_t cores);
