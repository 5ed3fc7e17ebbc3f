// SPDX-License-Identifier: Apache-2.0
// The modes of the tensor engine as instructions: what ends in PSUM, how other engines read it, and
// which malformed instruction stops the queue with which code of the engine.
#include <catch2/catch.hpp>
#include <cstring>

#include "tb/core/bench/core_bench.h"

using namespace tern;
using namespace tern::tb;

namespace {

constexpr std::uint16_t kOne = 0x3F80, kTwo = 0x4000;  // BF16

tern_ap_t psum(unsigned byte, unsigned columns, unsigned partition = 0) {
  return ap(place(partition, byte, kPsum), columns);
}

void fill(CoreBench& bench, unsigned partitions, std::uint32_t byte, std::uint16_t value,
          unsigned count) {
  for (unsigned p = 0; p < partitions; ++p)
    bench.poke(p, byte, std::vector<std::uint16_t>(count, value));
}

}  // namespace

TEST_CASE("tensor modes: a BF16 result is read by Vector as 16-bit elements") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    fill(bench, 128, 0, kOne, 128);
    fill(bench, 128, 4096, kTwo, 64);
    auto multiply = multiply_moving(ap(place(0, 4096), 64), psum(2048 + 2, 64), 128, 128);
    multiply.multiply_moving.dst_dtype = TERN_DTYPE_BF16;
    bench.execute(TERN_QUEUE_TENSOR, {load_stationary(ap(place(0, 0), 128), 128, 128), multiply});
    const Operand dst{ap(place(0, 8192), 64), TERN_DTYPE_FP32};
    const Operand src{psum(2048 + 2, 64), TERN_DTYPE_BF16};
    bench.execute(TERN_QUEUE_VECTOR, {elementwise(TERN_OPCODE_TENSOR_COPY, 128, dst, src)});
    for (unsigned p = 0; p < 128; p += 31)
      CHECK(bench.peek<float>(p, 8192, 64) == std::vector<float>(64, 256.0f));
    // Every third element, last one first.
    const Operand picked{ap(place(0, 2048 + 2 + 2 * 63, kPsum), 21, -3), TERN_DTYPE_BF16};
    const Operand few{ap(place(0, 8192), 21), TERN_DTYPE_BF16};
    bench.execute(TERN_QUEUE_VECTOR, {elementwise(TERN_OPCODE_TENSOR_COPY, 128, few, picked)});
    CHECK(bench.peek<std::uint16_t>(5, 8192, 21) == std::vector<std::uint16_t>(21, 0x4380));
  });
}

TEST_CASE("tensor modes: a transpose moves bits, in 16- and 32-bit columns") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    for (unsigned p = 0; p < 8; ++p) {
      std::vector<std::uint16_t> row(16);
      for (unsigned c = 0; c < 16; ++c) row[c] = static_cast<std::uint16_t>(0x7F80 + 16 * p + c);
      bench.poke(p, 0, row);  // NaN with payloads among them
    }
    bench.execute(TERN_QUEUE_TENSOR,
                  {transpose(ap(place(0, 0), 16), psum(0, 8), 8, 16),
                   transpose(ap(place(0, 0), 8), psum(2048, 8), 8, 8, TERN_DTYPE_FP32),
                   transpose(ap(place(0, 0), 16), psum(4096, 8), 8, 16, TERN_DTYPE_E5M2)});
    const auto words = [&](unsigned lane, unsigned column, unsigned count) {
      std::vector<std::uint32_t> bits(count);
      const auto values = bench.peek_psum(lane, column, count);
      std::memcpy(bits.data(), values.data(), 4 * count);
      return bits;
    };
    for (unsigned lane = 0; lane < 16; ++lane) {
      const auto got = words(lane, 0, 4);
      const auto bytes = words(lane, 1024, 4);
      for (unsigned k = 0; k < 8; ++k) {
        CHECK((got[k / 2] >> (16 * (k % 2)) & 0xFFFF) == 0x7F80 + 16 * k + lane);
        const unsigned element = 0x7F80 + 16 * k + lane / 2;
        CHECK((bytes[k / 2] >> (16 * (k % 2)) & 0xFFFF) == (element >> (8 * (lane % 2)) & 0xFF));
      }
    }
    for (unsigned lane = 0; lane < 8; ++lane) {
      const auto got = words(lane, 512, 8);
      for (unsigned k = 0; k < 8; ++k) {
        const unsigned low = 0x7F80 + 16 * k + 2 * lane;
        CHECK(got[k] == (low | (low + 1) << 16));
      }
    }
    CHECK(bench.core.tensor_counters().transpose == 3);
  });
}

TEST_CASE("tensor modes: tiles side by side write their own lanes") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    fill(bench, 64, 0, kOne, 512);
    Program program;
    for (unsigned tile = 0; tile < 2; ++tile) {
      auto load = load_stationary(ap(place(32 * tile, 0), 32), 32, 32);
      load.load_stationary.tile_rows = load.load_stationary.tile_cols = TERN_TILE_SIZE_QUARTER;
      load.load_stationary.col_start = static_cast<std::uint8_t>(64 * tile);
      auto multiply =
          multiply_moving(ap(place(32 * tile, 0), 100), psum(0, 100, 64 * tile), 32, 32);
      multiply.multiply_moving.tile_rows = multiply.multiply_moving.tile_cols =
          TERN_TILE_SIZE_QUARTER;
      multiply.multiply_moving.col_start = static_cast<std::uint8_t>(64 * tile);
      program.push_back(load);
      program.push_back(multiply);
    }
    bench.execute(TERN_QUEUE_TENSOR, program);
    CHECK(bench.peek_psum(10, 0, 100) == std::vector<float>(100, 32.0f));
    CHECK(bench.peek_psum(70, 0, 100) == std::vector<float>(100, 32.0f));
    CHECK(bench.peek_psum(40, 0, 100) == std::vector<float>(100, 0.0f));
    // Array multiplications of the mode count once for each packed product.
    CHECK(bench.core.tensor_counters().macs == 2u * 32 * 32 * 100);
  });
}

TEST_CASE("tensor modes: counters know how many products a row packs") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    auto load = load_stationary(ap(place(0, 0), 64), 32, 64, TERN_DTYPE_E2M1_X4);
    load.load_stationary.mode = TERN_TENSOR_MODE_MX;
    load.load_stationary.aux = 1024;
    auto multiply =
        multiply_moving(ap(place(0, 0), 100), psum(0, 100), 32, 64, false, TERN_DTYPE_E4M3FN_X4);
    multiply.multiply_moving.mode = TERN_TENSOR_MODE_MX;
    multiply.multiply_moving.aux = 1024;
    bench.execute(TERN_QUEUE_TENSOR, {load, multiply});
    CHECK(bench.core.tensor_counters().macs == 4u * 32 * 64 * 100);
    bench.core.reset_tensor_counters();
    CHECK(bench.core.tensor_counters().macs == 0);
  });
}

TEST_CASE("tensor modes: what the engine refuses stops the queue with its code") {
  struct Bad {
    const char* what;
    unsigned code;  // of rtl/tensor/README.md
    Program program;
    unsigned index;  // of the instruction refused
  };
  const auto load = [](auto change, unsigned dtype = TERN_DTYPE_BF16, unsigned k = 32,
                       unsigned m = 32) {
    auto in = load_stationary(ap(place(0, 0), m), k, m, dtype);
    change(in.load_stationary);
    return in;
  };
  const auto multiply = [](auto change, unsigned dtype = TERN_DTYPE_BF16) {
    auto in = multiply_moving(ap(place(0, 0), 16), psum(0, 16), 32, 32, false, dtype);
    change(in.multiply_moving);
    return in;
  };
  const auto same = [](auto&) {};
  const auto quarter = [](auto& in) { in.tile_rows = TERN_TILE_SIZE_QUARTER; };
  const auto mx = [](auto& in) { in.mode = TERN_TENSOR_MODE_MX; };
  const auto sparse = [](auto& in) {
    in.mode = TERN_TENSOR_MODE_SPARSE;
    in.sparsity = TERN_SPARSITY_S2_4;
    in.aux = 2048;
  };
  const unsigned x4 = TERN_DTYPE_E4M3FN_X4;
  const std::vector<Bad> cases = {
      {"more rows than the tile", 2, {load(quarter, TERN_DTYPE_BF16, 64)}, 0},
      {"columns in the middle of a half",
       2,
       {load([](auto& in) {
         in.tile_cols = TERN_TILE_SIZE_HALF;
         in.col_start = 32;
       })},
       0},
      {"an MX tile of 16 rows", 2, {load(mx, x4, 16)}, 0},
      {"a sparse tile that cuts a group", 2, {load(sparse, TERN_DTYPE_BF16, 31)}, 0},
      {"a stationary off its elements", 5, {load([](auto& in) { in.src.addr = 3; })}, 0},
      {"a sparse stationary off its alignment",
       5,
       {load([&](auto& in) {
         sparse(in);
         in.src.addr = 4;
       })},
       0},
      {"no stationary", 6, {multiply(same)}, 0},
      {"a stationary of another tile", 6, {load(same), multiply(quarter)}, 1},
      {"a stationary of another format class", 6, {load(same), multiply(same, TERN_DTYPE_TF32)}, 1},
      {"a stationary of another pattern",
       6,
       {load(sparse), multiply([&](auto& in) {
          in.mode = TERN_TENSOR_MODE_SPARSE;
          in.sparsity = TERN_SPARSITY_S1_2;
          in.plane = 64;
        })},
       1},
      {"a plane outside the partition",
       7,
       {load(
           [](auto& in) {
             in.mode = TERN_TENSOR_MODE_DOUBLE_ROW;
             in.plane = 256 * 1024;
           },
           TERN_DTYPE_E5M2)},
       0},
      {"scales outside the partition",
       8,
       {load(
           [&](auto& in) {
             mx(in);
             in.aux = 256 * 1024;
           },
           x4)},
       0},
      {"scales off their alignment",
       8,
       {load(
           [&](auto& in) {
             mx(in);
             in.aux = 2;
           },
           x4)},
       0},
      {"a position outside the pattern", 9, {load(sparse)}, 0},
  };
  CoreBench bench;
  CoreBench::run(bench, [&] {
    for (const Bad& bad : cases) {
      INFO(bad.what);
      // Tags of 4 in a pattern of 4: one beyond the last position, found while loading.
      const std::uint16_t tags = bad.code == 9 ? 0x4444 : 0x0000;
      fill(bench, 32, 2048, tags, 8);
      fill(bench, 32, 0, kOne, 128);
      Program program = bad.program;
      program.push_back(halt());
      CHECK(bench.fails(TERN_QUEUE_TENSOR, program, TERN_ERROR_TENSOR_ENGINE, bad.index) ==
            bad.code);
    }
  });
}
