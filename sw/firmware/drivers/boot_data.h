// SPDX-License-Identifier: Apache-2.0
// Counts starts of each slot in the flash, so that an image that hangs does not start forever.
#pragma once

#include <stdint.h>

// Starts since the last one that was good.
uint32_t boot_data_failures(unsigned slot);
// The boot ROM is about to start this slot.
void boot_data_note_start(unsigned slot);
// The firmware of this slot has come to the end of its bring-up.
void boot_data_note_success(unsigned slot);
