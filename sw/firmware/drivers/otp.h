// SPDX-License-Identifier: Apache-2.0
// Fuses.
#pragma once

#include <stdbool.h>
#include <stdint.h>

uint32_t otp_read(unsigned word);
// The number of rollback fuses: the least security version that boots.
uint32_t otp_rollback(void);
// Burns rollback fuses up to this version; false: the fuses refused.
bool otp_raise_rollback(uint32_t version);
// No more fuse is burnt until reset.
void otp_lock(void);
