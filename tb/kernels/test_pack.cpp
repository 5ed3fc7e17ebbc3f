// SPDX-License-Identifier: Apache-2.0
// The packers, unpacked again from docs/numerics.md: where each k is, which scale is whose.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "sw/base/user_error.h"
#include "sw/kernels/pack/double_row_pack.h"
#include "sw/kernels/pack/mx_pack.h"
#include "sw/kernels/pack/nvfp4.h"
#include "sw/kernels/pack/sparse_pack.h"
#include "tb/common/seed.h"
#include "tb/numerics/mx_oracle.h"

namespace tern::tb {

namespace {

using namespace kernels;
using numerics::DType;
using numerics::MxRule;

constexpr MxFormat kFp16{5, 10, 15, 15, true, false};
constexpr MxFormat kBf16{8, 7, 127, 127, true, false};
constexpr MxFormat kE4m3{4, 3, 7, 7, true, false};

template <typename Body>
std::string message_of(Body body) {
  try {
    body();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

// Values with different magnitudes at different positions, zeros among them.
std::vector<float> matrix(std::mt19937_64& random, std::size_t size) {
  std::vector<float> values(size);
  for (float& x : values) {
    const double fraction = 1 + static_cast<double>(random() % 4096) / 4096;
    x = static_cast<float>(std::ldexp(fraction, static_cast<int>(random() % 16) - 8));
    if (random() % 2 == 0) x = -x;
    if (random() % 8 == 0) x = 0;
  }
  return values;
}

struct X4 {
  DType dtype;
  const MxFormat& format;
  unsigned bits;
};
const X4 kX4[] = {
    {DType::kE4m3FnX4, kMxE4m3Fn, 8}, {DType::kE5m2X4, kMxE5m2, 8}, {DType::kE2m1X4, kMxE2m1, 4}};

unsigned code_at(const MxPacked& packed, const X4& x4, std::size_t row, std::size_t column,
                 unsigned slot) {
  const unsigned bytes = x4.bits / 2;
  std::uint32_t word = 0;
  for (unsigned i = 0; i < bytes; ++i) {
    word |= std::uint32_t{packed.data[(row * packed.columns + column) * bytes + i]} << (8 * i);
  }
  return word >> (slot * x4.bits) & ((1u << x4.bits) - 1);
}

// The k of a position, by the rule of sw/kernels/pack/README.md.
std::size_t k_of(std::size_t row, unsigned slot, std::size_t rows) {
  const std::size_t first = row / 128 * 128;
  return first * 4 + slot * std::min<std::size_t>(128, rows - first) + row % 128;
}

}  // namespace

// Blocks of a packed tensor that differ from the reference. value_at(row, slot, column) is the
// value of a position, block_of(row, slot) its block.
template <typename ValueAt, typename BlockOf>
std::size_t count_wrong(const MxPacked& packed, const X4& x4, bool ocp, ValueAt value_at,
                        BlockOf block_of) {
  std::vector<std::vector<double>> members(packed.scales.size());
  std::vector<std::vector<std::uint8_t>> codes(packed.scales.size());
  for (std::size_t row = 0; row < packed.rows; ++row) {
    for (unsigned slot = 0; slot < 4; ++slot) {
      for (std::size_t column = 0; column < packed.columns; ++column) {
        const std::size_t block = block_of(row, slot) * packed.columns + column;
        members[block].push_back(value_at(row, slot, column));
        codes[block].push_back(static_cast<std::uint8_t>(code_at(packed, x4, row, column, slot)));
      }
    }
  }
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const MxBlock expected = mx_reference(x4.format, ocp, members[i]);
    wrong += packed.scales[i] != expected.scale || codes[i] != expected.codes;
  }
  return wrong;
}

TEST_CASE("MX packing: every block has the codes and the scale of its elements") {
  std::mt19937_64 random(test_seed());
  const std::size_t columns = 5;
  for (const X4& x4 : kX4) {
    for (const std::size_t k : {512u, 1024u, 128u, 640u, 700u, 1u}) {
      for (const bool ocp : {false, true}) {
        CAPTURE(k, ocp, x4.bits);
        const auto values = matrix(random, k * columns);
        const MxPacked packed =
            pack_mx(values, k, columns, x4.dtype, ocp ? MxRule::kOcp : MxRule::kAws);
        REQUIRE(packed.rows == k / 512 * 128 + (k % 512 + 127) / 128 * 32);
        REQUIRE(packed.scales.size() == packed.rows / 8 * columns);
        const auto value_at = [&](std::size_t row, unsigned slot, std::size_t column) {
          const std::size_t at = k_of(row, slot, packed.rows);
          return at < k ? values[at * columns + column] : 0.0;
        };
        const auto block_of = [](std::size_t row, unsigned) { return row / 8; };
        CHECK(count_wrong(packed, x4, ocp, value_at, block_of) == 0);
      }
    }
  }
}

TEST_CASE("quad packing: four products side by side, 32 rows of one share a scale") {
  std::mt19937_64 random(test_seed());
  const std::size_t columns = 3;
  for (const X4& x4 : kX4) {
    for (const std::size_t k : {128u, 256u, 32u, 130u}) {
      CAPTURE(k, x4.bits);
      std::array<std::vector<float>, 4> products;
      for (auto& values : products) values = matrix(random, k * columns);
      const MxPacked packed = pack_quad(products, k, columns, x4.dtype, MxRule::kAws);
      REQUIRE(packed.rows == (k + 31) / 32 * 32);
      const auto value_at = [&](std::size_t row, unsigned slot, std::size_t column) {
        return row < k ? products[slot][row * columns + column] : 0.0;
      };
      const auto block_of = [](std::size_t row, unsigned slot) { return row / 32 * 4 + slot; };
      CHECK(count_wrong(packed, x4, false, value_at, block_of) == 0);
    }
  }
}

TEST_CASE("MX packing: unpacked values are near the matrix") {
  std::mt19937_64 random(test_seed());
  const std::size_t k = 512, columns = 3;
  const auto values = matrix(random, k * columns);
  const MxPacked packed = pack_mx(values, k, columns, DType::kE4m3FnX4, MxRule::kAws);
  for (std::size_t row = 0; row < 128; ++row) {
    for (unsigned slot = 0; slot < 4; ++slot) {
      for (std::size_t column = 0; column < columns; ++column) {
        const double x = values[(slot * 128 + row) * columns + column];
        const int scale = packed.scales[row / 8 * columns + column] - 127;
        const double y =
            std::ldexp(kMxE4m3Fn.decode(code_at(packed, kX4[0], row, column, slot)), scale);
        REQUIRE(std::fabs(x - y) <= std::max(std::fabs(x) / 16, std::ldexp(1.0, scale - 10)));
      }
    }
  }
}

TEST_CASE("MX packing: four tensors share a tile of scales") {
  std::mt19937_64 random(test_seed());
  std::vector<MxPacked> tensors;
  std::vector<std::uint8_t> image(128 * 7, 0xAA);
  for (unsigned i = 0; i < 4; ++i) {
    tensors.push_back(pack_mx(matrix(random, 512 * 7), 512, 7, DType::kE5m2X4, MxRule::kOcp));
    place_scales(tensors[i], 4 * i, &image);
  }
  for (std::size_t partition = 0; partition < 128; ++partition) {
    for (std::size_t column = 0; column < 7; ++column) {
      const std::size_t place = partition % 32, quadrant = partition / 32;
      const std::uint8_t expected =
          place < 16 ? tensors[place / 4].scales[(quadrant * 4 + place % 4) * 7 + column] : 0xAA;
      REQUIRE(image[partition * 7 + column] == expected);
    }
  }
  CHECK(message_of([&] { place_scales(tensors[0], 5, &image); }) ==
        "place_scales: offset 5: expected 0, 4, 8 or 12");
  image.pop_back();
  CHECK(message_of([&] { place_scales(tensors[0], 4, &image); }) ==
        "place_scales: an image of 895 bytes: expected 128 x 7");
}

TEST_CASE("MX packing: wrong sizes and formats") {
  CHECK(message_of([] {
          pack_mx({1, 2, 3}, 2, 2, DType::kE5m2X4, MxRule::kOcp);
        }) == "pack_mx: 3 values: expected [2, 2], not empty");
  CHECK(message_of([] { pack_mx({1}, 1, 1, DType::kE5m2, MxRule::kOcp); }) ==
        "pack_mx: expected e4m3fn_x4, e5m2_x4 or e2m1_x4, got e5m2");
}

TEST_CASE("double-row packing: every element in its plane, saturated or not") {
  std::mt19937_64 random(test_seed());
  const struct {
    DType dtype;
    const MxFormat& format;
  } formats[] = {{DType::kE4m3Fn, kMxE4m3Fn}, {DType::kE4m3, kE4m3}, {DType::kE5m2, kMxE5m2}};
  for (const auto& f : formats) {
    for (const std::size_t k : {256u, 512u, 16u, 300u, 7u}) {
      CAPTURE(k);
      const std::size_t columns = 6, pitch = 8;
      const auto values = matrix(random, k * columns);
      const DoubleRowPacked packed = pack_double_row(values, k, columns, f.dtype);
      REQUIRE(packed.pitch == pitch);
      REQUIRE(packed.rows == k / 256 * 128 + (k % 256 + 15) / 16 * 8);
      REQUIRE(packed.data.size() == packed.rows * 2 * pitch);
      std::size_t wrong = 0;
      for (std::size_t row = 0; row < packed.rows; ++row) {
        const std::size_t first = row / 128 * 128;
        const std::size_t rows = std::min<std::size_t>(128, packed.rows - first);
        for (std::size_t plane = 0; plane < 2; ++plane) {
          const std::size_t at = first * 2 + plane * rows + row % 128;
          for (std::size_t column = 0; column < pitch; ++column) {
            const double value = at < k && column < columns ? values[at * columns + column] : 0.0;
            wrong += packed.data[(row * 2 + plane) * pitch + column] != f.format.nearest(value);
          }
        }
      }
      CHECK(wrong == 0);
    }
  }
  const std::vector<float> large = {1e6f, -1e6f, INFINITY, std::nanf("")};
  const auto bytes = [&](DType dtype, numerics::Overflow overflow) {
    const auto data = pack_double_row(large, 1, 4, dtype, overflow).data;
    return std::vector<std::uint8_t>(data.begin(), data.begin() + 4);
  };
  using Bytes = std::vector<std::uint8_t>;
  CHECK(encode_fp8(large, DType::kE5m2) == Bytes{0x7B, 0xFB, 0x7B, 0x7E});
  CHECK(bytes(DType::kE4m3Fn, numerics::Overflow::kSaturate) == Bytes{0x7E, 0xFE, 0x7E, 0x7F});
  CHECK(bytes(DType::kE4m3Fn, numerics::Overflow::kIeee) == Bytes{0x7F, 0x7F, 0x7F, 0x7F});
  CHECK(bytes(DType::kE4m3, numerics::Overflow::kIeee) == Bytes{0x78, 0xF8, 0x78, 0x7C});
  CHECK(bytes(DType::kE5m2, numerics::Overflow::kSaturate) == Bytes{0x7B, 0xFB, 0x7B, 0x7E});
  CHECK(message_of([] { pack_double_row({1}, 1, 1, DType::kBf16); }) ==
        "FP8: expected e4m3, e4m3fn or e5m2, got bf16");
}

TEST_CASE("sparse packing: pruned matrices come back") {
  std::mt19937_64 random(test_seed());
  const struct {
    Sparsity sparsity;
    unsigned m, n;
  } patterns[] = {{Sparsity::k4of16, 4, 16}, {Sparsity::k4of12, 4, 12}, {Sparsity::k4of8, 4, 8},
                  {Sparsity::k2of8, 2, 8},   {Sparsity::k2of4, 2, 4},   {Sparsity::k1of4, 1, 4},
                  {Sparsity::k1of2, 1, 2}};
  for (const auto& p : patterns) {
    for (const std::size_t k : {std::size_t{p.n} * 20, std::size_t{p.n} * 3 + 1}) {
      for (const bool fp16 : {false, true}) {
        CAPTURE(p.m, p.n, k, fp16);
        const std::size_t columns = 7;
        const auto dense = matrix(random, k * columns);
        auto values = dense;
        prune(&values, k, columns, p.sparsity);
        const SparsePacked packed =
            pack_sparse(values, k, columns, p.sparsity, fp16 ? DType::kFp16 : DType::kBf16);
        REQUIRE(packed.rows == (k + p.n - 1) / p.n * p.m);
        REQUIRE(packed.tag_pitch == 4);
        // Scatters the kept values; positions of a group rise.
        std::vector<double> back(k * columns, 0.0);
        std::size_t wrong = 0;
        for (std::size_t column = 0; column < columns; ++column) {
          int previous = -1;
          for (std::size_t row = 0; row < packed.rows; ++row) {
            const std::uint8_t* word = &packed.tags[row * packed.tag_pitch + 2 * (column / 4)];
            const unsigned tags = word[0] | word[1] << 8;
            const int position = static_cast<int>(tags >> (4 * (column % 4)) & 15);
            if (row % p.m == 0) previous = -1;
            wrong += position <= previous || position >= static_cast<int>(p.n);
            previous = position;
            const std::size_t at = row / p.m * p.n + static_cast<std::size_t>(position);
            const std::uint16_t bits = packed.values[row * columns + column];
            if (at < k) back[at * columns + column] = (fp16 ? kFp16 : kBf16).decode(bits);
            wrong += at >= k && bits != 0;
          }
        }
        for (std::size_t i = 0; i < values.size(); ++i) {
          // Eleven or eight significant bits survive.
          wrong += std::fabs(back[i] - values[i]) > std::fabs(values[i]) / (fp16 ? 2048 : 256);
        }
        CHECK(wrong == 0);
        // prune() kept the largest of each group, exactly as many as the pattern allows.
        for (std::size_t first = 0; first < k; first += p.n) {
          for (std::size_t column = 0; column < columns; ++column) {
            std::vector<double> before, after;
            for (std::size_t i = first; i < std::min(k, first + p.n); ++i) {
              before.push_back(std::fabs(dense[i * columns + column]));
              if (values[i * columns + column] != 0) {
                after.push_back(std::fabs(values[i * columns + column]));
                REQUIRE(values[i * columns + column] == dense[i * columns + column]);
              }
            }
            std::sort(before.rbegin(), before.rend());
            std::sort(after.rbegin(), after.rend());
            before.resize(std::min<std::size_t>(before.size(), p.m));
            while (!before.empty() && before.back() == 0) before.pop_back();
            REQUIRE(after == before);
          }
        }
      }
    }
  }
}

TEST_CASE("sparse packing: a matrix that is not sparse is refused by row and column") {
  std::vector<float> values(32 * 3, 0.0f);
  for (const std::size_t row : {16u, 20u, 21u, 29u}) values[row * 3 + 2] = 1;
  CHECK_NOTHROW(pack_sparse(values, 32, 3, Sparsity::k4of16, DType::kBf16));
  values[30 * 3 + 2] = -1;
  CHECK(message_of([&] { pack_sparse(values, 32, 3, Sparsity::k4of16, DType::kBf16); }) ==
        "pack_sparse: row 30, column 2: more than 4 values that are not zero in rows 16..31, the "
        "pattern 4:16 keeps 4");
  CHECK(message_of([&] { pack_sparse(values, 32, 3, Sparsity::k1of2, DType::kFp16); }) ==
        "pack_sparse: row 21, column 2: more than 1 values that are not zero in rows 20..21, the "
        "pattern 1:2 keeps 1");
  CHECK(message_of([&] { pack_sparse(values, 32, 3, Sparsity::k1of2, DType::kFp32); }) ==
        "pack_sparse: expected bf16 or fp16, got fp32");
  values[4] = std::nanf("");
  prune(&values, 32, 3, Sparsity::k1of2);
  CHECK(std::isnan(values[4]));
}

TEST_CASE("NVFP4 storage: nibbles, scales and transposition") {
  std::mt19937_64 random(test_seed());
  Nvfp4Tensor tensor;
  tensor.rows = 5;
  tensor.k = 48;
  tensor.factor = 0.0123f;
  tensor.elements.resize(5 * 24);
  tensor.scales.resize(5 * 3);
  for (auto& byte : tensor.elements) byte = static_cast<std::uint8_t>(random());
  for (auto& byte : tensor.scales) byte = static_cast<std::uint8_t>(random() % 0x7F);
  const auto values = dequantize_nvfp4(tensor);
  REQUIRE(values.size() == 48 * 5);
  for (std::size_t row = 0; row < 5; ++row) {
    for (std::size_t k = 0; k < 48; ++k) {
      const unsigned byte = tensor.elements[row * 24 + k / 2];
      const double element = kMxE2m1.decode(k % 2 == 0 ? byte & 15 : byte >> 4);
      const double scale = kMxE4m3Fn.decode(tensor.scales[row * 3 + k / 16]);
      REQUIRE(values[k * 5 + row] == bf16_of_double(element * scale * double{tensor.factor}));
    }
  }
  tensor.k = 40;
  CHECK(message_of([&] { dequantize_nvfp4(tensor); }) ==
        "dequantize_nvfp4: k = 40: expected a multiple of 16");
  tensor.k = 32;
  CHECK(message_of([&] { dequantize_nvfp4(tensor); }) ==
        "dequantize_nvfp4: 120 bytes of elements: expected 5 x 16");
}

}  // namespace tern::tb
