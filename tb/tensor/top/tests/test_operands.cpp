// SPDX-License-Identifier: Apache-2.0
// Operand formats of the chains: FP16, BF16, TF32 and the halves of FP32.
#include <catch2/catch.hpp>
#include <cmath>

#include "tb/common/seed.h"
#include "tb/tensor/top/bench/operands.h"
#include "tb/tensor/top/bench/tensor_bench.h"

namespace tern::tb {
namespace {

using Type = TensorType;
constexpr unsigned kLoadAt = 0, kMoveAt = 4096;

// y of the four passes of one FP32 product, as docs/numerics.md orders them.
std::vector<TensorCommand> fp32_passes(const TensorBench& bench, unsigned rows, unsigned cols,
                                       unsigned columns) {
  std::vector<TensorCommand> program;
  for (const bool high_weights : {false, true}) {
    TensorCommand load = bench.load(0, rows, cols, kLoadAt, Type::kFp32);
    load.high_half = high_weights;
    program.push_back(load);
    for (const bool high_moving : {false, true}) {
      program.push_back(
          bench.move(load, columns, kMoveAt, 0, 0, high_weights || high_moving, Type::kFp32));
      program.back().high_half = high_moving;
    }
  }
  return program;
}

}  // namespace

TEST_CASE("tiny: every bf16 and fp16 element is read exactly") {
  TensorBench bench("tiny");
  for (const auto type : {Type::kBf16, Type::kFp16}) {
    const std::uint16_t one = type == Type::kBf16 ? 0x3F80 : 0x3C00;
    // As moving element and as weight, multiplied by one.
    bench.sbuf().set(16, kLoadAt, one);
    const TensorCommand unit = bench.load(16, 1, 1, kLoadAt, type);
    bench.run_one(unit);
    for (unsigned base = 0; base < 65536; base += 128) {
      for (unsigned i = 0; i < 128; ++i)
        bench.sbuf().set(16, kMoveAt + 2 * i, static_cast<std::uint16_t>(base + i));
      bench.run({unit, bench.move(unit, 128, kMoveAt, 0, 0, false, type)});
    }
    bench.sbuf().set(8, kMoveAt, one);
    for (unsigned base = 0; base < 65536; base += 16) {
      if (base / 16 % 4 != 0 && (base & 0x7C00) != 0x7C00 && (base & 0x7C00) != 0) continue;
      for (unsigned i = 0; i < 16; ++i)
        bench.sbuf().set(8, kLoadAt + 2 * i, static_cast<std::uint16_t>(base + i));
      const TensorCommand weights = bench.load(8, 1, 16, kLoadAt, type);
      bench.run({weights, bench.move(weights, 1, kMoveAt, 1, 0, false, type)});
    }
  }
}

TEST_CASE("tiny: fp16 and mixed products are exact, single products and chains") {
  TensorBench bench("tiny");
  Random random(test_seed() + 1);
  struct Pair {
    Type weights, moving;
  };
  for (const Pair& pair : {Pair{Type::kBf16, Type::kBf16}, Pair{Type::kBf16, Type::kFp16},
                           Pair{Type::kFp16, Type::kBf16}, Pair{Type::kFp16, Type::kFp16},
                           Pair{Type::kTf32, Type::kTf32}, Pair{Type::kTf32, Type::kFp32},
                           Pair{Type::kFp32, Type::kTf32}, Pair{Type::kFp32, Type::kFp32}}) {
    const unsigned a = bytes_of(pair.weights), b = bytes_of(pair.moving);
    for (const auto spread : {Spread::kNearOne, Spread::kWide, Spread::kSpecials}) {
      for (unsigned rows : {1u, 2u, 32u}) {
        for (int round = 0; round < 12; ++round) {
          for (unsigned r = 0; r < 32; ++r) {
            for (unsigned i = 0; i < 16; ++i) {
              bench.sbuf().write(r, kLoadAt + a * i, a,
                                 random_element(random, pair.weights, spread));
              bench.sbuf().write(r, kMoveAt + b * i, b,
                                 random_element(random, pair.moving, spread));
            }
          }
          TensorCommand load = bench.load(0, rows, 16, kLoadAt, pair.weights);
          load.high_half = round % 2 != 0;
          TensorCommand move = bench.move(load, 16, kMoveAt, 0, 0, false, pair.moving);
          move.high_half = round / 2 % 2 != 0;
          bench.run({load, move});
        }
      }
    }
  }
}

TEST_CASE("tiny: tf32 cuts thirteen bits and keeps every NaN") {
  TensorBench bench("tiny");
  const std::uint32_t words[] = {0x3F801FFF, 0x3F802000, 0x3FFFFFFF, 0x7F800001,
                                 0x7F801FFF, 0x7F800000, 0xFF800000, 0x00001FFF,
                                 0x00002000, 0x007FFFFF, 0x7F7FFFFF, 0x80000001,
                                 0xFFC00000, 0xBF80FFFF, 0x00800001, 0};
  for (unsigned i = 0; i < 16; ++i) {
    bench.sbuf().write(0, kLoadAt + 4 * i, 4, words[i]);
    bench.sbuf().write(0, kMoveAt + 4 * i, 4, words[i]);
    bench.sbuf().write(8, kLoadAt + 4 * i, 4, 0x3F800000);
    bench.sbuf().write(8, kMoveAt + 4 * i, 4, words[i]);
  }
  const TensorCommand load = bench.load(0, 1, 16, kLoadAt, Type::kTf32);
  bench.run({load, bench.move(load, 16, kMoveAt, 0, 0, false, Type::kTf32)});
  const TensorCommand ones = bench.load(8, 1, 16, kLoadAt, Type::kTf32);
  bench.run({ones, bench.move(ones, 16, kMoveAt, 0, 0, false, Type::kTf32)});
  CHECK(bench.reference().psum(3, 0) == 0x3F800000);
  CHECK(bench.reference().psum(3, 1) == 0x3F802000);
  CHECK(bench.reference().psum(3, 3) == 0x7FC00000);
  CHECK(bench.reference().psum(3, 5) == 0x7F800000);
  CHECK(bench.reference().psum(3, 7) == 0x00000000);
  CHECK(bench.reference().psum(3, 8) == 0x00002000);
  bench.compare_psum();
}

TEST_CASE("tiny: fp32 halves: every bit of the significand, subnormals, infinities") {
  TensorBench bench("tiny");
  Random random(test_seed());
  std::vector<std::uint32_t> words = special_binary32();
  for (unsigned bit = 0; bit < 32; ++bit) {
    words.push_back(0x3F800000 ^ 1u << bit);
    words.push_back(1u << bit);
    words.push_back(0x4B000000 | (0xFFFFFF >> bit));
  }
  while (words.size() % 128 != 0) words.push_back(random_binary32(random));
  for (const bool high_load : {false, true}) {
    for (const bool high_move : {false, true}) {
      for (std::size_t first = 0; first < words.size(); first += 128) {
        for (unsigned i = 0; i < 128; ++i)
          bench.sbuf().write(24, kMoveAt + 4 * i, 4, words[first + i]);
        for (unsigned i = 0; i < 16; ++i) {
          // Both halves of 1 + 2^-23 are powers of two.
          bench.sbuf().write(24, kLoadAt + 4 * i, 4,
                             i < 4 ? 0x3F800001 : words[(first + 37 * i) % words.size()]);
        }
        TensorCommand load = bench.load(24, 1, 16, kLoadAt, Type::kFp32);
        load.high_half = high_load;
        TensorCommand move = bench.move(load, 128, kMoveAt, 0, 0, false, Type::kFp32);
        move.high_half = high_move;
        bench.run({load, move});
      }
    }
  }
  bench.compare_psum();
}

TEST_CASE("tiny: four passes make an fp32 product") {
  TensorBench bench("tiny");
  Random random(test_seed());
  for (int round = 0; round < 40; ++round) {
    const unsigned rows = round == 0 ? 1 : between(random, 1, 32);
    for (unsigned r = 0; r < 32; ++r) {
      for (unsigned i = 0; i < 16; ++i) {
        bench.sbuf().write(r, kLoadAt + 4 * i, 4,
                           random_element(random, Type::kFp32, Spread::kNearOne));
        bench.sbuf().write(r, kMoveAt + 4 * i, 4,
                           random_element(random, Type::kFp32, Spread::kNearOne));
      }
    }
    bench.run(fp32_passes(bench, rows, 16, 16));
    // Against the sum in double: the bits of a plain BF16 or TF32 product would not do.
    for (unsigned lane = 0; lane < 16; ++lane) {
      double exact = 0, magnitude = 0;
      for (unsigned r = 0; r < rows; ++r) {
        const double product =
            static_cast<double>(float_of(bench.sbuf().read(r, kLoadAt + 4 * lane, 4))) *
            static_cast<double>(float_of(bench.sbuf().read(r, kMoveAt, 4)));
        exact += product;
        magnitude += std::abs(product);
      }
      const double error =
          std::abs(static_cast<double>(float_of(bench.reference().psum(lane, 0))) - exact);
      REQUIRE(error <= magnitude * (rows + 4) * 0x1p-24);
    }
  }
}

}  // namespace tern::tb
