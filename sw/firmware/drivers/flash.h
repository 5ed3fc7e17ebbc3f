// SPDX-License-Identifier: Apache-2.0
// Flash with two image slots.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { FLASH_SLOTS = 2 };

// Where a slot's bytes are for reads.
const uint8_t* flash_slot(unsigned slot);
// Nothing changes a slot until reset.
void flash_protect(unsigned slot);
// Commands at an offset in the flash; they wait until it is done. false: the flash refused.
bool flash_erase(uint32_t offset);                    // the sector, to ones
bool flash_program(uint32_t offset, uint32_t value);  // a word: clears bits
