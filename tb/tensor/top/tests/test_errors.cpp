// SPDX-License-Identifier: Apache-2.0
// Every status code with every reason for it, and their order.
#include <catch2/catch.hpp>
#include <functional>

#include "tb/common/seed.h"
#include "tb/tensor/top/bench/operands.h"
#include "tb/tensor/top/bench/tensor_bench.h"

namespace tern::tb {
namespace {

using Code = TensorStatusCode;
using Type = TensorType;
using Mode = TensorMode;
using Tile = TensorTileSize;
using Change = std::function<void(TensorCommand&)>;

constexpr unsigned kEnd = 256 * 1024;

// One legal command of every operation and mode.
struct Commands {
  TensorCommand load, move;
};

Commands commands(const TensorBench& bench, Mode mode) {
  TensorCommand load = bench.load(0, 32, 16, 64);
  load.mode = mode;
  if (mode == Mode::kDoubleRow) load.type = Type::kE4m3fn;
  if (mode >= Mode::kMx) load.type = Type::kE4m3fnX4;
  load.plane = mode == Mode::kDoubleRow ? 1024 : 0;
  load.aux_address = mode == Mode::kDense ? 0 : 8192;
  TensorCommand move = bench.move(load, 6, 512, 1, 2, false, load.type);
  move.plane = mode == Mode::kSparse || mode == Mode::kDoubleRow ? 2048 : 0;
  return {load, move};
}

TensorCommand changed(TensorCommand c, const Change& change) {
  change(c);
  return c;
}

void expect(TensorBench& bench, const TensorCommand& command, Code code,
            const std::vector<Change>& changes) {
  for (std::size_t i = 0; i < changes.size(); ++i) {
    INFO("change " << i);
    REQUIRE(static_cast<int>(bench.run_one(changed(command, changes[i])).code) ==
            static_cast<int>(code));
  }
}

}  // namespace

TEST_CASE("tiny: every operation, format and mode: which combinations exist") {
  TensorBench bench("tiny");
  unsigned legal = 0;
  for (unsigned op = 0; op < 16; ++op) {
    for (unsigned type = 0; type < 32; ++type) {
      for (unsigned mode = 0; mode < 8; ++mode) {
        TensorCommand c = commands(bench, mode < 5 ? static_cast<Mode>(mode) : Mode::kDense).load;
        c.op = static_cast<TensorOp>(op);
        c.type = static_cast<Type>(type);
        c.mode = static_cast<Mode>(mode);
        const Code code = bench.run_one(c).code;
        legal += code != Code::kBadOperation;
      }
    }
  }
  // Loads and multiplies: 4 + 2 + 3 + 3 + 3 each; transposes: 7.
  REQUIRE(legal == 2 * 15 + 7);
}

TEST_CASE("tiny: bad operation") {
  TensorBench bench("tiny");
  const Commands dense = commands(bench, Mode::kDense), sparse = commands(bench, Mode::kSparse);
  expect(bench, dense.load, Code::kBadOperation,
         {[](auto& c) { c.op = static_cast<TensorOp>(3); },
          [](auto& c) { c.op = static_cast<TensorOp>(200); },
          [](auto& c) { c.type = static_cast<Type>(0); },
          [](auto& c) { c.type = static_cast<Type>(63); },
          [](auto& c) { c.mode = static_cast<Mode>(5); },
          [](auto& c) { c.mode = static_cast<Mode>(200); },
          [](auto& c) { c.tile_rows = static_cast<Tile>(3); },
          [](auto& c) { c.tile_cols = static_cast<Tile>(3); },
          [](auto& c) { c.tile_cols = static_cast<Tile>(4); }});
  expect(bench, dense.move, Code::kBadOperation, {[](auto& c) { c.stochastic = true; }});
  expect(bench, sparse.load, Code::kBadOperation,
         {[](auto& c) { c.sparsity = static_cast<TensorSparsity>(7); },
          [](auto& c) { c.sparsity = static_cast<TensorSparsity>(8); }});
  for (const Mode mode : {Mode::kSparse, Mode::kDoubleRow, Mode::kMx, Mode::kQuad}) {
    for (const TensorCommand& c : {commands(bench, mode).load, commands(bench, mode).move}) {
      expect(bench, c, Code::kBadOperation, {[](auto& d) { d.tile_cols = Tile::kHalf; }});
      // Double row and MX have tiles of rows; here one of too many rows.
      const bool none = mode == Mode::kSparse || mode == Mode::kQuad;
      expect(bench, c, none ? Code::kBadOperation : Code::kBadTile,
             {[](auto& d) { d.tile_rows = Tile::kHalf; },
              [](auto& d) { d.tile_rows = Tile::kQuarter; }});
    }
  }
  const TensorCommand transpose = bench.transpose(0, 32, 16, 0, 0, 0, Type::kFp16);
  expect(bench, transpose, Code::kBadOperation,
         {[](auto& c) { c.mode = Mode::kSparse; }, [](auto& c) { c.mode = Mode::kQuad; },
          [](auto& c) { c.accumulate = true; }, [](auto& c) { c.stochastic = true; },
          [](auto& c) { c.stochastic = c.bf16_result = true; },
          [](auto& c) { c.tile_rows = Tile::kHalf; }, [](auto& c) { c.tile_cols = Tile::kQuarter; },
          [](auto& c) { c.type = Type::kE2m1X4; }});
}

TEST_CASE("tiny: fields that an operation does not use are ignored") {
  TensorBench bench("tiny");
  const Commands dense = commands(bench, Mode::kDense);
  expect(bench, dense.load, Code::kOk,
         {[](auto& c) { c.stochastic = c.accumulate = c.high_half = true; },
          [](auto& c) { c.sparsity = static_cast<TensorSparsity>(7); },
          [](auto& c) { c.plane = 3, c.aux_address = 0xFFFFFFFF, c.scale_offset = 7; },
          [](auto& c) { c.step1 = -77, c.psum_bank = 100, c.psum_column = 60000; }});
  expect(bench, dense.move, Code::kOk,
         {[](auto& c) { c.sparsity = static_cast<TensorSparsity>(7); },
          [](auto& c) { c.plane = 3, c.aux_address = 0xFFFFFFFF, c.scale_offset = 7; }});
  expect(bench, bench.transpose(0, 32, 16, 0, 0, 0, Type::kFp32), Code::kOk,
         {[](auto& c) { c.bf16_result = c.high_half = true; },
          [](auto& c) { c.step1 = -1, c.sparsity = static_cast<TensorSparsity>(7); },
          [](auto& c) { c.plane = 3, c.aux_address = 0xFFFFFFFF, c.scale_offset = 7; }});
  const Commands mx = commands(bench, Mode::kMx);
  bench.run_one(mx.load);
  expect(bench, mx.move, Code::kOk,
         {[](auto& c) { c.plane = 3, c.high_half = true; },
          [](auto& c) { c.sparsity = static_cast<TensorSparsity>(7); }});
}

TEST_CASE("tiny: bad tile") {
  TensorBench bench("tiny");
  const std::vector<Change> everywhere = {[](auto& c) { c.rows = 0; },
                                          [](auto& c) { c.rows = 33; },
                                          [](auto& c) { c.row_start = 8; },
                                          [](auto& c) { c.row_start = 32; },
                                          [](auto& c) { c.row_start = 1000; },
                                          [](auto& c) { c.row_start = 254; },
                                          [](auto& c) { c.rows = 256; },
                                          [](auto& c) { c.cols = 0; },
                                          [](auto& c) { c.cols = 17; },
                                          [](auto& c) { c.cols = 300; },
                                          [](auto& c) { c.col_start = 4, c.cols = 4; },
                                          [](auto& c) { c.col_start = 16; },
                                          [](auto& c) { c.col_start = 256; },
                                          [](auto& c) { c.row_start = 4, c.rows = 8; }};
  for (unsigned mode = 0; mode < 5; ++mode) {
    INFO("mode " << mode);
    expect(bench, commands(bench, static_cast<Mode>(mode)).load, Code::kBadTile, everywhere);
    expect(bench, commands(bench, static_cast<Mode>(mode)).move, Code::kBadTile, everywhere);
  }
  expect(bench, bench.transpose(0, 32, 16, 0, 0, 0, Type::kFp16), Code::kBadTile, everywhere);

  const auto tile = [](Tile rows, unsigned row, unsigned k, Tile cols, unsigned col, unsigned m) {
    return [=](TensorCommand& c) {
      c.tile_rows = rows, c.row_start = row, c.rows = k;
      c.tile_cols = cols, c.col_start = col, c.cols = c.num0 = m;
    };
  };
  const TensorCommand dense = commands(bench, Mode::kDense).load;
  expect(
      bench, dense, Code::kBadTile,
      {tile(Tile::kHalf, 8, 8, Tile::kWhole, 0, 16), tile(Tile::kHalf, 0, 17, Tile::kWhole, 0, 16),
       tile(Tile::kHalf, 16, 17, Tile::kWhole, 0, 16),
       tile(Tile::kQuarter, 0, 9, Tile::kWhole, 0, 16),
       tile(Tile::kQuarter, 4, 4, Tile::kWhole, 0, 16),
       tile(Tile::kWhole, 0, 32, Tile::kHalf, 4, 4), tile(Tile::kWhole, 0, 32, Tile::kHalf, 0, 9),
       tile(Tile::kWhole, 0, 32, Tile::kHalf, 8, 9),
       tile(Tile::kWhole, 0, 32, Tile::kQuarter, 0, 5),
       tile(Tile::kWhole, 0, 32, Tile::kQuarter, 2, 2),
       tile(Tile::kWhole, 0, 32, Tile::kWhole, 8, 8)});
  expect(bench, dense, Code::kOk,
         {tile(Tile::kHalf, 16, 16, Tile::kHalf, 8, 8),
          tile(Tile::kQuarter, 24, 8, Tile::kQuarter, 12, 4),
          tile(Tile::kWhole, 24, 8, Tile::kQuarter, 4, 1),
          tile(Tile::kHalf, 0, 1, Tile::kWhole, 0, 16)});
  TensorCommand sparse = commands(bench, Mode::kSparse).load;
  const unsigned kept[] = {4, 4, 4, 2, 2, 1, 1};
  for (unsigned s = 0; s < 7; ++s) {
    for (unsigned rows = 1; rows <= 8; ++rows) {
      sparse.sparsity = static_cast<TensorSparsity>(s);
      sparse.rows = rows;
      REQUIRE((bench.run_one(sparse).code == Code::kBadTile) == (rows % kept[s] != 0));
    }
  }
  for (unsigned rows = 1; rows <= 32; ++rows) {
    TensorCommand c = commands(bench, Mode::kDoubleRow).load;
    c.rows = rows;
    REQUIRE((bench.run_one(c).code == Code::kBadTile) == (rows % 8 != 0));
    c = commands(bench, Mode::kMx).load;
    c.rows = rows;
    REQUIRE((bench.run_one(c).code == Code::kBadTile) == (rows != 32));
  }
}

TEST_CASE("tiny: bad moving") {
  TensorBench bench("tiny");
  for (unsigned mode = 0; mode < 5; ++mode) {
    TensorCommand move = commands(bench, static_cast<Mode>(mode)).move;
    move.psum_bank = move.psum_column = 0;
    for (const bool half : {false, true}) {
      move.bf16_result = half;
      const unsigned most = half ? 256 : 128;
      const auto numbers = [](unsigned num0, unsigned num1) {
        return [=](TensorCommand& c) { c.num0 = num0, c.num1 = num1, c.step0 = 0; };
      };
      expect(bench, move, Code::kBadMoving,
             {numbers(0, 1), numbers(1, 0), numbers(most + 1, 1), numbers(1, most + 1),
              numbers(2, most / 2 + 1), numbers(65536, 65536), numbers(256, 257),
              numbers(65535, 65535), numbers(70000, 0), numbers(257, 255)});
    }
  }
  // A load or transpose of 16 columns has 16 elements.
  const auto numbers = [](unsigned num0, unsigned num1) {
    return [=](TensorCommand& c) {
      c.num0 = num0, c.num1 = num1, c.step1 = static_cast<int>(num0 % 32768);
    };
  };
  for (unsigned mode = 0; mode < 6; ++mode) {
    const TensorCommand c = mode == 5 ? bench.transpose(0, 32, 16, 0, 0, 0, Type::kE5m2)
                                      : commands(bench, static_cast<Mode>(mode)).load;
    expect(bench, c, Code::kBadMoving,
           {numbers(0, 1), numbers(16, 0), numbers(15, 1), numbers(17, 1), numbers(8, 1),
            numbers(5, 3), numbers(16, 2), numbers(4096, 16), numbers(65535, 65535)});
    expect(bench, c, Code::kOk, {numbers(16, 1), numbers(8, 2), numbers(2, 8), numbers(1, 16)});
  }
}

TEST_CASE("tiny: bad psum") {
  TensorBench bench("tiny");
  const auto place = [](unsigned n, unsigned bank, unsigned column) {
    return [=](TensorCommand& c) { c.num0 = n, c.psum_bank = bank, c.psum_column = column; };
  };
  const Commands dense = commands(bench, Mode::kDense);
  bench.run_one(dense.load);
  TensorCommand half = dense.move;
  half.bf16_result = true;
  expect(bench, dense.move, Code::kBadPsum,
         {place(1, 8, 0), place(1, 200, 0), place(1, 127, 0), place(1, 0, 16), place(1, 0, 65535),
          place(1, 0, 100000), place(6, 7, 11), place(128, 0, 1), place(17, 7, 0)});
  expect(bench, dense.move, Code::kOk, {place(6, 7, 10), place(128, 0, 0), place(1, 7, 15)});
  expect(bench, half, Code::kBadPsum,
         {place(1, 8, 0), place(1, 0, 32), place(256, 0, 1), place(6, 7, 27)});
  expect(bench, half, Code::kOk, {place(6, 7, 26), place(256, 0, 0), place(1, 0, 31)});
  const Commands quad = commands(bench, Mode::kQuad);
  bench.run_one(quad.load);
  half = quad.move;
  half.bf16_result = true;
  expect(bench, quad.move, Code::kBadPsum,
         {place(1, 2, 0), place(1, 7, 0), place(6, 1, 11), place(33, 0, 0)});
  expect(bench, quad.move, Code::kOk, {place(6, 1, 10), place(32, 0, 0), place(1, 1, 15)});
  expect(bench, half, Code::kBadPsum, {place(1, 2, 0), place(65, 0, 0), place(64, 0, 1)});
  expect(bench, half, Code::kOk, {place(64, 0, 0), place(32, 1, 0)});
  const TensorCommand words = bench.transpose(0, 32, 16, 0, 0, 0, Type::kFp32);
  expect(bench, words, Code::kBadPsum, {place(16, 8, 0), place(16, 6, 1), place(16, 0, 16)});
  expect(bench, words, Code::kOk, {place(16, 6, 0), place(16, 0, 15)});
  const TensorCommand halves = bench.transpose(0, 32, 16, 0, 0, 0, Type::kE5m2);
  expect(bench, halves, Code::kBadPsum, {place(16, 7, 1), place(16, 0, 32)});
  expect(bench, halves, Code::kOk, {place(16, 7, 0), place(16, 6, 31)});
}

TEST_CASE("tiny: bad alignment") {
  TensorBench bench("tiny");
  const auto at = [](unsigned offset) {
    return [=](TensorCommand& c) { c.sbuf_address += offset; };
  };
  const auto plane = [](int offset) { return [=](TensorCommand& c) { c.plane += offset; }; };
  // Four columns a cycle, the only rate of these modes.
  for (unsigned mode = 1; mode < 5; ++mode) {
    const TensorCommand load = commands(bench, static_cast<Mode>(mode)).load;
    expect(bench, load, Code::kBadAlignment,
           {at(1), at(2), at(4), at(6), at(7), [](auto& c) { c.step0 = 2; },
            [](auto& c) { c.step0 = 0; }, [](auto& c) { c.step0 = -1, c.sbuf_address = 1024; },
            [](auto& c) { c.num0 = 8, c.num1 = 2, c.step1 = 9; },
            [](auto& c) { c.num0 = 1, c.num1 = 16, c.step1 = 2; }});
  }
  // Dense ones: any element.
  const TensorCommand load = commands(bench, Mode::kDense).load;
  TensorCommand word = load;
  word.type = Type::kTf32;
  expect(bench, load, Code::kBadAlignment, {at(1), at(3), at(7)});
  expect(bench, load, Code::kOk, {at(2), at(4), at(6)});
  expect(bench, word, Code::kBadAlignment, {at(1), at(2), at(3), at(6)});
  expect(bench, word, Code::kOk, {at(4), at(12)});
  expect(bench, bench.transpose(0, 32, 16, 0, 0, 0, Type::kE5m2), Code::kOk,
         {at(1), at(2), at(3), at(4), at(7)});
  expect(bench, bench.transpose(0, 32, 16, 0, 0, 0, Type::kFp16), Code::kBadAlignment,
         {at(1), at(3), at(7)});
  expect(bench, bench.transpose(0, 32, 16, 0, 0, 0, Type::kFp32), Code::kBadAlignment,
         {at(1), at(2), at(7)});
  expect(bench, commands(bench, Mode::kDense).move, Code::kBadAlignment, {at(1), at(3)});
  word = commands(bench, Mode::kDense).move;
  word.type = Type::kTf32;
  expect(bench, word, Code::kBadAlignment, {at(1), at(2), at(3)});
  expect(bench, commands(bench, Mode::kMx).move, Code::kBadAlignment, {at(1), at(2), at(3)});
  word = commands(bench, Mode::kQuad).move;
  word.type = Type::kE2m1X4;
  expect(bench, word, Code::kBadAlignment, {at(1), at(3)});
  expect(bench, commands(bench, Mode::kDoubleRow).load, Code::kBadAlignment,
         {plane(1), plane(2), plane(-1), plane(-2)});
  expect(bench, commands(bench, Mode::kDoubleRow).move, Code::kBadAlignment, {plane(1), plane(-1)});
  expect(bench, commands(bench, Mode::kSparse).move, Code::kBadAlignment, {plane(1), plane(-3)});
  // A byte of double row may be anywhere.
  const Commands rows = commands(bench, Mode::kDoubleRow);
  bench.run_one(rows.load);
  expect(bench, rows.move, Code::kOk, {at(1), at(2), at(3), plane(2)});
}

TEST_CASE("tiny: no stationary, or one that does not fit") {
  TensorBench bench("tiny");
  for (unsigned mode = 0; mode < 5; ++mode)
    REQUIRE(bench.run_one(commands(bench, static_cast<Mode>(mode)).move).code ==
            Code::kNoStationary);
  const Commands dense = commands(bench, Mode::kDense), sparse = commands(bench, Mode::kSparse);
  const Commands rows = commands(bench, Mode::kDoubleRow), mx = commands(bench, Mode::kMx);
  const Commands quad = commands(bench, Mode::kQuad);
  bench.run({dense.load, mx.load});
  expect(bench, dense.move, Code::kNoStationary,
         {[](auto& c) { c.rows = 31; }, [](auto& c) { c.cols = 15; },
          [](auto& c) { c.row_start = 8, c.rows = 24; }, [](auto& c) { c.type = Type::kFp32; },
          [](auto& c) { c.type = Type::kTf32; },
          [](auto& c) { c.tile_rows = Tile::kHalf, c.rows = 16; },
          [](auto& c) { c.tile_cols = Tile::kHalf, c.cols = 8; }});
  REQUIRE(bench.run_one(sparse.move).code == Code::kNoStationary);
  REQUIRE(bench.run_one(quad.move).code == Code::kNoStationary);
  REQUIRE(bench.run_one(rows.move).code == Code::kNoStationary);
  expect(bench, mx.move, Code::kNoStationary, {[](auto& c) { c.cols = 15; }});
  // The loaded weights still wait for their multiplies.
  expect(bench, dense.move, Code::kOk, {[](auto&) {}, [](auto& c) { c.type = Type::kFp16; }});
  expect(bench, mx.move, Code::kOk,
         {[](auto&) {}, [](auto& c) { c.type = Type::kE5m2X4; },
          [](auto& c) { c.type = Type::kE2m1X4; }});
  bench.run({sparse.load, rows.load});
  expect(bench, sparse.move, Code::kNoStationary,
         {[](auto& c) { c.sparsity = TensorSparsity::k4of8; }, [](auto& c) { c.rows = 28; }});
  REQUIRE(bench.run_one(dense.move).code == Code::kNoStationary);
  REQUIRE(bench.run_one(mx.move).code == Code::kNoStationary);
  expect(bench, sparse.move, Code::kOk, {[](auto&) {}, [](auto& c) { c.type = Type::kFp16; }});
  expect(bench, rows.move, Code::kNoStationary,
         {[](auto& c) { c.type = Type::kE4m3; }, [](auto& c) { c.rows = 24; }});
  expect(bench, rows.move, Code::kOk, {[](auto&) {}, [](auto& c) { c.type = Type::kE5m2; }});
  TensorCommand legacy = rows.load;
  legacy.type = Type::kE4m3;
  bench.run_one(legacy);
  expect(bench, rows.move, Code::kNoStationary, {[](auto&) {}});
  expect(bench, rows.move, Code::kOk,
         {[](auto& c) { c.type = Type::kE4m3; }, [](auto& c) { c.type = Type::kE5m2; }});
  // A rejected load does not count, nor does it destroy the loaded weights.
  TensorCommand bad = dense.load;
  bad.sbuf_address = kEnd;
  bench.run({dense.load, bad});
  REQUIRE(bench.run_one(dense.move).code == Code::kOk);
}

TEST_CASE("tiny: bad address") {
  TensorBench bench("tiny");
  const auto at = [](std::uint32_t address) {
    return [=](TensorCommand& c) { c.sbuf_address = address; };
  };
  const std::vector<Change> far = {at(kEnd), at(kEnd + 16), at(0x80000000), at(0xFFFFFFF8)};
  for (unsigned mode = 0; mode < 5; ++mode) {
    const Commands c = commands(bench, static_cast<Mode>(mode));
    expect(bench, c.load, Code::kBadAddress, far);
    bench.run_one(c.load);
    expect(bench, c.move, Code::kBadAddress, far);
  }
  bench.run_one(commands(bench, Mode::kDense).load);
  struct Last {
    Type type;
    unsigned bytes;
  };
  for (const Last& last : {Last{Type::kBf16, 2}, Last{Type::kTf32, 4}}) {
    TensorCommand c = commands(bench, Mode::kDense).load;
    c.type = last.type;
    expect(bench, c, Code::kOk, {at(kEnd - 16 * last.bytes)});
    expect(bench, c, Code::kBadAddress, {at(kEnd - 16 * last.bytes + 8)});
  }
  TensorCommand bytes = bench.transpose(0, 32, 16, 0, 0, 0, Type::kE4m3);
  expect(bench, bytes, Code::kOk, {at(kEnd - 16)});
  expect(bench, bytes, Code::kBadAddress, {at(kEnd - 8)});

  bench.run_one(commands(bench, Mode::kDense).load);
  struct Corner {
    std::uint32_t address;
    unsigned num0;
    int step0;
    unsigned num1;
    int step1;
  };
  const Corner outside[] = {
      {kEnd - 14, 8, 1, 1, 0},   {0, 2, -1, 1, 0},        {kEnd - 2, 1, 0, 2, 1},
      {0, 1, 0, 2, -1},          {16, 5, 32767, 3, 0},    {0x80000000u, 1, 0, 1, 0},
      {0xFFFFFFFEu, 2, 1, 1, 0}, {10, 2, -8, 2, 4},       {kEnd - 10, 2, 8, 2, -2},
      {20, 2, -8, 2, -4},        {kEnd - 20, 2, 8, 2, 4}, {100, 3, 32767, 5, 32767},
      {10, 2, 4, 2, -8},         {kEnd - 10, 2, -2, 2, 8}};
  const Corner inside[] = {{kEnd - 16, 8, 1, 1, 0},
                           {2, 2, -1, 1, 0},
                           {kEnd - 4, 1, 0, 2, 1},
                           {16, 2, -8, 2, 4},
                           {kEnd - 18, 2, 8, 2, -2}};
  const auto corner = [](const Corner& k) {
    return [=](TensorCommand& c) {
      c.sbuf_address = k.address, c.num0 = k.num0, c.step0 = k.step0;
      c.num1 = k.num1, c.step1 = k.step1, c.psum_bank = c.psum_column = 0;
    };
  };
  const TensorCommand move = commands(bench, Mode::kDense).move;
  TensorCommand load = commands(bench, Mode::kDense).load;
  TensorCommand transpose = bench.transpose(0, 32, 16, 0, 0, 0, Type::kFp16);
  for (const bool good : {false, true}) {
    for (const Corner& k : good ? std::vector<Corner>(std::begin(inside), std::end(inside))
                                : std::vector<Corner>(std::begin(outside), std::end(outside))) {
      load.cols = transpose.cols = k.num0 * k.num1;
      for (const TensorCommand& c : {move, load, transpose}) {
        expect(bench, c, good ? Code::kOk : Code::kBadAddress, {corner(k)});
      }
      bench.run_one(commands(bench, Mode::kDense).load);
    }
  }

  const auto plane = [](std::uint32_t address, int distance) {
    return [=](TensorCommand& c) { c.sbuf_address = address, c.plane = distance; };
  };
  const Commands rows = commands(bench, Mode::kDoubleRow);
  expect(bench, rows.load, Code::kBadAddress,
         {plane(64, -68), plane(64, kEnd - 76), plane(kEnd - 16, 4), plane(0, 1 << 30),
          plane(0, -4), plane(0x80000000, -0x7FFFFFFC)});
  expect(bench, rows.load, Code::kOk,
         {plane(64, -64), plane(64, kEnd - 80), plane(kEnd - 16, -16)});
  expect(bench, rows.move, Code::kBadAddress,
         {plane(64, -66), plane(64, kEnd - 68), plane(kEnd - 6, 2), plane(0, 1 << 30)});
  expect(bench, rows.move, Code::kOk, {plane(64, -64), plane(64, kEnd - 70)});
  const unsigned planes[] = {4, 3, 2, 4, 2, 4, 2};
  for (unsigned s = 0; s < 7; ++s) {
    TensorCommand load = commands(bench, Mode::kSparse).load;
    TensorCommand sparse = commands(bench, Mode::kSparse).move;
    load.sparsity = sparse.sparsity = static_cast<TensorSparsity>(s);
    bench.run_one(load);
    const unsigned last = kEnd - 12, room = 4 * (last / 4 / (planes[s] - 1));
    INFO("pattern " << s);
    expect(bench, sparse, Code::kOk,
           {plane(last - (planes[s] - 1) * (room / 2), static_cast<int>(room / 2)),
            plane(240, -240 / static_cast<int>(planes[s] - 1))});
    expect(bench, sparse, Code::kBadAddress,
           {plane(last - (planes[s] - 1) * (room / 2) + 2, static_cast<int>(room / 2)),
            plane(238, -240 / static_cast<int>(planes[s] - 1))});
  }
}

TEST_CASE("tiny: bad scale") {
  TensorBench bench("tiny");
  const auto aux = [](std::uint32_t address) {
    return [=](TensorCommand& c) { c.aux_address = address; };
  };
  const auto offset = [](unsigned value) {
    return [=](TensorCommand& c) { c.scale_offset = value; };
  };
  for (const Mode mode : {Mode::kMx, Mode::kQuad}) {
    const Commands mx = commands(bench, mode);
    expect(bench, mx.load, Code::kBadScale,
           {aux(1), aux(2), aux(3), aux(kEnd - 12), aux(kEnd), aux(0xFFFFFFF0), offset(1),
            offset(2), offset(6), offset(15), offset(16), offset(100)});
    expect(bench, mx.load, Code::kOk,
           {aux(kEnd - 16), aux(0), offset(4), offset(8), offset(12), offset(0)});
    expect(bench, mx.move, Code::kBadScale,
           {aux(kEnd - 5), aux(kEnd), aux(0xFFFFFFF0), offset(3), offset(13), offset(16)});
    expect(bench, mx.move, Code::kOk, {aux(kEnd - 6), aux(0), aux(1), offset(4), offset(12)});
    TensorCommand backwards = mx.move;
    backwards.step0 = -1;
    expect(bench, backwards, Code::kBadScale, {aux(4), aux(0)});
    expect(bench, backwards, Code::kOk, {aux(5)});
    backwards.num0 = 2, backwards.step0 = 3, backwards.num1 = 2, backwards.step1 = -7;
    expect(bench, backwards, Code::kBadScale, {aux(6), aux(kEnd - 3)});
    expect(bench, backwards, Code::kOk, {aux(7), aux(kEnd - 4)});
  }
  TensorCommand sparse = commands(bench, Mode::kSparse).load;
  expect(bench, sparse, Code::kBadScale,
         {aux(1), aux(3), aux(kEnd - 6), aux(kEnd), aux(0xFFFFFFF0)});
  expect(bench, sparse, Code::kOk, {aux(2), aux(kEnd - 8)});
  sparse.cols = sparse.num0 = 13;
  expect(bench, sparse, Code::kBadScale, {aux(kEnd - 6)});
  sparse.cols = sparse.num0 = 12;
  expect(bench, sparse, Code::kOk, {aux(kEnd - 6)});
}

TEST_CASE("tiny: of several violations the smallest code is reported") {
  TensorBench bench("tiny");
  TensorCommand c = commands(bench, Mode::kMx).move;
  c.aux_address = 0x80000000;
  bench.run_one(commands(bench, Mode::kMx).load);
  CHECK(bench.run_one(c).code == Code::kBadScale);
  c.sbuf_address = 0x80000000;
  CHECK(bench.run_one(c).code == Code::kBadAddress);
  bench.run_one(commands(bench, Mode::kQuad).load);
  CHECK(bench.run_one(c).code == Code::kNoStationary);
  c.sbuf_address |= 1;
  CHECK(bench.run_one(c).code == Code::kBadAlignment);
  c.psum_bank = 8;
  CHECK(bench.run_one(c).code == Code::kBadPsum);
  c.num1 = 0;
  CHECK(bench.run_one(c).code == Code::kBadMoving);
  c.rows = 0;
  CHECK(bench.run_one(c).code == Code::kBadTile);
  c.type = static_cast<Type>(3);
  CHECK(bench.run_one(c).code == Code::kBadOperation);
}

TEST_CASE("tiny: what was refused changes nothing, the next program works") {
  TensorBench bench("tiny");
  Random random(test_seed());
  bench.write_psum(0, 16, 0, 128, [&](unsigned, unsigned) { return random_binary32(random); });
  for (unsigned r = 0; r < 32; ++r) {
    for (unsigned i = 0; i < 4096; i += 2)
      bench.sbuf().set(r, i, random_element(random, Type::kBf16, Spread::kNearOne));
  }
  for (unsigned mode = 0; mode < 5; ++mode) {
    const Commands good = commands(bench, static_cast<Mode>(mode));
    TensorCommand bad = good.load;
    bad.sbuf_address += 0x40000;
    TensorCommand other = good.move;
    other.psum_bank = 9;
    // In immediate succession: the refused ones overtake nothing.
    bench.run({good.load, bad, other, good.move, bad, other, good.move, other});
  }
  bench.compare_psum();
}

}  // namespace tern::tb
