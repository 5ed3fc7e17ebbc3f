// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <systemc>

#include "systemc/mgmt/devices/uart_fifo.h"

namespace tern::mgmt {

// Characters in the FIFO that raise the interrupt, by FCR 7:6.
constexpr std::array<std::uint8_t, 4> kUartTriggers = {1, 4, 8, 14};

// All of a UART but the lines it drives. Times: of the simulation in a running UART, from now on in
// a snapshot; sc_max_time(): never.
struct UartState {
  std::uint8_t ier = 0, lcr = 0, mcr = 0, scr = 0;
  bool fifos = false;
  std::uint8_t trigger = kUartTriggers[0];
  std::uint16_t divisor = 12;
  std::uint8_t modem = 0xB0;    // MSR 7:4: a cable with CTS, DSR and DCD
  std::uint8_t changes = 0;     // MSR 3:0
  std::uint8_t errors = 0;      // LSR 4:1
  bool transmit_event = false;  // THRE interrupt, not acknowledged
  bool timed_out = false;       // received characters have waited
  UartFifo received, waiting;   // waiting: to be transmitted
  bool shifting = false;
  std::uint8_t shifted = 0;  // the character on the line
  sc_core::sc_time shift_end = sc_core::sc_max_time();
  sc_core::sc_time timeout = sc_core::sc_max_time();
  sc_core::sc_time poll = sc_core::sc_max_time();
};

}  // namespace tern::mgmt
