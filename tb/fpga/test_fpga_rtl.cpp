// SPDX-License-Identifier: Apache-2.0
// The engine for an FPGA, in RTL, through its UART.
#include <catch2/catch.hpp>

#include "tb/fpga/fpga_bench.h"

using namespace tern;  // NOLINT: a test uses the names of what it tests

TEST_CASE("fpga rtl: products are the chains of the contract") {
  tb::check_products(tb::fpga_rtl, 60);
}

TEST_CASE("fpga rtl: products of an array of 4 x 4") {
  tb::check_products(tb::fpga_rtl_4x4, 30);
}

TEST_CASE("fpga rtl: sums of PSUM") {
  tb::check_sums(tb::fpga_rtl, 20);
  tb::check_sums(tb::fpga_rtl_4x4, 5);
}

TEST_CASE("fpga rtl: the exponential lane") {
  tb::check_exponentials(tb::fpga_rtl, 20);
  tb::check_exponentials(tb::fpga_rtl_4x4, 5);
}
