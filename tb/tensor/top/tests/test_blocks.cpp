// SPDX-License-Identifier: Apache-2.0
// Array X: exact block sums, scales, quad mode, double row.
#include <catch2/catch.hpp>
#include <cmath>

#include "tb/common/seed.h"
#include "tb/tensor/top/bench/operands.h"
#include "tb/tensor/top/bench/tensor_bench.h"

namespace tern::tb {
namespace {

using Mode = TensorMode;
using Type = TensorType;

constexpr unsigned kRows = 32, kCols = 16, kColumns = 128;  // of the tiny engine; of PSUM
constexpr unsigned kLoadAt = 0, kMoveAt = 1024, kLoadScales = 4096, kMoveScales = 6144;

// One product of the whole array per run, with operands and scales at fixed positions.
class BlockProbe {
 public:
  BlockProbe(TensorBench& bench, Mode mode, Type weights, Type moving) : bench_(bench) {
    load_ = bench.load(0, kRows, kCols, kLoadAt, weights);
    load_.mode = mode;
    load_.aux_address = kLoadScales;
    load_.plane = mode == Mode::kDoubleRow ? 512 : 0;
    move_ = bench.move(load_, kColumns, kMoveAt, 0, 0, false, moving);
    move_.aux_address = kMoveScales;
    move_.plane = mode == Mode::kDoubleRow ? 1024 : 0;
    if (mode == Mode::kQuad) move_.num0 = kColumns / 4;
    for (unsigned p = 0; p < kRows; ++p) {
      for (unsigned i = 0; i < 8192; i += 4) bench.sbuf().write(p, i, 4, 0);
      for (unsigned i = 4096; i < 8192; i += 4) bench.sbuf().write(p, i, 4, 0x7F7F7F7F);
    }
  }

  unsigned columns() const { return move_.num0; }
  // Element `slot` (double row: of plane `slot`) of row r.
  void weight(unsigned r, unsigned slot, unsigned lane, unsigned bits) {
    put(load_, kLoadAt, r, slot, lane, bits);
  }
  void moving(unsigned r, unsigned slot, unsigned column, unsigned bits) {
    put(move_, kMoveAt, r, slot, column, bits);
  }
  void weight_scale(unsigned partition, unsigned lane, unsigned bits) {
    bench_.sbuf().write(partition, kLoadScales + lane, 1, bits);
  }
  void moving_scale(unsigned partition, unsigned column, unsigned bits) {
    bench_.sbuf().write(partition, kMoveScales + column, 1, bits);
  }
  void run() { bench_.run({load_, move_}); }
  float result(unsigned lane, unsigned column) const {
    return float_of(bench_.reference().psum(lane, column));
  }
  TensorCommand& load() { return load_; }
  TensorCommand& move() { return move_; }

 private:
  void put(const TensorCommand& c, unsigned base, unsigned r, unsigned slot, unsigned i,
           unsigned bits) {
    TestSbuf& sbuf = bench_.sbuf();
    if (c.mode == Mode::kDoubleRow) {
      sbuf.write(r, base + i + slot * static_cast<unsigned>(c.plane), 1, bits);
    } else if (c.type == Type::kE2m1X4) {
      const unsigned old = sbuf.read(r, base + 2 * i, 2), shift = 4 * slot;
      sbuf.write(r, base + 2 * i, 2, (old & ~(15u << shift)) | bits << shift);
    } else {
      sbuf.write(r, base + 4 * i + slot, 1, bits);
    }
  }
  TensorBench& bench_;
  TensorCommand load_, move_;
};

// Every pair of bytes (nibbles) once: 16 weights by all moving columns per run.
void all_pairs(Mode mode, Type weights, Type moving) {
  TensorBench bench("tiny");
  BlockProbe probe(bench, mode, weights, moving);
  const unsigned lane_codes = weights == Type::kE2m1X4 ? 16 : 256;
  const unsigned column_codes = moving == Type::kE2m1X4 ? 16 : 256;
  unsigned pairs = 0;
  for (unsigned w = 0; w < lane_codes; w += kCols) {
    for (unsigned m = 0; m < column_codes; m += probe.columns()) {
      // Another element of the block in every run; in quad mode each slot takes other pairs.
      const unsigned r = (w / kCols + m) % kRows, slots = mode == Mode::kQuad ? 4 : 1;
      const unsigned slot = mode == Mode::kDoubleRow ? w / kCols % 2 : w / kCols % 4;
      const auto put = [&](bool zero) {
        for (unsigned s = 0; s < slots; ++s) {
          const unsigned q = (slot + s) % 4;
          for (unsigned lane = 0; lane < kCols; ++lane)
            probe.weight(r, mode == Mode::kDoubleRow ? slot : q, lane, zero ? 0 : w + lane);
          for (unsigned n = 0; n < probe.columns(); ++n) {
            const unsigned code = (m + n + s * (column_codes / 4)) % column_codes;
            probe.moving(r, mode == Mode::kDoubleRow ? slot : q, n, zero ? 0 : code);
          }
        }
      };
      put(false);
      probe.run();
      for (unsigned lane = 0; lane < kCols; ++lane) {
        for (unsigned n = 0; n < probe.columns(); ++n) {
          // Finite elements are exact in float, and so is their product.
          const Fixed a = fixed_of(weights, w + lane), b = fixed_of(moving, (m + n) % column_codes);
          if (a.kind != Fixed::kFinite || b.kind != Fixed::kFinite || mode == Mode::kQuad) continue;
          const float product = std::ldexp(static_cast<float>(a.value), -16) *
                                std::ldexp(static_cast<float>(b.value), -16);
          if (probe.result(lane, n) != product) REQUIRE(probe.result(lane, n) == product);
        }
      }
      put(true);
      pairs += kCols * std::min(probe.columns(), column_codes);
    }
  }
  REQUIRE(pairs >= lane_codes * column_codes);
}

}  // namespace

TEST_CASE("tiny: all 65,536 pairs of E4M3FN through the MX array") {
  all_pairs(Mode::kMx, Type::kE4m3fnX4, Type::kE4m3fnX4);
}
TEST_CASE("tiny: all 65,536 pairs of E5M2 through the MX array") {
  all_pairs(Mode::kMx, Type::kE5m2X4, Type::kE5m2X4);
}
TEST_CASE("tiny: all pairs of E4M3FN with E5M2 and with E2M1 through the MX array") {
  all_pairs(Mode::kMx, Type::kE4m3fnX4, Type::kE5m2X4);
  all_pairs(Mode::kMx, Type::kE2m1X4, Type::kE4m3fnX4);
  all_pairs(Mode::kMx, Type::kE5m2X4, Type::kE2m1X4);
  all_pairs(Mode::kMx, Type::kE2m1X4, Type::kE2m1X4);
}
TEST_CASE("tiny: all pairs of legacy E4M3 and of E5M2 in double row") {
  all_pairs(Mode::kDoubleRow, Type::kE4m3, Type::kE4m3);
  all_pairs(Mode::kDoubleRow, Type::kE4m3, Type::kE5m2);
  all_pairs(Mode::kDoubleRow, Type::kE5m2, Type::kE5m2);
  all_pairs(Mode::kDoubleRow, Type::kE4m3fn, Type::kE4m3fn);
}
TEST_CASE("tiny: all pairs of E4M3FN and of E5M2 in quad mode") {
  all_pairs(Mode::kQuad, Type::kE4m3fnX4, Type::kE4m3fnX4);
  all_pairs(Mode::kQuad, Type::kE5m2X4, Type::kE5m2X4);
}

TEST_CASE("tiny: every pair of scale bytes, normal to subnormal and infinite results") {
  TensorBench bench("tiny");
  Random random(test_seed());
  for (const Mode mode : {Mode::kMx, Mode::kQuad}) {
    BlockProbe probe(bench, mode, Type::kE4m3fnX4, Type::kE5m2X4);
    // Sums of many bits, so that subnormal results round.
    for (unsigned r = 0; r < kRows; ++r) {
      for (unsigned slot = 0; slot < 4; ++slot) {
        for (unsigned lane = 0; lane < kCols; ++lane)
          probe.weight(r, slot, lane, random_element(random, Type::kE4m3fn, Spread::kWide));
        for (unsigned n = 0; n < probe.columns(); ++n)
          probe.moving(r, slot, n, random_element(random, Type::kE5m2, Spread::kWide));
      }
    }
    for (unsigned w = 0; w < 256; w += kCols) {
      for (unsigned m = 0; m < 256; m += probe.columns()) {
        // One block at a time has the scales under test; the others are at their smallest.
        const unsigned block = (w / kCols + m / 32) % 4;
        for (unsigned i = 0; i < 4; ++i) {
          for (unsigned lane = 0; lane < kCols; ++lane)
            probe.weight_scale(i, lane, i == block || mode == Mode::kQuad ? w + lane : 0);
          for (unsigned n = 0; n < probe.columns(); ++n)
            probe.moving_scale(i, n, i == block || mode == Mode::kQuad ? m + n : 0);
        }
        probe.run();
      }
    }
  }
}

TEST_CASE("tiny: block sums are exact, whatever cancels") {
  TensorBench bench("tiny");
  BlockProbe probe(bench, Mode::kMx, Type::kE5m2X4, Type::kE5m2X4);
  // 57344^2 and its negative around the smallest product, 2^-32, in every pair of positions of a
  // block.
  for (unsigned n = 0; n < kColumns; ++n) {
    for (unsigned row = 0; row < 8; ++row) {
      for (unsigned slot = 0; slot < 4; ++slot) probe.moving(row, slot, n, 0);
    }
    const unsigned plus = n % 32, minus = (n + 1 + n / 32) % 32, small = (n + 7 + n / 32) % 32;
    probe.moving(plus / 4, plus % 4, n, 0x7B);
    probe.moving(minus / 4, minus % 4, n, 0xFB);
    if (small != plus && small != minus) probe.moving(small / 4, small % 4, n, 0x01);
  }
  for (unsigned row = 0; row < 8; ++row) {
    for (unsigned slot = 0; slot < 4; ++slot) {
      for (unsigned lane = 0; lane < kCols; ++lane) probe.weight(row, slot, lane, 0x7B);
    }
  }
  probe.run();
  REQUIRE(probe.result(0, 0) == 57344.0f * 0x1p-16f);
  // All positions full: the largest sum.
  for (unsigned row = 0; row < kRows; ++row) {
    for (unsigned slot = 0; slot < 4; ++slot) {
      for (unsigned lane = 0; lane < kCols; ++lane)
        probe.weight(row, slot, lane, lane % 2 != 0 ? 0xFB : 0x7B);
      for (unsigned n = 0; n < kColumns; ++n) probe.moving(row, slot, n, n % 3 != 0 ? 0x7B : 0x01);
    }
  }
  probe.run();
  REQUIRE(probe.result(0, 1) == 128.0f * 57344.0f * 57344.0f);
}

TEST_CASE("tiny: NaN and infinities in blocks") {
  TensorBench bench("tiny");
  for (const Mode mode : {Mode::kMx, Mode::kQuad, Mode::kDoubleRow}) {
    const bool rows = mode == Mode::kDoubleRow;
    BlockProbe probe(bench, mode, rows ? Type::kE5m2 : Type::kE5m2X4,
                     rows ? Type::kE5m2 : Type::kE5m2X4);
    // Weights per lane and moving elements per column at two positions of the block.
    const unsigned codes[] = {0x00, 0x80, 0x3C, 0xBC, 0x7C, 0xFC, 0x7D, 0x7B};
    for (const unsigned second : {0u, 1u}) {
      for (unsigned lane = 0; lane < kCols; ++lane) {
        probe.weight(2, 0, lane, codes[lane % 8]);
        probe.weight(3 + 4 * second, rows ? second : 0, lane, codes[(lane / 8 + 2) % 8]);
      }
      for (unsigned n = 0; n < probe.columns(); ++n) {
        probe.moving(2, 0, n, codes[n % 8]);
        probe.moving(3 + 4 * second, rows ? second : 0, n, codes[n / 8 % 8]);
      }
      probe.run();
    }
  }
  // A NaN scale counts even for a block of zeros; in MX its block is every lane's own.
  BlockProbe probe(bench, Mode::kMx, Type::kE4m3fnX4, Type::kE2m1X4);
  probe.weight_scale(1, 3, 0xFF);
  probe.moving_scale(2, 5, 0xFF);
  probe.run();
  REQUIRE(std::isnan(probe.result(3, 0)));
  REQUIRE(std::isnan(probe.result(0, 5)));
  REQUIRE(probe.result(0, 0) == 0.0f);
}

TEST_CASE("tiny: scales of all four tensors that share a tile") {
  TensorBench bench("tiny");
  for (const Mode mode : {Mode::kMx, Mode::kQuad}) {
    BlockProbe probe(bench, mode, Type::kE4m3fnX4, Type::kE4m3fnX4);
    for (unsigned r = 0; r < kRows; ++r) {
      for (unsigned slot = 0; slot < 4; ++slot) {
        for (unsigned lane = 0; lane < kCols; ++lane) probe.weight(r, slot, lane, 0x38 + r % 8);
        for (unsigned n = 0; n < probe.columns(); ++n) probe.moving(r, slot, n, 0x38 + slot);
      }
      for (unsigned lane = 0; lane < kCols; ++lane)
        probe.weight_scale(r, lane, 120 + (r + lane) % 16);
      for (unsigned n = 0; n < probe.columns(); ++n) probe.moving_scale(r, n, 120 + (r + n) % 16);
    }
    for (const unsigned a : {0u, 4u, 8u, 12u}) {
      for (const unsigned b : {0u, 4u, 8u, 12u}) {
        probe.load().scale_offset = a;
        probe.move().scale_offset = b;
        probe.move().num0 = 5;
        probe.move().num1 = 3;
        probe.move().step1 = 7;
        probe.move().psum_bank = b / 8;
        probe.run();
      }
    }
  }
  bench.compare_psum();
}

TEST_CASE("tiny: random blocks of every pair of formats") {
  TensorBench bench("tiny");
  Random random(test_seed());
  const std::vector<Type> x4 = {Type::kE4m3fnX4, Type::kE5m2X4, Type::kE2m1X4},
                          bytes = {Type::kE4m3fn, Type::kE5m2};
  for (int round = 0; round < 120; ++round) {
    const Mode mode = pick(random, std::vector<Mode>{Mode::kMx, Mode::kQuad, Mode::kDoubleRow});
    const auto& types = mode == Mode::kDoubleRow ? bytes : x4;
    BlockProbe probe(bench, mode, pick(random, types), pick(random, types));
    const auto spread = static_cast<Spread>(round % 5 == 4 ? 2 : round % 2);
    const auto element = [&](Type type) {
      const Type single = type == Type::kE4m3fnX4 ? Type::kE4m3fn : Type::kE5m2;
      return type == Type::kE2m1X4 ? below(random, 16)
                                   : random_element(random, is_x4(type) ? single : type, spread);
    };
    const unsigned slots = mode == Mode::kDoubleRow ? 2 : 4;
    for (unsigned r = 0; r < kRows; ++r) {
      for (unsigned slot = 0; slot < slots; ++slot) {
        for (unsigned lane = 0; lane < kCols; ++lane)
          probe.weight(r, slot, lane, element(probe.load().type));
        for (unsigned n = 0; n < probe.columns(); ++n)
          probe.moving(r, slot, n, element(probe.move().type));
      }
      for (unsigned lane = 0; lane < kCols; ++lane)
        probe.weight_scale(r, lane,
                           round % 3 == 0 ? below(random, 256) : between(random, 110, 140));
      for (unsigned n = 0; n < probe.columns(); ++n)
        probe.moving_scale(r, n, round % 3 == 0 ? below(random, 256) : between(random, 110, 140));
    }
    probe.move().accumulate = round % 2 != 0;
    probe.run();
  }
  bench.compare_psum();
}

}  // namespace tern::tb
