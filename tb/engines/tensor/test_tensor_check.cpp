// SPDX-License-Identifier: Apache-2.0
// Every reason of the tensor model to refuse a command, and their order; the records of what the
// cells hold; sparse positions outside their pattern.
#include <catch2/catch.hpp>
#include <memory>

#include "systemc/engines/tensor/tensor_check.h"
#include "systemc/engines/tensor/tensor_model.h"
#include "tb/common/seed.h"
#include "tb/engines/tensor/tensor_bench.h"

using namespace tern;      // NOLINT: a test uses the names of what it tests
using namespace tern::tb;  // NOLINT

namespace {

using C = TensorCommand;
using S = TensorStatusCode;
using T = TensorType;
using M = TensorMode;

// 32 x 16 array, quarters of 8 x 4; 4096 bytes; 8 banks of 16 words; N up to 128.
struct Checker {
  TensorShape shape = tiny_shape();
  TensorRecords records;

  void load(const C& command) {
    auto stationary = std::make_shared<TensorStationary>();
    stationary->command = command;
    records.load(shape, stationary);
  }
  template <typename Change>
  S code(C command, Change change) const {
    change(command);
    return check_tensor_command(shape, command, records);
  }
  S code(const C& command) const { return check_tensor_command(shape, command, records); }
};

C in_mode(C command, M mode, T type) {
  command.mode = mode;
  command.type = type;
  return command;
}
C transpose(unsigned rows, unsigned cols, T type = T::kBf16) {
  C command = load_stationary(rows, cols);
  command.op = TensorOp::kTranspose;
  command.type = type;
  return command;
}
C mx_load() {
  return in_mode(load_stationary(32, 16), M::kMx, T::kE4m3fnX4);
}
C mx_move() {
  return in_mode(multiply_moving(32, 16, 4), M::kMx, T::kE4m3fnX4);
}
C sparse(C command, TensorSparsity sparsity = TensorSparsity::k4of16) {
  command.mode = M::kSparse;
  command.sparsity = sparsity;
  return command;
}

}  // namespace

TEST_CASE("tensor check: operations, modes and formats") {
  const Checker c;
  constexpr T kAll[] = {T::kBf16, T::kFp16,   T::kFp32,     T::kTf32,   T::kE4m3,
                        T::kE5m2, T::kE4m3fn, T::kE4m3fnX4, T::kE5m2X4, T::kE2m1X4};
  const auto legal = [](M mode, unsigned type) {
    switch (mode) {
      case M::kDense:
        return type < 4;
      case M::kSparse:
        return type < 2;
      case M::kDoubleRow:
        return type >= 4 && type < 7;
      default:
        return type >= 7;
    }
  };
  for (unsigned mode = 0; mode < 5; ++mode) {
    for (unsigned type = 0; type < 10; ++type) {
      CAPTURE(mode, type);
      const C load = in_mode(load_stationary(32, 16), static_cast<M>(mode), kAll[type]);
      CHECK((c.code(load) == S::kOk) == legal(static_cast<M>(mode), type));
    }
  }
  for (unsigned type = 0; type < 10; ++type) {
    CHECK((c.code(transpose(8, 8, kAll[type])) == S::kOk) == (type < 7));
  }
  const C load = load_stationary(8, 4);
  CHECK(c.code(load, [](C& x) { x.op = static_cast<TensorOp>(3); }) == S::kBadOperation);
  CHECK(c.code(load, [](C& x) { x.type = static_cast<T>(8); }) == S::kBadOperation);
  CHECK(c.code(load, [](C& x) { x.mode = static_cast<M>(5); }) == S::kBadOperation);
  CHECK(c.code(load, [](C& x) { x.tile_rows = static_cast<TensorTileSize>(3); }) ==
        S::kBadOperation);
  CHECK(c.code(load, [](C& x) { x.tile_cols = static_cast<TensorTileSize>(3); }) ==
        S::kBadOperation);
  CHECK(c.code(sparse(load), [](C& x) { x.sparsity = static_cast<TensorSparsity>(7); }) ==
        S::kBadOperation);
  // Columns of tiles are dense, rows of sparse products and of quad mode whole; what only a
  // multiply has, a load ignores.
  CHECK(c.code(mx_load(), [](C& x) { x.tile_cols = TensorTileSize::kHalf; }) == S::kBadOperation);
  CHECK(c.code(mx_load(), [](C& x) { x.tile_rows = TensorTileSize::kHalf; }) != S::kBadOperation);
  CHECK(c.code(mx_load(), [](C& x) {
    x.mode = M::kQuad;
    x.tile_rows = TensorTileSize::kHalf;
  }) == S::kBadOperation);
  CHECK(c.code(sparse(load), [](C& x) { x.tile_rows = TensorTileSize::kHalf; }) ==
        S::kBadOperation);
  CHECK(c.code(sparse(load), [](C& x) { x.tile_cols = TensorTileSize::kHalf; }) ==
        S::kBadOperation);
  CHECK(c.code(load, [](C& x) { x.stochastic = x.accumulate = true; }) == S::kOk);
  CHECK(c.code(load, [](C& x) { x.sparsity = static_cast<TensorSparsity>(7); }) == S::kOk);
  const C turn = transpose(8, 8);
  CHECK(c.code(turn, [](C& x) { x.mode = M::kSparse; }) == S::kBadOperation);
  CHECK(c.code(turn, [](C& x) { x.tile_rows = TensorTileSize::kHalf; }) == S::kBadOperation);
  CHECK(c.code(turn, [](C& x) { x.accumulate = true; }) == S::kBadOperation);
  CHECK(c.code(turn, [](C& x) { x.stochastic = x.bf16_result = true; }) == S::kBadOperation);
  CHECK(c.code(turn, [](C& x) { x.bf16_result = true; }) == S::kOk);
  Checker loaded;
  loaded.load(load);
  const C move = multiply_moving(8, 4, 4);
  CHECK(loaded.code(move, [](C& x) { x.stochastic = true; }) == S::kBadOperation);
  CHECK(loaded.code(move, [](C& x) { x.stochastic = x.bf16_result = true; }) == S::kOk);
}

TEST_CASE("tensor check: tiles") {
  const Checker c;
  const auto dense = [&](unsigned row, unsigned rows, TensorTileSize row_size, unsigned col,
                         unsigned cols, TensorTileSize col_size) {
    C command = load_stationary(rows, cols);
    command.row_start = row;
    command.col_start = col;
    command.tile_rows = row_size;
    command.tile_cols = col_size;
    return c.code(command);
  };
  constexpr auto kW = TensorTileSize::kWhole, kH = TensorTileSize::kHalf,
                 kQ = TensorTileSize::kQuarter;
  CHECK(dense(0, 32, kW, 0, 16, kW) == S::kOk);
  CHECK(dense(0, 0, kW, 0, 16, kW) == S::kBadTile);
  CHECK(dense(0, 33, kW, 0, 16, kW) == S::kBadTile);
  CHECK(dense(0, 32, kW, 0, 0, kW) == S::kBadTile);
  CHECK(dense(0, 32, kW, 0, 17, kW) == S::kBadTile);
  CHECK(dense(8, 24, kW, 0, 16, kW) == S::kOk);
  CHECK(dense(8, 25, kW, 0, 16, kW) == S::kBadTile);
  CHECK(dense(4, 8, kW, 0, 16, kW) == S::kBadTile);
  CHECK(dense(32, 1, kW, 0, 16, kW) == S::kBadTile);
  CHECK(dense(0xFFFFFFF8, 16, kW, 0, 16, kW) == S::kBadTile);
  CHECK(dense(0, 32, kW, 4, 8, kW) == S::kBadTile);  // whole columns begin at 0
  CHECK(dense(16, 16, kH, 8, 8, kH) == S::kOk);
  CHECK(dense(16, 17, kH, 8, 8, kH) == S::kBadTile);
  CHECK(dense(0, 17, kH, 8, 8, kH) == S::kBadTile);
  CHECK(dense(8, 8, kH, 8, 8, kH) == S::kBadTile);
  CHECK(dense(0, 8, kH, 4, 8, kH) == S::kBadTile);
  CHECK(dense(0, 8, kH, 0, 9, kH) == S::kBadTile);
  CHECK(dense(24, 8, kQ, 12, 4, kQ) == S::kOk);
  CHECK(dense(24, 9, kQ, 12, 4, kQ) == S::kBadTile);
  CHECK(dense(8, 9, kQ, 12, 4, kQ) == S::kBadTile);
  CHECK(dense(24, 8, kQ, 12, 5, kQ) == S::kBadTile);
  CHECK(dense(24, 8, kQ, 6, 2, kQ) == S::kBadTile);
  // The grain of each mode.
  const auto rows = [&](C command, unsigned start, unsigned count) {
    command.row_start = start;
    command.rows = count;
    return c.code(command);
  };
  const C twice = in_mode(load_stationary(8, 8), M::kDoubleRow, T::kE5m2);
  CHECK(rows(twice, 8, 16) == S::kOk);
  CHECK(rows(twice, 8, 12) == S::kBadTile);
  CHECK(rows(mx_load(), 0, 32) == S::kOk);
  CHECK(rows(mx_load(), 0, 16) == S::kBadTile);
  CHECK(rows(mx_load(), 8, 24) == S::kBadTile);
  CHECK(rows(sparse(load_stationary(8, 8)), 0, 6) == S::kBadTile);
  CHECK(rows(sparse(load_stationary(8, 8), TensorSparsity::k2of4), 0, 6) == S::kOk);
  CHECK(rows(sparse(load_stationary(8, 8), TensorSparsity::k2of4), 0, 5) == S::kBadTile);
  CHECK(rows(sparse(load_stationary(8, 8), TensorSparsity::k1of2), 8, 5) == S::kOk);
  C turn = transpose(8, 8);
  turn.col_start = 4;
  CHECK(c.code(turn) == S::kBadTile);
}

TEST_CASE("tensor check: moving columns and destinations") {
  Checker c;
  c.load(load_stationary(8, 4));
  c.load(in_mode(load_stationary(32, 16), M::kQuad, T::kE4m3fnX4));
  const C move = multiply_moving(8, 4, 4);
  CHECK(c.code(move, [](C& x) { x.num0 = 0; }) == S::kBadMoving);
  CHECK(c.code(move, [](C& x) { x.num1 = 0; }) == S::kBadMoving);
  CHECK(c.code(move, [](C& x) { x.num0 = 128; }) == S::kOk);
  CHECK(c.code(move, [](C& x) { x.num0 = 129; }) == S::kBadMoving);
  CHECK(c.code(move, [](C& x) { x.num0 = 65536, x.num1 = 65536; }) == S::kBadMoving);
  CHECK(c.code(move, [](C& x) { x.num0 = 256, x.bf16_result = true; }) == S::kOk);
  CHECK(c.code(move, [](C& x) { x.num0 = 257, x.bf16_result = true; }) == S::kBadMoving);
  CHECK(c.code(move, [](C& x) { x.psum_bank = 8; }) == S::kBadPsum);
  CHECK(c.code(move, [](C& x) { x.psum_column = 16; }) == S::kBadPsum);
  CHECK(c.code(move, [](C& x) { x.psum_column = 31, x.bf16_result = true; }) == S::kOk);
  CHECK(c.code(move, [](C& x) { x.psum_column = 32, x.bf16_result = true; }) == S::kBadPsum);
  CHECK(c.code(move, [](C& x) { x.psum_column = 15; }) == S::kOk);  // into the next bank
  CHECK(c.code(move, [](C& x) { x.psum_bank = 7, x.psum_column = 12; }) == S::kOk);
  CHECK(c.code(move, [](C& x) { x.psum_bank = 7, x.psum_column = 13; }) == S::kBadPsum);
  const C quad = in_mode(multiply_moving(32, 16, 4), M::kQuad, T::kE4m3fnX4);
  CHECK(c.code(quad, [](C& x) { x.psum_bank = 1, x.psum_column = 12; }) == S::kOk);
  CHECK(c.code(quad, [](C& x) { x.psum_bank = 1, x.psum_column = 13; }) == S::kBadPsum);
  CHECK(c.code(quad, [](C& x) { x.psum_bank = 2; }) == S::kBadPsum);
  const C turn = transpose(32, 8);
  CHECK(c.code(turn, [](C& x) { x.psum_bank = 7; }) == S::kOk);  // 16-bit elements
  CHECK(c.code(turn, [](C& x) { x.psum_bank = 7, x.psum_column = 1; }) == S::kBadPsum);
  CHECK(c.code(turn, [](C& x) { x.psum_bank = 7, x.type = T::kFp32; }) == S::kBadPsum);
  CHECK(c.code(turn, [](C& x) { x.psum_bank = 6, x.type = T::kTf32; }) == S::kOk);
  CHECK(c.code(turn, [](C& x) { x.psum_bank = 7, x.type = T::kE4m3; }) == S::kOk);
}

TEST_CASE("tensor check: alignment and addresses") {
  Checker c;
  c.load(load_stationary(8, 4));
  c.load(sparse(load_stationary(8, 8)));
  const C load = load_stationary(8, 4);
  CHECK(c.code(load, [](C& x) { x.sbuf_address = 3; }) == S::kBadAlignment);
  CHECK(c.code(load, [](C& x) { x.sbuf_address = 2; }) == S::kOk);
  CHECK(c.code(load, [](C& x) { x.sbuf_address = 4088; }) == S::kOk);
  CHECK(c.code(load, [](C& x) { x.sbuf_address = 4090; }) == S::kBadAddress);
  CHECK(c.code(load, [](C& x) { x.sbuf_address = 4088, x.cols = x.num0 = 5; }) == S::kBadAddress);
  CHECK(c.code(load, [](C& x) { x.sbuf_address = 4088, x.type = T::kFp32; }) == S::kBadAddress);
  CHECK(c.code(load, [](C& x) { x.sbuf_address = 0xFFFFFFF8; }) == S::kBadAddress);
  CHECK(c.code(transpose(8, 8, T::kE5m2), [](C& x) { x.sbuf_address = 4088; }) == S::kOk);
  CHECK(c.code(transpose(8, 9, T::kE5m2), [](C& x) { x.sbuf_address = 4088; }) == S::kBadAddress);
  CHECK(c.code(transpose(8, 8), [](C& x) { x.sbuf_address = 12; }) == S::kOk);
  CHECK(c.code(transpose(8, 8), [](C& x) { x.sbuf_address = 13; }) == S::kBadAlignment);
  CHECK(c.code(transpose(8, 8, T::kE5m2), [](C& x) { x.sbuf_address = 13; }) == S::kOk);
  CHECK(c.code(transpose(8, 8, T::kTf32), [](C& x) { x.sbuf_address = 14; }) == S::kBadAlignment);
  const C twice = in_mode(load_stationary(8, 8), M::kDoubleRow, T::kE5m2);
  CHECK(c.code(twice, [](C& x) { x.plane = 2; }) == S::kBadAlignment);
  CHECK(c.code(twice, [](C& x) { x.plane = 4088; }) == S::kOk);
  CHECK(c.code(twice, [](C& x) { x.plane = 4092; }) == S::kBadAddress);
  CHECK(c.code(twice, [](C& x) { x.sbuf_address = 64, x.plane = -64; }) == S::kOk);
  CHECK(c.code(twice, [](C& x) { x.sbuf_address = 64, x.plane = -68; }) == S::kBadAddress);
  CHECK(c.code(load, [](C& x) { x.plane = -0x7FFFFFFF; }) == S::kOk);  // not its field

  // Patterns of a load: M elements, all of them inside.
  const auto load_at = [&](unsigned address, unsigned num0, int step0, unsigned num1, int step1) {
    return c.code(load, [&](C& x) {
      x.sbuf_address = address, x.num0 = num0, x.step0 = step0, x.num1 = num1, x.step1 = step1;
    });
  };
  CHECK(load_at(0, 2, 9, 2, 100) == S::kOk);
  CHECK(load_at(0, 0, 1, 4, 1) == S::kBadMoving);
  CHECK(load_at(0, 4, 1, 2, 1) == S::kBadMoving);
  CHECK(load_at(0, 3, 1, 1, 1) == S::kBadMoving);
  CHECK(load_at(6, 4, -1, 1, 0) == S::kOk);
  CHECK(load_at(4, 4, -1, 1, 0) == S::kBadAddress);
  CHECK(load_at(4094, 4, 0, 1, 0) == S::kOk);
  CHECK(load_at(4076, 2, 10, 2, -4) == S::kBadAddress);
  CHECK(load_at(4074, 2, 10, 2, -4) == S::kOk);
  // Only dense loads take one column a cycle.
  for (const C& run : {sparse(load_stationary(8, 16)), mx_load(), twice}) {
    CHECK(c.code(run, [](C& x) { x.num0 = x.cols / 2, x.num1 = 2, x.step1 = x.num0; }) == S::kOk);
    CHECK(c.code(run, [](C& x) { x.step0 = 2; }) == S::kBadAlignment);
    CHECK(c.code(run, [](C& x) { x.num0 = x.cols / 2, x.num1 = 2; }) == S::kBadAlignment);
    CHECK(c.code(run, [](C& x) { x.sbuf_address = 4; }) == S::kBadAlignment);
  }

  Checker dense;
  dense.load(load);
  const C move = multiply_moving(8, 4, 4, 16);
  const auto at = [&](int address, int step0, unsigned num1 = 1, int step1 = 0) {
    return dense.code(move, [&](C& x) {
      x.sbuf_address = static_cast<unsigned>(address);
      x.step0 = step0;
      x.num1 = num1;
      x.step1 = step1;
    });
  };
  CHECK(at(17, 1) == S::kBadAlignment);
  CHECK(at(4088, 1) == S::kOk);
  CHECK(at(4090, 1) == S::kBadAddress);
  CHECK(at(6, -1) == S::kOk);
  CHECK(at(4, -1) == S::kBadAddress);
  // The corners of two steps in different directions: 3 * 10 up, 2 * 4 down.
  CHECK(at(16, 10, 3, -4) == S::kOk);
  CHECK(at(14, 10, 3, -4) == S::kBadAddress);
  CHECK(at(4034, 10, 3, -4) == S::kOk);
  CHECK(at(4036, 10, 3, -4) == S::kBadAddress);
  // 4:16 has four planes.
  const C kept = sparse(multiply_moving(8, 8, 4));
  CHECK(c.code(kept, [](C& x) { x.plane = 1362; }) == S::kOk);  // 3 * 1362 + 8 = 4094
  CHECK(c.code(kept, [](C& x) { x.plane = 1364; }) == S::kBadAddress);
  CHECK(c.code(kept, [](C& x) { x.plane = 3; }) == S::kBadAlignment);
  CHECK(c.code(kept, [](C& x) { x.plane = -2; }) == S::kBadAddress);
  CHECK(c.code(kept, [](C& x) { x.plane = -2, x.sbuf_address = 6; }) == S::kOk);
  Checker row;
  row.load(twice);
  const C bytes = in_mode(multiply_moving(8, 8, 4, 3), M::kDoubleRow, T::kE5m2);
  CHECK(row.code(bytes, [](C& x) { x.plane = 4088; }) == S::kOk);
  CHECK(row.code(bytes, [](C& x) { x.plane = 4090; }) == S::kBadAddress);
  CHECK(row.code(bytes, [](C& x) { x.plane = 5; }) == S::kBadAlignment);
}

TEST_CASE("tensor check: scales and tags") {
  Checker c;
  c.load(mx_load());
  for (unsigned offset = 0; offset < 32; ++offset) {
    const S expected = offset % 4 == 0 && offset <= 12 ? S::kOk : S::kBadScale;
    CHECK(c.code(mx_load(), [&](C& x) { x.scale_offset = offset; }) == expected);
    CHECK(c.code(mx_move(), [&](C& x) { x.scale_offset = offset; }) == expected);
  }
  CHECK(c.code(mx_load(), [](C& x) { x.aux_address = 2; }) == S::kBadScale);
  CHECK(c.code(mx_load(), [](C& x) { x.aux_address = 4080; }) == S::kOk);
  CHECK(c.code(mx_load(), [](C& x) { x.aux_address = 4084; }) == S::kBadScale);
  CHECK(c.code(mx_load(), [](C& x) { x.aux_address = 0xFFFFFFFC; }) == S::kBadScale);
  CHECK(c.code(mx_move(), [](C& x) { x.aux_address = 4092; }) == S::kOk);
  CHECK(c.code(mx_move(), [](C& x) { x.aux_address = 4093; }) == S::kBadScale);
  CHECK(c.code(mx_move(), [](C& x) { x.sbuf_address = 64, x.aux_address = 3, x.step0 = -1; }) ==
        S::kOk);
  CHECK(c.code(mx_move(), [](C& x) { x.sbuf_address = 64, x.aux_address = 2, x.step0 = -1; }) ==
        S::kBadScale);
  const C tags = sparse(load_stationary(8, 9));  // three words
  CHECK(c.code(tags, [](C& x) { x.aux_address = 4090; }) == S::kOk);
  CHECK(c.code(tags, [](C& x) { x.aux_address = 4092; }) == S::kBadScale);
  CHECK(c.code(tags, [](C& x) { x.aux_address = 1; }) == S::kBadScale);
  CHECK(c.code(load_stationary(8, 9), [](C& x) { x.aux_address = 4097; }) == S::kOk);
}

TEST_CASE("tensor check: a multiply needs weights of its tile and kind") {
  Checker c;
  const C load = load_stationary(8, 4), move = multiply_moving(8, 4, 4);
  CHECK(c.code(move) == S::kNoStationary);
  c.load(load);
  CHECK(c.code(move) == S::kOk);
  CHECK(c.code(move, [](C& x) { x.rows = 7; }) == S::kNoStationary);
  CHECK(c.code(move, [](C& x) { x.cols = 5; }) == S::kNoStationary);
  CHECK(c.code(move, [](C& x) { x.row_start = 8; }) == S::kNoStationary);
  CHECK(c.code(move, [](C& x) { x.tile_rows = TensorTileSize::kQuarter; }) == S::kNoStationary);
  CHECK(c.code(move, [](C& x) { x.type = T::kFp16; }) == S::kOk);
  CHECK(c.code(move, [](C& x) { x.type = T::kTf32; }) == S::kNoStationary);
  CHECK(c.code(sparse(move)) == S::kNoStationary);
  c.load(in_mode(load, M::kDense, T::kTf32));
  CHECK(c.code(move) == S::kNoStationary);
  CHECK(c.code(move, [](C& x) { x.type = T::kFp32, x.high_half = true; }) == S::kOk);

  // A tile on some of the cells invalidates the one that covers all of them, and no adjacent tiles.
  C left = load, right = load;
  left.tile_cols = right.tile_cols = TensorTileSize::kHalf;
  right.col_start = 8;
  c.load(load);
  c.load(left);
  const auto as_move = [](C command) {
    command.op = TensorOp::kMultiplyMoving;
    return command;
  };
  CHECK(c.code(move) == S::kNoStationary);
  CHECK(c.code(as_move(left)) == S::kOk);
  CHECK(c.code(as_move(right)) == S::kNoStationary);
  c.load(right);
  CHECK(c.code(as_move(left)) == S::kOk);
  CHECK(c.code(as_move(right)) == S::kOk);
  CHECK(c.code(move) == S::kNoStationary);  // two loads, not one
  // A transpose takes what waits in the shadow.
  c.records.multiply(c.shape, as_move(left));
  c.records.transpose();
  CHECK(c.code(as_move(left)) == S::kOk);
  CHECK(c.code(as_move(right)) == S::kNoStationary);

  c.load(sparse(load_stationary(8, 4), TensorSparsity::k2of4));
  CHECK(c.code(sparse(move, TensorSparsity::k2of4)) == S::kOk);
  CHECK(c.code(sparse(move, TensorSparsity::k2of8)) == S::kNoStationary);

  // Array X keeps its own; transposes leave it alone.
  CHECK(c.code(mx_move()) == S::kNoStationary);
  c.load(mx_load());
  c.records.transpose();
  CHECK(c.code(mx_move()) == S::kOk);
  CHECK(c.code(mx_move(), [](C& x) { x.type = T::kE2m1X4; }) == S::kOk);
  CHECK(c.code(mx_move(), [](C& x) { x.mode = M::kQuad; }) == S::kNoStationary);
  c.load(in_mode(load_stationary(8, 8), M::kDoubleRow, T::kE4m3));
  const C twice = in_mode(multiply_moving(8, 8, 4), M::kDoubleRow, T::kE4m3);
  CHECK(c.code(mx_move()) == S::kNoStationary);
  CHECK(c.code(twice) == S::kOk);
  CHECK(c.code(twice, [](C& x) { x.type = T::kE5m2; }) == S::kOk);
  CHECK(c.code(twice, [](C& x) { x.type = T::kE4m3fn; }) == S::kNoStationary);
}

TEST_CASE("tensor check: the smallest code wins") {
  const Checker c;
  C worst = mx_move();
  worst.type = T::kBf16;
  worst.rows = 5;
  worst.num0 = 0;
  worst.psum_bank = 9;
  worst.sbuf_address = 0xFFFFFFFF;
  worst.aux_address = 0xFFFFFFFF;
  CHECK(c.code(worst) == S::kBadOperation);
  worst.type = T::kE4m3fnX4;
  CHECK(c.code(worst) == S::kBadTile);
  worst.rows = 32;
  CHECK(c.code(worst) == S::kBadMoving);
  worst.num0 = 4;
  CHECK(c.code(worst) == S::kBadPsum);
  worst.psum_bank = 0;
  CHECK(c.code(worst) == S::kBadAlignment);
  worst.sbuf_address = 0xFFFFFFFC;
  CHECK(c.code(worst) == S::kNoStationary);
  Checker loaded;
  loaded.load(mx_load());
  CHECK(loaded.code(worst) == S::kBadAddress);
  worst.sbuf_address = 0;
  CHECK(loaded.code(worst) == S::kBadScale);
}

TEST_CASE(
    "tensor check: a sparse position outside its pattern is reported when the load is complete") {
  const TensorShape shape = tiny_shape();
  FakeSbuf sbuf(shape);
  std::mt19937_64 random(test_seed());
  sbuf.fill(random, 0);
  for (unsigned r = 0; r < 32; ++r) sbuf.put(r, 1024, 0x1010), sbuf.put(r, 1026, 0x1010);
  C load = sparse(load_stationary(8, 6), TensorSparsity::k1of2);
  load.aux_address = 1024;
  C move = sparse(multiply_moving(8, 6, 4, 512), TensorSparsity::k1of2);
  move.plane = 256;
  const auto statuses = [&] {
    TensorModel model(shape, sbuf.view());
    return run(model, {load, move});
  };
  CHECK(statuses()[0].code == S::kOk);
  sbuf.put(8, 1024, 0xFFFF);  // a row beyond the tile
  sbuf.put(3, 1026, 0xFF10);  // columns beyond the tile
  CHECK(statuses()[0].code == S::kOk);
  sbuf.put(7, 1026, 0xFF21);  // position 2 of 0..1
  const std::vector<TensorStatus> bad = statuses();
  CHECK(bad[0].code == S::kBadTag);
  CHECK(bad[0].cycle == 1 + 2 + 32);
  CHECK(bad[1].code == S::kOk);  // it has loaded
}

TEST_CASE("tensor check: a refused command changes nothing but its status") {
  const TensorShape shape = tiny_shape();
  FakeSbuf sbuf(shape);
  std::mt19937_64 random(test_seed());
  sbuf.fill(random, 0);
  TensorModel model(shape, sbuf.view()), other(shape, sbuf.view());
  const C load = load_stationary(8, 8, 0), move = multiply_moving(8, 8, 9, 256);
  C bad_load = load_stationary(8, 8, 4), bad_move = multiply_moving(8, 8, 129, 256);
  bad_load.mode = M::kSparse;
  bad_load.tag = 77;
  bad_move.tag = 78;
  C bad_turn = transpose(8, 8);
  bad_turn.accumulate = true;
  const std::vector<TensorStatus> statuses =
      run(model, {load, bad_load, bad_move, bad_turn, move, bad_move});
  REQUIRE(statuses.size() == 6);
  CHECK(statuses[1].tag == 77);
  CHECK(statuses[1].code == S::kBadAlignment);
  CHECK(statuses[2].tag == 78);
  CHECK(statuses[2].code == S::kBadMoving);
  CHECK(statuses[3].code == S::kBadOperation);
  CHECK(statuses[4].code == S::kOk);
  run(other, {load, move});
  CHECK(read_psum(model) == read_psum(other));
  CHECK(model.counters().load_commands == 1);
  CHECK(model.counters().move_commands == 1);
  CHECK(model.counters().errors == 4);
  CHECK(model.counters().moving_columns == 9);
  CHECK(model.counters().macs == 9 * 64);
}

TEST_CASE("tensor check: what the counters count in each mode") {
  const TensorShape shape = tiny_shape();
  FakeSbuf sbuf(shape);
  const auto macs = [&](const C& load, const C& move) {
    TensorModel model(shape, sbuf.view());
    run(model, {load, move, transpose(5, 5)});
    CHECK(model.counters().load_commands == 2);
    CHECK(model.counters().moving_columns == 4);
    return model.counters().macs;
  };
  CHECK(macs(mx_load(), mx_move()) == 4 * 32 * 16 * 4);
  CHECK(macs(in_mode(mx_load(), M::kQuad, T::kE5m2X4), in_mode(mx_move(), M::kQuad, T::kE5m2X4)) ==
        4 * 32 * 16 * 4);
  CHECK(macs(in_mode(mx_load(), M::kDoubleRow, T::kE5m2),
             in_mode(mx_move(), M::kDoubleRow, T::kE5m2)) == 4 * 32 * 16 * 2);
  CHECK(macs(sparse(load_stationary(8, 6)), sparse(multiply_moving(8, 6, 4))) == 4 * 8 * 6);
}
