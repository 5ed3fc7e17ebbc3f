// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <systemc>

#include "systemc/mgmt/devices/backend/uart_backend.h"
#include "systemc/mgmt/devices/memory_map.h"
#include "systemc/mgmt/devices/register_device.h"
#include "systemc/mgmt/devices/uart_state.h"

namespace tern::mgmt {

// A 16550 with its serial line. Registers, times and what is left out: README.md.
class Uart16550 : public RegisterDevice {
 public:
  // Called when the interrupt line changes; after reset() and restore() in any case.
  using Line = std::function<void(bool level)>;
  using State = UartState;

  struct Config {
    std::uint64_t clock_hz = kUartClockHz;
    // Characters take the time that divisor and format give them. Otherwise none, in both
    // directions.
    bool baud_timing = false;
    // How often the backend is asked for input.
    sc_core::sc_time poll = sc_core::sc_time(1, sc_core::SC_MS);
  };

  // backend: null for an open line, otherwise it must outlive the UART.
  Uart16550(sc_core::sc_module_name name, const Config& config, UartBackend* backend, Line line);

  // A character arrives, ready or not. errors: 4 parity, 8 framing, 16 break.
  void arrive(std::uint8_t byte, std::uint8_t errors = 0);
  // With the present divisor and format.
  sc_core::sc_time character_time() const;

  void reset();
  State save() const;
  // Throws RunError for a state that no UART has.
  void restore(const State& state);

 private:
  SC_HAS_PROCESS(Uart16550);
  using Time = sc_core::sc_time;

  // Registers: uart_registers.cpp.
  Status read(std::uint64_t offset, unsigned size, const Time& at, std::uint64_t& value) override;
  Status write(std::uint64_t offset, unsigned size, const Time& at, std::uint64_t value) override;
  std::uint64_t peek(std::uint64_t offset) const override;
  void write_register(unsigned index, std::uint8_t value, const Time& at);
  void after_read(unsigned index, const Time& at);
  void write_fcr(std::uint8_t value);
  void write_mcr(std::uint8_t value);
  unsigned interrupt() const;
  std::uint8_t lsr() const;

  // The line: uart16550.cpp.
  bool divisor_access() const { return (state_.lcr & 0x80) != 0; }
  bool loopback() const { return (state_.mcr & 0x10) != 0; }
  unsigned depth() const { return state_.fifos ? UartFifo::kDepth : 1; }
  void transmit(std::uint8_t byte, const Time& at);
  void shift_next(const Time& at);
  void send(std::uint8_t byte, const Time& at);
  void accept(UartFifo::Character character, const Time& at);
  void take_received(const Time& at);
  void restart_timeout(const Time& at);
  void poll_backend(const Time& now);
  void arm_poll(const Time& at);
  void catch_up(const Time& at);
  void update(bool always = false);
  void event();

  const Config config_;
  UartBackend* const backend_;
  const Line line_;
  bool level_ = false;
  UartState state_;
  sc_core::sc_event event_;
};

}  // namespace tern::mgmt
