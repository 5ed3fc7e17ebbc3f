// SPDX-License-Identifier: Apache-2.0
// Ends or restarts the machine.
#pragma once

#include <stdint.h>

_Noreturn void finisher_fail(uint16_t code);
_Noreturn void finisher_reset(void);
