// SPDX-License-Identifier: Apache-2.0
// Interrupts of devices, for hart 0 in M mode.
#pragma once

#include <stdint.h>

void plic_enable(uint32_t source);
// The source to serve; 0: none. It is not reported again until plic_complete().
uint32_t plic_claim(void);
void plic_complete(uint32_t source);
