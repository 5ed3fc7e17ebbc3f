// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

// CRC-32C (Castagnoli) of bytes, bit by bit: 0x1EDC6F41 reflected, all ones before and after.
uint32_t crc32c(const void* data, uint32_t bytes);
