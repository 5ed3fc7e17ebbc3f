// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "sw/config/wave_options.h"
#include "sw/fpga/byte_port.h"

namespace tern {

// A Verilated board whose UART is a byte port. Its clock runs only while somebody waits for bytes.
class FpgaSim : public fpga::BytePort {
 public:
  static constexpr unsigned kClocksPerBit = 3, kClocksPerMs = 6000;  // fpga_icebreaker: 6 MHz
  virtual std::uint64_t cycles() const = 0;
};

// The RTL of fpga_top, at the size of fpga_icebreaker or at 4 x 4.
std::unique_ptr<FpgaSim> make_fpga_rtl(const WaveOptions& wave = {});
std::unique_ptr<FpgaSim> make_fpga_rtl_4x4(const WaveOptions& wave = {});
// The netlist of fpga_icebreaker after synthesis. In another library: it needs Yosys to be built.
std::unique_ptr<FpgaSim> make_fpga_netlist();

}  // namespace tern
