// SPDX-License-Identifier: Apache-2.0
#include <VFpgaTop.h>
#include <VFpgaTop4x4.h>

#include "systemc/cosim/fpga_sim.h"
#include "systemc/cosim/fpga_sim_uart.h"
#include "systemc/cosim/rtl_block.h"

namespace tern {

namespace {

template <typename Model>
class RtlBoard {
 public:
  explicit RtlBoard(const WaveOptions& wave) : dut_(wave, "fpga_top") {
    model().rst_ni = 0;
    clock(true);
    model().rst_ni = 1;
  }
  bool clock(bool rx) {
    model().rx_i = rx;
    model().clk_i = 0;
    model().eval();
    dut_.clock.edge();
    return model().tx_o != 0;
  }

 private:
  Model& model() { return dut_.model; }
  cosim::RtlBlock<Model> dut_;
};

}  // namespace

std::unique_ptr<FpgaSim> make_fpga_rtl(const WaveOptions& wave) {
  return std::make_unique<cosim::FpgaSimUart<RtlBoard<VFpgaTop>>>("the RTL of the FPGA", wave);
}

std::unique_ptr<FpgaSim> make_fpga_rtl_4x4(const WaveOptions& wave) {
  return std::make_unique<cosim::FpgaSimUart<RtlBoard<VFpgaTop4x4>>>("the RTL of the FPGA, 4 x 4",
                                                                     wave);
}

}  // namespace tern
