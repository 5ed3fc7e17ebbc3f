// SPDX-License-Identifier: Apache-2.0
// The table that the board management controller reads.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { BMC_WORDS = 256 };

void bmc_write(uint32_t word, uint32_t value);
// Asks the controller to look.
void bmc_set_attention(bool on);
