// SPDX-License-Identifier: Apache-2.0
#include "sw/firmware/drivers/uart.h"

#include <stdint.h>

#include "sw/spec/generated/address_map.h"

// Registers of one byte (PC16550D).
enum { THR = 0, IER = 1, FCR = 2, LCR = 3, LSR = 5 };
enum { FCR_FIFOS_ON_AND_EMPTY = 7, LCR_8_BITS = 3, LSR_THR_EMPTY = 0x20 };

static volatile uint8_t* uart_register(unsigned number) {
  return (volatile uint8_t*)(uintptr_t)TERN_MGMT_UART_BASE + number;
}

void uart_init(void) {
  *uart_register(IER) = 0;
  *uart_register(FCR) = FCR_FIFOS_ON_AND_EMPTY;
  *uart_register(LCR) = LCR_8_BITS;
}

void uart_write(const char* text, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) {
    while ((*uart_register(LSR) & LSR_THR_EMPTY) == 0) {
    }
    *uart_register(THR) = (uint8_t)text[i];
  }
}
