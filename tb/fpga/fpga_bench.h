// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "sw/fpga/board.h"
#include "systemc/cosim/fpga_sim.h"
#include "tb/common/bench_wave.h"

namespace tern::tb {

using MakeFpga = std::function<std::unique_ptr<FpgaSim>()>;

// The RTL, which records the waveform that a test is asked for.
inline std::unique_ptr<FpgaSim> fpga_rtl() {
  return make_fpga_rtl(bench_wave());
}
inline std::unique_ptr<FpgaSim> fpga_rtl_4x4() {
  return make_fpga_rtl_4x4(bench_wave());
}

// Random cases of every operation, through the UART of a simulated board, against MPFR. Fails the
// test at the first word that differs.
void check_products(const MakeFpga& make, unsigned cases);
void check_sums(const MakeFpga& make, unsigned cases);
void check_exponentials(const MakeFpga& make, unsigned cases);

// Everything two boards answer to the same requests is compared byte by byte, its cycle included.
void check_same_bytes(const MakeFpga& one, const MakeFpga& other, unsigned cases);

}  // namespace tern::tb
