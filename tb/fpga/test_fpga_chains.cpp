// SPDX-License-Identifier: Apache-2.0
// Products of any size on the board's array, against fmaf in the order of the contract.
#include <catch2/catch.hpp>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "sw/numerics/bf16.h"
#include "systemc/cosim/fpga_sim.h"
#include "systemc/cosim/tensor_fpga.h"
#include "tb/common/seed.h"

using namespace tern;  // NOLINT: a test uses the names of what it tests

namespace {

std::unique_ptr<FpgaChains> chains_on(std::unique_ptr<FpgaSim> board) {
  auto link = std::make_unique<fpga::Link>(std::move(board));
  return std::make_unique<FpgaChains>(std::make_unique<fpga::Board>(std::move(link)));
}

struct Sizes {
  std::size_t rows, lanes, columns;
  bool accumulate;
};

void check(FpgaChains* chains, const Sizes& sizes) {
  std::mt19937 random(static_cast<unsigned>(tb::test_seed()) + static_cast<unsigned>(sizes.rows));
  std::normal_distribution<float> normal;
  const std::size_t pitch = sizes.columns + 3;
  std::vector<std::uint16_t> weights(sizes.rows * sizes.lanes), moving(sizes.rows * sizes.columns);
  for (auto& x : weights) x = numerics::bf16_from_float(normal(random));
  for (auto& x : moving) x = numerics::bf16_from_float(normal(random));
  std::vector<float> psum(sizes.lanes * pitch), expected;
  for (auto& x : psum) x = normal(random);
  expected = psum;
  for (std::size_t lane = 0; lane < sizes.lanes; ++lane) {
    for (std::size_t n = 0; n < sizes.columns; ++n) {
      float acc = 0;
      for (std::size_t r = 0; r < sizes.rows; ++r) {
        acc = std::fma(numerics::bf16_to_float(moving[r * sizes.columns + n]),
                       numerics::bf16_to_float(weights[r * sizes.lanes + lane]), acc);
      }
      float& word = expected[lane * pitch + n];
      word = sizes.accumulate ? word + acc : acc;
    }
  }
  chains->multiply({sizes.rows, sizes.lanes, sizes.columns, weights.data(), moving.data(),
                    psum.data(), pitch, sizes.accumulate});
  INFO(sizes.rows << " rows, " << sizes.lanes << " lanes, " << sizes.columns << " columns, seed "
                  << tb::test_seed());
  CHECK(psum == expected);
}

}  // namespace

TEST_CASE("fpga chains: tiles of every shape") {
  for (const bool accumulate : {false, true}) {
    const auto small = chains_on(make_fpga_rtl());
    const auto large = chains_on(make_fpga_rtl_4x4());
    for (FpgaChains* chains : {small.get(), large.get()}) {
      check(chains, {1, 1, 1, accumulate});
      check(chains, {2, 3, 4, accumulate});
      check(chains, {7, 5, 33, accumulate});
      check(chains, {5, 9, 1, accumulate});
    }
  }
}

TEST_CASE("fpga chains: a product that needs several parts") {
  const auto chains = chains_on(make_fpga_rtl());
  check(chains.get(), {3, 2, 600, false});
  check(chains.get(), {128, 4, 260, true});
  // Tiles that fill SBUF: 64 groups of 128 lanes leave 128 columns.
  check(chains.get(), {128, 128, 20, false});
}
