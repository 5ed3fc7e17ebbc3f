// SPDX-License-Identifier: Apache-2.0
// Registers on the bus.
#pragma once

#include <stdint.h>

static inline uint32_t mmio_read(uintptr_t address) {
  return *(volatile uint32_t*)address;
}

static inline void mmio_write(uintptr_t address, uint32_t value) {
  *(volatile uint32_t*)address = value;
}
