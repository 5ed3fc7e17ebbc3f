// SPDX-License-Identifier: Apache-2.0
// Products of any size on the board's array, against fmaf in the order of the contract.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "sw/base/user_error.h"
#include "sw/numerics/bf16.h"
#include "systemc/cosim/fpga_sim.h"
#include "systemc/cosim/tensor_fpga.h"
#include "systemc/engines/tensor/tensor_model.h"
#include "tb/common/seed.h"
#include "tb/fpga/fpga_bench.h"

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

// The tensor engine of a chip with the board for its products, next to the model: K of two tiles,
// accumulated.
TEST_CASE("fpga chains: the tensor engine of a chip") {
  TensorShape shape;
  shape.sbuf_bytes = 4096;
  std::vector<std::uint8_t> sbuf(std::size_t{shape.rows} * shape.sbuf_bytes);
  std::mt19937 random(static_cast<unsigned>(tb::test_seed()));
  std::normal_distribution<float> normal;
  for (std::size_t i = 0; i < sbuf.size(); i += 2) {
    const std::uint16_t bits = numerics::bf16_from_float(normal(random));
    std::memcpy(&sbuf[i], &bits, sizeof bits);
  }
  const SbufView view = {sbuf.data(), shape.sbuf_bytes};
  TensorModel model(shape, view);
  TensorModel board(shape, view, std::shared_ptr<ChainDevice>(chains_on(tb::fpga_rtl())));
  TensorCommand load;
  load.rows = 128;
  load.cols = load.num0 = 64;
  TensorCommand multiply = load;
  multiply.op = TensorOp::kMultiplyMoving;
  multiply.num0 = 24;
  multiply.sbuf_address = 512;
  TensorCommand more = multiply;
  more.accumulate = true;
  more.rows = 33;
  TensorCommand load_more = load;
  load_more.rows = 33;
  load_more.sbuf_address = 1024;
  const auto run = [](TensorModel* engine, const TensorCommand& command) {
    while (!engine->ready()) engine->advance_to(engine->next_event());
    engine->push(command);
    TensorStatus status;
    while (!engine->pop_status(&status)) engine->advance_to(engine->next_event());
    CHECK(status.code == TensorStatusCode::kOk);
  };
  for (TensorModel* engine : {&model, &board}) {
    for (const TensorCommand& command : {load, multiply, load_more, more}) run(engine, command);
  }
  CHECK(model.cycle() == board.cycle());
  std::vector<float> of_model(64 * 24), of_board(64 * 24);
  model.psum_debug({false, 0, 64, 0, 24, of_model.data(), 24});
  board.psum_debug({false, 0, 64, 0, 24, of_board.data(), 24});
  CHECK(std::memcmp(of_model.data(), of_board.data(), of_model.size() * sizeof(float)) == 0);
  CHECK(of_model[5] != 0);

  TensorCommand half = multiply;
  half.type = TensorType::kFp16;
  TensorCommand load_half = load;
  load_half.type = TensorType::kFp16;
  run(&board, load_half);
  CHECK_THROWS_AS(run(&board, half), RunError);
}

TEST_CASE("fpga chains: tiles of every shape") {
  for (const bool accumulate : {false, true}) {
    const auto small = chains_on(tb::fpga_rtl());
    const auto large = chains_on(tb::fpga_rtl_4x4());
    for (FpgaChains* chains : {small.get(), large.get()}) {
      check(chains, {1, 1, 1, accumulate});
      check(chains, {2, 3, 4, accumulate});
      check(chains, {7, 5, 33, accumulate});
      check(chains, {5, 9, 1, accumulate});
    }
  }
}

TEST_CASE("fpga chains: a product that needs several parts") {
  const auto chains = chains_on(tb::fpga_rtl());
  check(chains.get(), {3, 2, 600, false});
  check(chains.get(), {128, 4, 260, true});
  // Tiles that fill SBUF: 64 groups of 128 lanes leave 128 columns.
  check(chains.get(), {128, 128, 20, false});
}
