// SPDX-License-Identifier: Apache-2.0
// The netlist after synthesis, in place of a board, answers as the RTL: each byte in the same
// cycle.
#include <catch2/catch.hpp>

#include "tb/fpga/fpga_bench.h"

using namespace tern;  // NOLINT: a test uses the names of what it tests

TEST_CASE("fpga netlist: every byte of the link as the RTL, in the same cycle") {
  tb::check_same_bytes(tb::fpga_rtl, make_fpga_netlist, 20);
}

TEST_CASE("fpga netlist: sums and exponentials") {
  tb::check_sums(make_fpga_netlist, 3);
  tb::check_exponentials(make_fpga_netlist, 3);
}
