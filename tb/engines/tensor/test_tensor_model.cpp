// SPDX-License-Identifier: Apache-2.0
// The tensor model's kernels, corners of its dense arithmetic, its PSUM transfers and observer.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "sw/numerics/bf16.h"
#include "sw/numerics/fp16.h"
#include "sw/numerics/fp_modes.h"
#include "systemc/engines/tensor/tensor_kernel.h"
#include "systemc/engines/tensor/tensor_model.h"
#include "tb/common/seed.h"
#include "tb/engines/tensor/tensor_bench.h"

using namespace tern;      // NOLINT: a test uses the names of what it tests
using namespace tern::tb;  // NOLINT
using numerics::bf16_from_float;
using numerics::bits_of;
using numerics::float_of;
using numerics::fp16_from_float;

namespace {

unsigned pick(std::mt19937_64& random, unsigned low, unsigned high) {
  return low + static_cast<unsigned>(random() % (high - low + 1));
}

// One result: operands a[r] (moving) and w[r] (stationary) in BF16 or FP16 bits, onto an old PSUM
// value.
std::uint32_t one_result(TensorType type, const std::vector<std::uint16_t>& a,
                         const std::vector<std::uint16_t>& w, bool accumulate = false,
                         float old = 0.0f) {
  const TensorShape shape = tiny_shape();
  FakeSbuf sbuf(shape);
  const auto rows = static_cast<unsigned>(a.size());
  for (unsigned r = 0; r < rows; ++r) {
    sbuf.put(r, 0, w[r]);
    sbuf.put(r, 512, a[r]);
  }
  TensorModel model(shape, sbuf.view());
  PsumTransfer preset;
  preset.write = true;
  preset.partitions = 1;
  preset.columns = 1;
  preset.data = &old;
  model.psum_debug(preset);
  TensorCommand load = load_stationary(rows, 1);
  load.type = type;
  TensorCommand multiply = multiply_moving(rows, 1, 1, 512);
  multiply.type = type;
  multiply.accumulate = accumulate;
  for (const TensorStatus& status : run(model, {load, multiply})) {
    REQUIRE(status.code == TensorStatusCode::kOk);
  }
  return read_psum(model)[0];
}

std::uint32_t bf16_result(const std::vector<float>& a, const std::vector<float>& w,
                          bool accumulate = false, float old = 0.0f) {
  std::vector<std::uint16_t> a_bits, w_bits;
  for (float v : a) a_bits.push_back(bf16_from_float(v));
  for (float v : w) w_bits.push_back(bf16_from_float(v));
  return one_result(TensorType::kBf16, a_bits, w_bits, accumulate, old);
}

}  // namespace

TEST_CASE("tensor kernels: all of them give the bits of the fmaf loop") {
  std::mt19937_64 random(test_seed());
  constexpr std::size_t kRows = 37, kPitch = 48;
  std::vector<float> w(kRows * TensorTile::kLanes), x(kRows * TensorTile::kColumns);
  // Exponent fields: moderate; anything; products around the smallest subnormal and around
  // overflow, where a product that is rounded before its addition shows.
  struct Range {
    unsigned low, high;
  };
  for (const Range range : {Range{120, 127}, Range{0, 255}, Range{48, 56}, Range{189, 191}}) {
    CAPTURE(range.low);
    const auto value = [&] {
      return float_of((static_cast<std::uint32_t>(random()) & 0x807F0000) |
                      pick(random, range.low, range.high) << 23);
    };
    std::generate(w.begin(), w.end(), value);
    std::generate(x.begin(), x.end(), value);
    std::vector<float> start(kPitch * TensorTile::kLanes);
    for (float& v : start) v = float_of(static_cast<std::uint32_t>(random()) & 0xBFFFFFFF);
    start[3] = float_of(0x7F800001);
    for (bool accumulate : {false, true}) {
      for (const TensorKernels& kernel : tensor_kernels()) {
        CAPTURE(std::string(kernel.name), accumulate);
        std::vector<float> psum = start;
        kernel.dense({w.data(), x.data(), kRows, psum.data(), kPitch, accumulate, nullptr});
        std::size_t wrong = 0;
        for (std::size_t lane = 0; lane < TensorTile::kLanes; ++lane) {
          for (std::size_t column = 0; column < kPitch; ++column) {
            float y = start[lane * kPitch + column];
            if (column < TensorTile::kColumns) {
              float acc = 0.0f;
              for (std::size_t r = 0; r < kRows; ++r) {
                acc = std::fmaf(x[r * TensorTile::kColumns + column],
                                w[r * TensorTile::kLanes + lane], acc);
              }
              y = accumulate ? y + acc : acc;
              if (std::isnan(y)) y = float_of(0x7FC00000);
            }
            wrong += bits_of(psum[lane * kPitch + column]) != bits_of(y);
          }
        }
        CHECK(wrong == 0);
      }
    }
  }
}

TEST_CASE("tensor model: BF16 stationary with FP16 moving") {
  const TensorShape shape = tiny_shape();
  FakeSbuf sbuf(shape);
  sbuf.put(0, 0, bf16_from_float(3.0f));
  sbuf.put(0, 512, fp16_from_float(0.5f));
  TensorModel model(shape, sbuf.view());
  TensorCommand multiply = multiply_moving(1, 1, 1, 512);
  multiply.type = TensorType::kFp16;
  run(model, {load_stationary(1, 1), multiply});
  CHECK(float_of(read_psum(model)[0]) == 1.5f);
}

TEST_CASE("tensor model: corners of the arithmetic") {
  const float tiny = std::ldexp(1.0f, -133);  // BF16's smallest subnormal
  const float huge = float_of(0x7F7F0000);    // BF16's largest
  // The chain starts from +0, so a negative zero product does not survive.
  CHECK(bf16_result({-0.0f}, {1.0f}) == 0x00000000);
  CHECK(bf16_result({-1.0f, 1.0f}, {1.0f, 1.0f}) == 0x00000000);
  CHECK(bf16_result({-0.0f}, {1.0f}, true, -0.0f) == 0x00000000);
  // Subnormal operands and results count.
  CHECK(bf16_result({tiny}, {1.0f}) == 0x00010000);
  CHECK(bf16_result({tiny}, {std::ldexp(1.0f, -16)}) == 0x00000001);
  CHECK(bf16_result({tiny}, {std::ldexp(1.0f, -17)}) == 0x00000000);  // a tie, to even
  CHECK(bf16_result({tiny}, {std::ldexp(1.5f, -17)}) == 0x00000001);
  CHECK(bf16_result({tiny}, {std::ldexp(1.5f, -16)}) == 0x00000002);  // a tie, to even
  // One rounding per step, in row order: 2^24 + 1 + 1 is not 1 + 1 + 2^24.
  CHECK(float_of(bf16_result({4096, 1, 1}, {4096, 1, 1})) == 16777216.0f);
  CHECK(float_of(bf16_result({1, 1, 4096}, {1, 1, 4096})) == 16777218.0f);
  // The product is not rounded before the addition: (1 + 2^-7)^2 - 1 - 2^-6 = 2^-14, and beyond
  // FP32's 24 bits too.
  CHECK(float_of(bf16_result({-1.015625f, 1.0078125f}, {1.0f, 1.0078125f})) ==
        std::ldexp(1.0f, -14));
  // Nor where the product alone would underflow or overflow.
  CHECK(bf16_result({tiny, tiny}, {std::ldexp(1.0f, -16), std::ldexp(1.0f, -17)}) == 0x00000002);
  CHECK(bf16_result({-std::ldexp(1.0f, 127), std::ldexp(1.0f, 127)}, {1.0f, 2.0f}) == 0x7F000000);
  // Overflow by a step; infinities and their results.
  CHECK(bf16_result({huge, huge}, {1.0f, 1.0f}) == 0x7F800000);
  CHECK(bf16_result({huge, huge}, {1.0f, float_of(0x3B000000)}) == 0x7F7F7F80);
  CHECK(bf16_result({-huge, huge}, {2.0f, 1.0f}) == 0xFF800000);
  CHECK(bf16_result({INFINITY}, {0.0f}) == 0x7FC00000);
  CHECK(bf16_result({INFINITY, -INFINITY}, {1.0f, 1.0f}) == 0x7FC00000);
  CHECK(bf16_result({1.0f}, {1.0f}, true, -INFINITY) == 0xFF800000);
  CHECK(bf16_result({INFINITY}, {1.0f}, true, -INFINITY) == 0x7FC00000);
  // NaN with sign and payload, in an operand or in PSUM, leaves as the canonical one.
  CHECK(one_result(TensorType::kBf16, {0xFFC1}, {0x3F80}) == 0x7FC00000);
  CHECK(one_result(TensorType::kBf16, {0x7F81}, {0x0000}) == 0x7FC00000);
  CHECK(one_result(TensorType::kFp16, {0xFC01}, {0x3C00}) == 0x7FC00000);
  CHECK(bf16_result({1.0f}, {1.0f}, true, float_of(0xFF800001)) == 0x7FC00000);
  CHECK(bf16_result({1.0f}, {1.0f}, false, float_of(0xFF800001)) == 0x3F800000);
  // FP16: subnormals, the largest.
  CHECK(float_of(one_result(TensorType::kFp16, {0x0001}, {0x0001})) == std::ldexp(1.0f, -48));
  CHECK(float_of(one_result(TensorType::kFp16, {0x7BFF}, {0x7BFF})) == 65504.0f * 65504.0f);
  // PSUM accumulation rounds once more: y = 1, psum = 2^24.
  CHECK(float_of(bf16_result({1.0f}, {1.0f}, true, 16777216.0f)) == 16777216.0f);
  CHECK(float_of(bf16_result({1, 1}, {1, 1}, true, 16777216.0f)) == 16777218.0f);
}

#if defined(__SSE2__)
TEST_CASE("tensor model: the caller's floating-point modes do not matter") {
  const unsigned saved = _mm_getcsr();
  _mm_setcsr(0x1F80 | 0x8040 | 0x4000);  // FTZ, DAZ, towards +infinity
  const std::uint32_t subnormal = bf16_result({std::ldexp(1.0f, -120)}, {std::ldexp(1.0f, -20)});
  const std::uint32_t nearest = bf16_result({4096, 1}, {4096, 1});
  _mm_setcsr(saved);
  CHECK(subnormal == 0x00000200);
  CHECK(nearest == bits_of(16777216.0f));
}
#endif

TEST_CASE("tensor model: columns beyond the instruction keep their PSUM") {
  const TensorShape shape = tiny_shape();
  FakeSbuf sbuf(shape);
  for (unsigned r = 0; r < 3; ++r) {
    for (unsigned i = 0; i < 16; ++i) {
      sbuf.put(r, 2 * i, 0x3F80);
      sbuf.put(r, 512 + 2 * i, 0x3F80);
    }
  }
  TensorModel model(shape, sbuf.view());
  std::vector<float> marks(16 * 128, -7.0f);
  PsumTransfer preset;
  preset.write = true;
  preset.partitions = 16;
  preset.columns = 128;
  preset.data = marks.data();
  preset.stride = 128;
  model.psum_debug(preset);
  TensorCommand multiply = multiply_moving(3, 5, 7, 512);
  multiply.psum_bank = 2;
  multiply.psum_column = 4;
  run(model, {load_stationary(3, 5), multiply});
  const std::vector<std::uint32_t> psum = read_psum(model);
  std::size_t wrong = 0;
  for (unsigned p = 0; p < 16; ++p) {
    for (unsigned c = 0; c < 128; ++c) {
      const bool written = p < 5 && c >= 36 && c < 43;
      wrong += float_of(psum[p * 128 + c]) != (written ? 3.0f : -7.0f);
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("tensor model: the observer gets each PSUM column with its cycle") {
  struct Recorder : PsumObserver {
    struct Seen {
      std::uint32_t tag;
      std::uint64_t cycle;
      unsigned column, index;
      std::vector<std::uint32_t> data;
    };
    std::vector<Seen> seen;
    void psum_written(const PsumWrite& write) override {
      seen.push_back({write.tag,
                      write.cycle,
                      write.column,
                      write.index,
                      {write.data, write.data + write.lanes}});
    }
  };
  const TensorShape shape = tiny_shape();
  FakeSbuf sbuf(shape);
  std::mt19937_64 random(test_seed());
  sbuf.fill(random, 0);
  TensorModel model(shape, sbuf.view());
  Recorder recorder;
  model.set_observer(&recorder);
  TensorCommand multiply = multiply_moving(8, 5, 7, 256);
  multiply.tag = 9;
  multiply.psum_bank = 1;
  multiply.psum_column = 3;
  run(model, {load_stationary(8, 5), multiply});
  const std::vector<std::uint32_t> psum = read_psum(model);
  REQUIRE(recorder.seen.size() == 7);
  // LoadStationary issues in 1 and takes ceil(5/4) = 2 cycles, so MultiplyMoving issues in 1 + 2 +
  // 1 = 4.
  for (unsigned n = 0; n < 7; ++n) {
    const Recorder::Seen& seen = recorder.seen[n];
    CHECK(seen.tag == 9);
    CHECK(seen.index == n);
    CHECK(seen.column == 16 + 3 + n);
    CHECK(seen.cycle == 4 + n + 32 + 2);
    REQUIRE(seen.data.size() == 5);
    for (unsigned lane = 0; lane < 5; ++lane) {
      CHECK(seen.data[lane] == psum[lane * 128 + seen.column]);
    }
  }
  model.set_observer(nullptr);
  run(model, {multiply});
  CHECK(recorder.seen.size() == 7);
}
