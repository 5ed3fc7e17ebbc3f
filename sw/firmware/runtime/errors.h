// SPDX-License-Identifier: Apache-2.0
// Errors of the chip and of this firmware: counted, kept, reported.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sw/spec/generated/mgmt.h"

enum { ERRORS_OF_FIRMWARE = 0xFFFF };  // unit

// Interrupt handlers: a class of the chip has new errors; an error of another source.
void errors_take(uint32_t error_class);
void errors_add(uint32_t error_class, uint16_t unit, uint64_t address, uint32_t count);

// Main loop: the classes interrupt from now on.
void errors_enable(void);
// Writes what is new to the serial port; true: there was something.
bool errors_report(void);
bool errors_are_new(void);

uint32_t errors_count(uint32_t error_class);
void errors_clear(uint32_t classes);
// The entry with this number, or the oldest one after it that is kept; false: there is none.
bool errors_entry(uint32_t number, struct tern_error_entry* entry);
