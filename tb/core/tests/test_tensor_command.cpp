// SPDX-License-Identifier: Apache-2.0
// From the instruction's fields to the tensor engine's command.
#include <catch2/catch.hpp>

#include "systemc/core/instruction_info.h"
#include "systemc/engines/tensor/tensor_command.h"
#include "systemc/engines/tensor/tensor_engine.h"
#include "tb/core/bench/program.h"

using namespace tern;
using namespace tern::tb;

namespace {

constexpr unsigned kBankColumns = 512;

}  // namespace

TEST_CASE("tensor command: load_stationary") {
  auto in = load_stationary(ap(place(64, 4096), 96), 33, 96, TERN_DTYPE_FP32);
  in.load_stationary.half = 1;
  in.load_stationary.tile_rows = TERN_TILE_SIZE_HALF;
  in.load_stationary.tile_cols = TERN_TILE_SIZE_QUARTER;
  in.load_stationary.col_start = 32;
  const TensorCommand dense = tensor_command(in, 0x1FF, kBankColumns);
  CHECK(dense.op == TensorOp::kLoadStationary);
  CHECK(dense.type == TensorType::kFp32);
  CHECK(dense.tag == 0xFF);
  CHECK(dense.row_start == 64);
  CHECK(dense.rows == 33);
  CHECK(dense.cols == 96);
  CHECK(dense.sbuf_address == 4096);
  CHECK(dense.mode == TensorMode::kDense);
  CHECK(dense.high_half);
  CHECK(dense.tile_rows == TensorTileSize::kHalf);
  CHECK(dense.tile_cols == TensorTileSize::kQuarter);
  CHECK(dense.col_start == 32);

  in.load_stationary.src = ap(place(64, 4098), 12, -3, 8, 100);
  const TensorCommand pattern = tensor_command(in, 1, kBankColumns);
  CHECK(pattern.sbuf_address == 4098);
  CHECK(pattern.num0 == 12);
  CHECK(pattern.step0 == -3);
  CHECK(pattern.num1 == 8);
  CHECK(pattern.step1 == 100);

  in = load_stationary(ap(place(0, 8), 128), 128, 128, TERN_DTYPE_FP16);
  in.load_stationary.mode = TERN_TENSOR_MODE_SPARSE;
  in.load_stationary.sparsity = TERN_SPARSITY_S2_8;
  in.load_stationary.aux = 1024;
  const TensorCommand sparse = tensor_command(in, 1, kBankColumns);
  CHECK(sparse.mode == TensorMode::kSparse);
  CHECK(sparse.sparsity == TensorSparsity::k2of8);
  CHECK(sparse.aux_address == 1024);
  CHECK_FALSE(sparse.high_half);

  in = load_stationary(ap(place(0, 8), 128), 128, 128, TERN_DTYPE_E5M2);
  in.load_stationary.mode = TERN_TENSOR_MODE_DOUBLE_ROW;
  in.load_stationary.plane = -128;
  CHECK(tensor_command(in, 1, kBankColumns).mode == TensorMode::kDoubleRow);
  CHECK(tensor_command(in, 1, kBankColumns).plane == -128);
}

TEST_CASE("tensor command: multiply_moving and its position in PSUM") {
  auto in =
      multiply_moving(ap(place(32, 512), 10, -2, 3, 7), ap(place(0, 3 * 2048 + 40, kPsum), 30), 32,
                      100, true, TERN_DTYPE_E2M1_X4);
  in.multiply_moving.mode = TERN_TENSOR_MODE_MX;
  in.multiply_moving.scale_offset = 12;
  in.multiply_moving.aux = 77;
  const TensorCommand command = tensor_command(in, 5, kBankColumns);
  CHECK(command.op == TensorOp::kMultiplyMoving);
  CHECK(command.type == TensorType::kE2m1X4);
  CHECK(command.row_start == 32);
  CHECK(command.num0 == 10);
  CHECK(command.step0 == -2);
  CHECK(command.num1 == 3);
  CHECK(command.step1 == 7);
  CHECK(command.psum_bank == 3);
  CHECK(command.psum_column == 10);
  CHECK(command.accumulate);
  CHECK(command.mode == TensorMode::kMx);
  CHECK(command.scale_offset == 12);
  CHECK(command.aux_address == 77);
  CHECK_FALSE(command.bf16_result);

  in.multiply_moving.dst_dtype = TERN_DTYPE_BF16;
  in.multiply_moving.rounding = TERN_ROUNDING_STOCHASTIC;
  const TensorCommand half = tensor_command(in, 5, kBankColumns);
  CHECK(half.psum_bank == 3);
  CHECK(half.psum_column == 20);
  CHECK(half.bf16_result);
  CHECK(half.stochastic);
}

TEST_CASE("tensor command: transpose") {
  const auto command = [](unsigned dtype) {
    return tensor_command(
        transpose(ap(place(0, 256), 100), ap(place(0, 2048 + 64, kPsum), 64), 64, 100, dtype), 7,
        kBankColumns);
  };
  CHECK(command(TERN_DTYPE_BF16).op == TensorOp::kTranspose);
  CHECK(command(TERN_DTYPE_BF16).rows == 64);
  CHECK(command(TERN_DTYPE_BF16).cols == 100);
  CHECK(command(TERN_DTYPE_BF16).sbuf_address == 256);
  CHECK(command(TERN_DTYPE_BF16).num0 == 100);
  CHECK(command(TERN_DTYPE_BF16).step0 == 1);
  for (unsigned dtype : {TERN_DTYPE_BF16, TERN_DTYPE_E5M2}) {
    CHECK(command(dtype).psum_bank == 1);
    CHECK(command(dtype).psum_column == 32);
  }
  CHECK(command(TERN_DTYPE_FP32).psum_column == 16);
}

TEST_CASE("tensor command: traces show format, mode and tile") {
  auto in = load_stationary(ap(place(64, 0), 32), 64, 32, TERN_DTYPE_TF32);
  in.load_stationary.tile_rows = TERN_TILE_SIZE_HALF;
  in.load_stationary.tile_cols = TERN_TILE_SIZE_QUARTER;
  in.load_stationary.col_start = 96;
  CHECK(instruction_args(in, 3) ==
        R"({"index":3,"K":64,"M":32,"src":"sbuf[64]+0x0","format":"tf32","mode":"dense",)"
        R"("rows":"64..127","columns":"96..127"})");
  auto product = multiply_moving(ap(place(0, 16), 512), ap(place(0, 0, kPsum), 512), 128, 128,
                                 false, TERN_DTYPE_E2M1_X4);
  product.multiply_moving.mode = TERN_TENSOR_MODE_QUAD;
  CHECK(instruction_args(product, 4) ==
        R"({"index":4,"K":128,"M":128,"N":512,"src":"sbuf[0]+0x10","dst":"psum[0]+0x0",)"
        R"("accumulate":0,"format":"e2m1_x4","mode":"quad","result":"fp32"})");
  CHECK(instruction_args(transpose(ap(0, 8), ap(place(0, 0, kPsum), 4), 4, 8), 5) ==
        R"({"index":5,"K":4,"M":8,"src":"sbuf[0]+0x0","dst":"psum[0]+0x0","format":"bf16"})");
}

TEST_CASE("trace arguments of Vector, Scalar and GpSimd instructions") {
  const Operand tile{ap(place(32, 64), 8, 1, 4, 8), TERN_DTYPE_BF16};
  Operation copy{elementwise(TERN_OPCODE_TENSOR_COPY, 16, tile, tile), {}};
  copy.extension.dst_outer = copy.extension.src0_outer = {3, 32, 0, 0};
  CHECK(instruction_args(copy, 1) ==
        R"({"index":1,"P":16,"N":96,"dst":"sbuf[32]+0x40","src0":"sbuf[32]+0x40"})");
  CHECK(instruction_args(elementwise(TERN_OPCODE_MEMSET, 16, tile, {}), 2) ==
        R"({"index":2,"P":16,"N":32,"dst":"sbuf[32]+0x40"})");
}
