// SPDX-License-Identifier: Apache-2.0
// Serial port, a 16550: output only.
#pragma once

#include <stddef.h>

void uart_init(void);
void uart_write(const char* text, size_t bytes);
