// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the DMA operations and of the adders next to a memory, against MPFR. It is a
// chain over the sources in FP32, one rounding each, with one conversion at the end.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "sw/base/crc32c.h"
#include "sw/numerics/near_memory.h"
#include "sw/spec/generated/isa.h"
#include "systemc/dma/model/operation.h"
#include "tb/common/seed.h"
#include "tb/numerics/mpfr_oracle.h"

using namespace tern;  // NOLINT: a test uses the names of what it tests
using Bytes = std::vector<std::uint8_t>;

namespace {

float value_of(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

// The value of an element by the definition of its format.
float decode(unsigned dtype, std::uint32_t bits) {
  if (dtype == TERN_DMA_DTYPE_FP32) return value_of(bits);
  const int exponent_bits = dtype == TERN_DMA_DTYPE_BF16 ? 8 : 5;
  const int fraction_bits = 15 - exponent_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int field = (bits >> fraction_bits) & ((1 << exponent_bits) - 1);
  const int fraction = bits & ((1 << fraction_bits) - 1);
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (field == (1 << exponent_bits) - 1) {
    return fraction != 0 ? std::nanf("") : static_cast<float>(sign * INFINITY);
  }
  const int hidden = field == 0 ? 0 : 1 << fraction_bits;
  return static_cast<float>(
      sign * std::ldexp(fraction + hidden, (field == 0 ? 1 : field) - bias - fraction_bits));
}

// The element of a format, as bits, that MPFR rounds an FP32 value to.
std::uint32_t encode(unsigned dtype, std::uint32_t bits) {
  if (dtype == TERN_DMA_DTYPE_FP32) return bits;
  const bool bf16 = dtype == TERN_DMA_DTYPE_BF16;
  if ((bits & 0x7FFFFFFF) > 0x7F800000) return bf16 ? 0x7FC0 : 0x7E00;
  std::uint32_t rounded = 0;
  {
    tb::MpfrOracle oracle(bf16 ? tb::kOracleBf16 : tb::kOracleFp16);
    rounded = oracle.round(value_of(bits));
  }
  if (bf16) return rounded >> 16;
  const std::uint32_t sign = (rounded >> 16) & 0x8000;
  const double magnitude = std::fabs(value_of(rounded));
  if (std::isinf(magnitude)) return sign | 0x7C00;
  if (magnitude < std::ldexp(1, -14)) return sign | static_cast<std::uint32_t>(magnitude * 0x1p24);
  int exponent = 0;
  const double significand = std::frexp(magnitude, &exponent);  // in [1/2, 1)
  return sign | static_cast<std::uint32_t>((exponent + 14) << 10) |
         (static_cast<std::uint32_t>(significand * 2048) & 0x3FF);
}

std::uint32_t ordered(bool least, float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return numerics::kCanonicalNan;
  // The sign decides between zeros.
  const bool a_first = a != b ? a < b : std::signbit(a);
  return numerics::bits_of(a_first == least ? a : b);
}

std::uint32_t canonical(std::uint32_t bits) {
  return (bits & 0x7FFFFFFF) > 0x7F800000 ? numerics::kCanonicalNan : bits;
}

// The FP32 chain over one element of every source.
std::uint32_t chain(unsigned op, const std::vector<float>& sources,
                    const std::vector<std::uint32_t>& scales) {
  tb::MpfrOracle oracle;
  std::uint32_t acc = 0;
  for (std::size_t s = 0; s < sources.size(); ++s) {
    const float x = sources[s];
    const float before = value_of(acc);
    if (op == TERN_DMA_OP_FMA) {
      const float scale = value_of(scales[s]);
      acc = s == 0 ? oracle.multiply(scale, x) : oracle.fma(scale, x, before);
    } else if (s == 0) {
      acc = canonical(numerics::bits_of(x));
    } else if (op == TERN_DMA_OP_ADD) {
      acc = oracle.add(before, x);
    } else {
      acc = ordered(op == TERN_DMA_OP_MIN, before, x);
    }
  }
  return acc;
}

class Elements {
 public:
  explicit Elements(std::uint64_t seed) : random_(seed) {}

  // Mostly near each other, some corners and arbitrary bits.
  std::uint32_t word(unsigned dtype) {
    const unsigned kind = random_() % 8;
    const auto any = static_cast<std::uint32_t>(random_());
    if (kind == 0) return dtype == TERN_DMA_DTYPE_FP32 ? any : any & 0xFFFF;
    if (kind == 1 && dtype == TERN_DMA_DTYPE_FP32) {
      const auto& corners = tb::fp32_corners();
      return corners.begin()[any % corners.size()];
    }
    const std::uint32_t near = (any & 0x80FFFFFF) | 0x3F000000;
    return dtype == TERN_DMA_DTYPE_FP32 ? near : encode(dtype, near);
  }
  std::mt19937_64& random() { return random_; }

 private:
  std::mt19937_64 random_;
};

void put(Bytes& bytes, std::size_t index, unsigned dtype, std::uint32_t bits) {
  const unsigned size = dma::dtype_bytes(dtype);
  std::memcpy(bytes.data() + index * size, &bits, size);
}

std::uint32_t get(const Bytes& bytes, std::size_t index, unsigned dtype) {
  const unsigned size = dma::dtype_bytes(dtype);
  std::uint32_t bits = 0;
  std::memcpy(&bits, bytes.data() + index * size, size);
  return bits;
}

std::size_t wrong_elements(Elements& elements, unsigned op, unsigned src, unsigned dst,
                           unsigned sources, std::size_t count) {
  std::vector<Bytes> data(sources, Bytes(count * dma::dtype_bytes(src)));
  std::vector<const std::uint8_t*> pointers;
  std::vector<std::uint32_t> scales;
  for (auto& source : data) {
    for (std::size_t i = 0; i < count; ++i) put(source, i, src, elements.word(src));
    pointers.push_back(source.data());
    scales.push_back(elements.word(TERN_DMA_DTYPE_FP32));
  }
  Bytes result(count * dma::dtype_bytes(dst));
  dma::compute(op, src, dst, pointers.data(), scales.data(), sources, count, result.data());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<float> values;
    for (const auto& source : data) values.push_back(decode(src, get(source, i, src)));
    wrong += get(result, i, dst) != encode(dst, chain(op, values, scales));
  }
  return wrong;
}

}  // namespace

TEST_CASE("DMA operations: every operation, pair of formats and number of sources") {
  Elements elements(tb::test_seed());
  for (unsigned op = TERN_DMA_OP_CAST; op <= TERN_DMA_OP_FMA; ++op) {
    for (unsigned src = 0; src < 3; ++src) {
      for (unsigned dst = 0; dst < 3; ++dst) {
        for (unsigned sources : {1U, 2U, 3U, 16U}) {
          if (op == TERN_DMA_OP_CAST && sources > 1) continue;
          CAPTURE(op, src, dst, sources);
          CHECK(wrong_elements(elements, op, src, dst, sources, 300) == 0);
        }
      }
    }
  }
}

TEST_CASE("DMA cast: every 16-bit element into every format") {
  for (unsigned src : {TERN_DMA_DTYPE_BF16, TERN_DMA_DTYPE_FP16}) {
    Bytes source(65536 * 2);
    for (std::uint32_t i = 0; i < 65536; ++i) put(source, i, src, i);
    for (unsigned dst = 0; dst < 3; ++dst) {
      Bytes result(65536 * dma::dtype_bytes(dst));
      const std::uint8_t* pointer = source.data();
      dma::compute(TERN_DMA_OP_CAST, src, dst, &pointer, nullptr, 1, 65536, result.data());
      std::size_t wrong = 0;
      for (std::uint32_t i = 0; i < 65536; ++i) {
        const std::uint32_t expected = encode(dst, canonical(numerics::bits_of(decode(src, i))));
        wrong += get(result, i, dst) != expected;
      }
      CAPTURE(src, dst);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("Near-memory addition: FP32 and BF16 words against MPFR") {
  Elements elements(tb::test_seed() + 1);
  for (unsigned dtype : {TERN_DMA_DTYPE_FP32, TERN_DMA_DTYPE_BF16}) {
    constexpr std::size_t kCount = 20000;
    Bytes memory(kCount * dma::dtype_bytes(dtype)), data(memory.size());
    for (std::size_t i = 0; i < kCount; ++i) {
      put(memory, i, dtype, elements.word(dtype));
      put(data, i, dtype, elements.word(dtype));
    }
    const Bytes before = memory;
    if (dtype == TERN_DMA_DTYPE_FP32) {
      numerics::add_to_memory_fp32(memory.data(), data.data(), memory.size());
    } else {
      numerics::add_to_memory_bf16(memory.data(), data.data(), memory.size());
    }
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
      const float a = decode(dtype, get(before, i, dtype));
      const float b = decode(dtype, get(data, i, dtype));
      wrong += get(memory, i, dtype) != encode(dtype, chain(TERN_DMA_OP_ADD, {a, b}, {}));
    }
    CAPTURE(dtype);
    CHECK(wrong == 0);
  }
}

TEST_CASE("DMA transpose: every element of a block lands at its mirrored position") {
  std::mt19937_64 random(tb::test_seed());
  for (unsigned size : {2U, 4U}) {
    const unsigned rows = 64 / size;
    Bytes source(rows * 64), result(source.size());
    for (auto& byte : source) byte = static_cast<std::uint8_t>(random());
    dma::transpose_block(size, source.data(), result.data());
    std::size_t wrong = 0;
    for (unsigned i = 0; i < source.size(); ++i) {
      const unsigned row = i / 64, column = i % 64 / size, byte = i % size;
      wrong += result[column * 64 + row * size + byte] != source[i];
    }
    CAPTURE(size);
    CHECK(wrong == 0);
  }
}

TEST_CASE("CRC-32C: check value, published vectors, bit-serial definition, any split") {
  const auto* digits = reinterpret_cast<const std::uint8_t*>("123456789");
  CHECK(base::crc32c(0, digits, 9) == 0xE3069283);
  // RFC 3720, B.4.
  CHECK(base::crc32c(0, Bytes(32, 0x00).data(), 32) == 0x8A9136AA);
  CHECK(base::crc32c(0, Bytes(32, 0xFF).data(), 32) == 0x62A8AB43);
  std::mt19937_64 random(tb::test_seed());
  for (int run = 0; run < 200; ++run) {
    Bytes data(random() % 300);
    std::uint32_t serial = 0xFFFFFFFF;
    for (auto& byte : data) {
      byte = static_cast<std::uint8_t>(random());
      for (int bit = 0; bit < 8; ++bit) {
        const bool feed = ((serial ^ (byte >> bit)) & 1) != 0;
        serial = (serial >> 1) ^ (feed ? 0x82F63B78 : 0);
      }
    }
    const std::size_t cut = data.empty() ? 0 : random() % data.size();
    const std::uint32_t crc =
        base::crc32c(base::crc32c(0, data.data(), cut), data.data() + cut, data.size() - cut);
    CHECK(crc == ~serial);
  }
}
