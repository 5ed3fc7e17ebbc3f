// SPDX-License-Identifier: Apache-2.0
// quantize_mx and dequantize_mx on the core, against docs/numerics.md in double
// (tb/numerics/mx_oracle.h) and its locations of scales in memory.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>

#include "tb/common/seed.h"
#include "tb/core/bench/core_bench.h"
#include "tb/numerics/mx_oracle.h"

using namespace tern;
using namespace tern::tb;

namespace {

constexpr MxFormat kBf16{8, 7, 127, 127, true, false};
constexpr MxFormat kFp16{5, 10, 15, 15, true, false};
constexpr unsigned kSlots = 4, kBlockRows = 8, kSize = 16384;

// A whole SBUF image of the first bytes of every partition, as the test expects it.
using Image = std::vector<std::vector<std::uint8_t>>;

Image fill(CoreBench& bench, std::mt19937_64& random) {
  Image image(128, std::vector<std::uint8_t>(kSize));
  for (unsigned p = 0; p < 128; ++p) {
    for (auto& byte : image[p]) byte = static_cast<std::uint8_t>(random());
    bench.poke(p, 0, image[p]);
  }
  return image;
}

void expect(CoreBench& bench, const Image& image) {
  for (unsigned p = 0; p < 128; ++p) {
    CAPTURE(p);
    REQUIRE(bench.peek<std::uint8_t>(p, 0, kSize) == image[p]);
  }
}

template <typename T>
T load(const Image& image, unsigned p, std::size_t byte) {
  T value;
  std::memcpy(&value, &image[p][byte], sizeof value);
  return value;
}
template <typename T>
void store(Image* image, unsigned p, std::size_t byte, T value) {
  std::memcpy(&(*image)[p][byte], &value, sizeof value);
}

// Element k of a pattern, in elements from its start.
std::ptrdiff_t step(const tern_ap_t& ap, unsigned k) {
  return std::ptrdiff_t{ap.step0} * (k % ap.num0) + std::ptrdiff_t{ap.step1} * (k / ap.num0);
}

// The location of element k of an operand.
std::size_t byte_of(const Operand& operand, unsigned size, unsigned k) {
  const std::ptrdiff_t base = operand.pattern.addr & 0xFFFFFF;
  return static_cast<std::size_t>(base + step(operand.pattern, k) * static_cast<int>(size));
}
unsigned partition_of(const Operand& operand) {
  return operand.pattern.addr >> 24 & 0x7F;
}

unsigned scale_partition(const Operand& scales, unsigned row) {
  return partition_of(scales) + 32 * (row / 32) + row % 32 / kBlockRows;
}

std::vector<double> with_magnitudes(std::mt19937_64& random, std::size_t count) {
  std::vector<double> values(count);
  const int center = static_cast<int>(random() % 20) - 10;
  for (double& x : values) {
    x = std::ldexp(1 + static_cast<double>(random() % 128) / 128,
                   center - static_cast<int>(random() % 14));
    if ((random() & 1) != 0) x = -x;
  }
  return values;
}

// Puts useful numbers where an instruction reads BF16 or FP16.
void write_source(CoreBench& bench, Image* image, const Operand& source, unsigned partitions,
                  unsigned count, std::mt19937_64& random) {
  const bool fp16 = source.dtype == TERN_DTYPE_FP16;
  for (unsigned p = 0; p < partitions; ++p) {
    const unsigned partition = partition_of(source) + p;
    const auto values = with_magnitudes(random, count);
    for (unsigned k = 0; k < count; ++k) {
      store<std::uint16_t>(
          image, partition, byte_of(source, 2, k),
          fp16 ? static_cast<std::uint16_t>(random() & 0xBFFF) : bf16_of_double(values[k]));
    }
    bench.poke(partition, 0, (*image)[partition]);
  }
}

void quantize_in(Image* image, unsigned partitions, const Operand& dst, const Operand& source,
                 const Operand& scales, bool ocp, unsigned columns) {
  const MxFormat& from = source.dtype == TERN_DTYPE_FP16 ? kFp16 : kBf16;
  const MxFormat& to = dst.dtype == TERN_DTYPE_E5M2_X4 ? kMxE5m2 : kMxE4m3Fn;
  const Image before = *image;
  for (unsigned row = 0; row < partitions; row += kBlockRows) {
    for (unsigned j = 0; j < columns; ++j) {
      std::vector<double> block;
      for (unsigned i = 0; i < kBlockRows; ++i) {
        for (unsigned q = 0; q < kSlots; ++q) {
          block.push_back(from.decode(load<std::uint16_t>(before, partition_of(source) + row + i,
                                                          byte_of(source, 2, kSlots * j + q))));
        }
      }
      const MxBlock result = mx_reference(to, ocp, block);
      for (unsigned i = 0; i < block.size(); ++i) {
        (*image)[partition_of(dst) + row + i / kSlots][byte_of(dst, 4, j) + i % kSlots] =
            result.codes[i];
      }
      (*image)[scale_partition(scales, row)][byte_of(scales, 1, j)] = result.scale;
    }
  }
}

}  // namespace

TEST_CASE("quantize_mx: elements, scales and nothing else") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    for (const unsigned partitions : {32u, 64u, 96u, 128u}) {
      for (const unsigned dtype : {TERN_DTYPE_E4M3FN_X4, TERN_DTYPE_E5M2_X4}) {
        for (const unsigned from : {TERN_DTYPE_BF16, TERN_DTYPE_FP16}) {
          const unsigned rule = static_cast<unsigned>(random() % 2);
          const unsigned offset = 4 * static_cast<unsigned>(random() % 4);
          const unsigned start = partitions == 32 ? 96 : partitions == 64 ? 64 : 0;
          Image image = fill(bench, random);
          const Operand dst{ap(place(start, 8192), 24), dtype};
          const Operand source{ap(place(partitions == 32 ? 32 : start, 0), 96), from};
          const Operand scales{ap(place(start + offset, 12001), 24), TERN_DTYPE_E8M0};
          write_source(bench, &image, source, partitions, 96, random);
          bench.execute(TERN_QUEUE_VECTOR, {elementwise(TERN_OPCODE_QUANTIZE_MX, partitions, dst,
                                                        source, scales, rule)});
          quantize_in(&image, partitions, dst, source, scales, rule == TERN_MX_RULE_OCP, 24);
          expect(bench, image);
        }
      }
    }
  });
}

TEST_CASE("quantize_mx: strided and two-dimensional patterns, also in place") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    // Source [8, 3] transposed, destination backwards, scales every third byte.
    Image image = fill(bench, random);
    const Operand source{ap(place(0, 0), 8, 3, 3, 1), TERN_DTYPE_BF16};
    const Operand dst{ap(place(0, 4096 + 20), 6, -1), TERN_DTYPE_E4M3FN_X4};
    const Operand scales{ap(place(4, 9000), 2, 3, 3, 100), TERN_DTYPE_E8M0};
    write_source(bench, &image, source, 128, 24, random);
    bench.execute(TERN_QUEUE_VECTOR, {elementwise(TERN_OPCODE_QUANTIZE_MX, 128, dst, source, scales,
                                                  TERN_MX_RULE_AWS)});
    quantize_in(&image, 128, dst, source, scales, false, 6);
    expect(bench, image);

    // The destination covers half of the source: everything is read first.
    const Operand wide{ap(place(0, 128), 64), TERN_DTYPE_BF16};
    const Operand half{ap(place(0, 128 + 64), 16), TERN_DTYPE_E5M2_X4};
    const Operand places{ap(place(12, 9000), 16), TERN_DTYPE_E8M0};
    write_source(bench, &image, wide, 128, 64, random);
    bench.execute(TERN_QUEUE_VECTOR, {elementwise(TERN_OPCODE_QUANTIZE_MX, 128, half, wide, places,
                                                  TERN_MX_RULE_OCP)});
    quantize_in(&image, 128, half, wide, places, true, 16);
    expect(bench, image);
  });
}

TEST_CASE("dequantize_mx: every format to BF16 and FP32") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    const struct {
      unsigned dtype, bits;
      const MxFormat& format;
    } sources[] = {{TERN_DTYPE_E4M3FN_X4, 8, kMxE4m3Fn},
                   {TERN_DTYPE_E5M2_X4, 8, kMxE5m2},
                   {TERN_DTYPE_E2M1_X4, 4, kMxE2m1}};
    for (const auto& from : sources) {
      for (const unsigned to : {TERN_DTYPE_BF16, TERN_DTYPE_FP32}) {
        Image image = fill(bench, random);  // random elements and scales, all of them legal
        const unsigned size = to == TERN_DTYPE_BF16 ? 2 : 4;
        const Operand source{ap(place(64, 4), 20, 2), from.dtype};
        const Operand scales{ap(place(64 + 8, 333), 20), TERN_DTYPE_E8M0};
        const Operand dst{ap(place(0, 8192), 80), to};
        bench.execute(TERN_QUEUE_VECTOR,
                      {elementwise(TERN_OPCODE_DEQUANTIZE_MX, 64, dst, source, scales)});
        const Image before = image;
        for (unsigned p = 0; p < 64; ++p) {
          for (unsigned k = 0; k < 80; ++k) {
            const unsigned bits = k % kSlots * from.bits;
            const std::size_t byte = byte_of(source, from.bits / 2, k / kSlots);
            const unsigned code =
                before[64 + p][byte + bits / 8] >> bits % 8 & (from.format.codes() - 1);
            const unsigned scale =
                before[scale_partition(scales, p)][byte_of(scales, 1, k / kSlots)];
            const double value =
                scale == 255 ? std::nan("")
                             : std::ldexp(from.format.decode(code), static_cast<int>(scale) - 127);
            if (to == TERN_DTYPE_BF16) {
              store(&image, p, byte_of(dst, size, k), bf16_of_double(value));
            } else if (std::isnan(value)) {
              store<std::uint32_t>(&image, p, byte_of(dst, size, k), 0x7FC00000);
            } else {
              store(&image, p, byte_of(dst, size, k), static_cast<float>(value));
            }
          }
        }
        expect(bench, image);
      }
    }
  });
}

TEST_CASE("dequantize_mx without scales expands FP4 to FP8") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    Image image = fill(bench, random);
    const Operand source{ap(place(0, 2), 50), TERN_DTYPE_E2M1_X4};
    const Operand dst{ap(place(0, 1024), 50), TERN_DTYPE_E4M3FN_X4};
    bench.execute(TERN_QUEUE_VECTOR, {elementwise(TERN_OPCODE_DEQUANTIZE_MX, 128, dst, source)});
    for (unsigned p = 0; p < 128; ++p) {
      for (unsigned k = 0; k < 200; ++k) {
        const unsigned code = image[p][2 + k / 2] >> (k % 2 * 4) & 15;
        image[p][1024 + k] = kMxE4m3Fn.nearest(kMxE2m1.decode(code));
      }
    }
    expect(bench, image);
  });
}

TEST_CASE("quantize_mx and back: the error is at most half a step of the largest element") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    Image image = fill(bench, random);
    const Operand source{ap(place(0, 0), 256), TERN_DTYPE_BF16};
    const Operand x4{ap(place(0, 1024), 64), TERN_DTYPE_E4M3FN_X4};
    const Operand scales{ap(place(0, 2048), 64), TERN_DTYPE_E8M0};
    const Operand back{ap(place(0, 4096), 256), TERN_DTYPE_FP32};
    write_source(bench, &image, source, 128, 256, random);
    bench.execute(TERN_QUEUE_VECTOR,
                  {elementwise(TERN_OPCODE_QUANTIZE_MX, 128, x4, source, scales, TERN_MX_RULE_AWS),
                   elementwise(TERN_OPCODE_DEQUANTIZE_MX, 128, back, x4, scales)});
    for (unsigned p = 0; p < 128; ++p) {
      const auto values = bench.peek<float>(p, 4096, 256);
      for (unsigned k = 0; k < 256; ++k) {
        const double x = kBf16.decode(load<std::uint16_t>(image, p, 2 * k));
        // Three mantissa bits, or the subnormal step of a scale of at most 2^(13 - 7).
        REQUIRE(std::fabs(values[k] - x) <= std::max(std::fabs(x) / 16, std::ldexp(1.0, -6)));
      }
    }
  });
}
