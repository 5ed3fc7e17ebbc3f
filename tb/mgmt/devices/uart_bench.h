// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "systemc/mgmt/devices/backend/buffer_backend.h"
#include "systemc/mgmt/devices/uart16550.h"
#include "tb/mgmt/devices/device_bench.h"

namespace tern::tb {

// Offsets and bits of a 16550 from its data sheet, under its names.
namespace uart {
enum : unsigned {
  RBR = 0,
  THR = 0,
  DLL = 0,
  IER = 1,
  DLM = 1,
  IIR = 2,
  FCR = 2,
  LCR = 3,
  MCR = 4,
  LSR = 5,
  MSR = 6,
  SCR = 7
};
enum : unsigned { DR = 1, OE = 2, PE = 4, FE = 8, BI = 16, THRE = 32, TEMT = 64, FIFO_ERROR = 128 };
enum : unsigned {
  kNoInterrupt = 1,
  kLineStatus = 6,
  kDataAvailable = 4,
  kTimeout = 12,
  kHoldingEmpty = 2,
  kModemStatus = 0
};
}  // namespace uart

// A UART with a buffer at the other end of its line.
struct UartBench : DeviceBench {
  using Config = mgmt::Uart16550::Config;
  explicit UartBench(const Config& config)
      : DeviceBench("bench"), uart("uart", config, &buffer, line_handler()) {}
  UartBench(const Config& config, mgmt::UartBackend* backend)
      : DeviceBench("bench"), uart("uart", config, backend, line_handler()) {}
  mgmt::Uart16550::Line line_handler() {
    return [this](bool level) { lines.push_back({sc_core::sc_time_stamp(), level}); };
  }
  static Config config() {
    bench_name();
    return {};
  }
  static Config timed() {
    Config timed = config();
    timed.baud_timing = true;
    return timed;
  }
  void run(std::function<void()> body) { DeviceBench::run(uart, std::move(body)); }

  unsigned in(unsigned index, sc_core::sc_time ahead = sc_core::SC_ZERO_TIME) {
    return static_cast<unsigned>(get(index, 1, ahead));
  }
  void out(unsigned index, unsigned value, sc_core::sc_time ahead = sc_core::SC_ZERO_TIME) {
    put(index, 1, value, ahead);
  }
  unsigned iir() { return in(uart::IIR)&15; }
  bool line() const { return !lines.empty() && lines.back().level; }
  void send(std::string_view text, sc_core::sc_time ahead = sc_core::SC_ZERO_TIME) {
    for (const char c : text) out(uart::THR, static_cast<unsigned char>(c), ahead);
  }
  void arrive(std::string_view text) {
    for (const char c : text) uart.arrive(static_cast<std::uint8_t>(c));
  }

  struct Change {
    sc_core::sc_time at;
    bool level;
  };
  mgmt::BufferBackend buffer;
  std::vector<Change> lines;
  mgmt::Uart16550 uart;
};

}  // namespace tern::tb
