// SPDX-License-Identifier: Apache-2.0
#include "sw/firmware/runtime/crc32c.h"

#define POLYNOMIAL UINT32_C(0x82F63B78)

uint32_t crc32c(const void* data, uint32_t bytes) {
  const uint8_t* const byte = data;
  uint32_t crc = UINT32_MAX;
  for (uint32_t i = 0; i < bytes; ++i) {
    crc ^= byte[i];
    for (unsigned bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? POLYNOMIAL : 0);
  }
  return ~crc;
}
