// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "sw/config/wave_options.h"
#include "sw/fpga/byte_port.h"
#include "sw/spec/generated/fpga.h"

namespace tern {

// A Verilated board whose UART is a byte port. Its clock runs only while somebody waits for bytes.
class FpgaSim : public fpga::BytePort {
 public:
  static constexpr unsigned kClocksPerBit = TERN_FPGA_CLOCKS_PER_BIT;
  static constexpr unsigned kClocksPerMs = TERN_FPGA_CLOCK_KHZ;
  virtual std::uint64_t cycles() const = 0;
};

// The RTL of fpga_top, at the size of fpga_icebreaker or at 4 x 4.
std::unique_ptr<FpgaSim> make_fpga_rtl(const WaveOptions& wave = {});
std::unique_ptr<FpgaSim> make_fpga_rtl_4x4(const WaveOptions& wave = {});
// The netlist of fpga_icebreaker after synthesis. In another library: it needs Yosys to be built.
std::unique_ptr<FpgaSim> make_fpga_netlist();

}  // namespace tern
