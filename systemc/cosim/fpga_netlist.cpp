// SPDX-License-Identifier: Apache-2.0
#include <VFpgaNetlist.h>

#include "systemc/cosim/fpga_sim.h"
#include "systemc/cosim/fpga_sim_uart.h"
#include "systemc/cosim/rtl_block.h"

namespace tern {

namespace {

class NetlistBoard {
 public:
  NetlistBoard() {
    for (unsigned i = 0; i < kResetCycles; ++i) clock(true);
  }
  bool clock(bool rx) {
    // Two cycles of the oscillator.
    for (unsigned i = 0; i < 2; ++i) {
      dut_.model.rx_i = rx;
      dut_.model.clk_12mhz_i = 0;
      dut_.model.eval();
      dut_.model.clk_12mhz_i = 1;
      dut_.model.eval();
    }
    return dut_.model.tx_o != 0;
  }

 private:
  static constexpr unsigned kResetCycles = 16;  // of the counter in fpga_icebreaker, and some

  cosim::RtlModel<VFpgaNetlist> dut_;
};

}  // namespace

std::unique_ptr<FpgaSim> make_fpga_netlist() {
  return std::make_unique<cosim::FpgaSimUart<NetlistBoard>>("the netlist of the FPGA");
}

}  // namespace tern
