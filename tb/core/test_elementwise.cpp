// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <limits>
#include <random>

#include "tb/common/seed.h"
#include "tb/core/core_bench.h"

using namespace tern;
using namespace tern::tb;
using sc_core::SC_NS;
using sc_core::sc_time;

// The reference of this test computes in double and rounds once: for add, subtract, multiply and
// divide of FP32 operands that gives the correctly rounded FP32 result (53 >= 2 * 24 + 2).
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

std::uint32_t bits(float f) {
  std::uint32_t b;
  std::memcpy(&b, &f, 4);
  return b;
}
float from_bits(std::uint32_t b) {
  float f;
  std::memcpy(&f, &b, 4);
  return f;
}

struct FloatFormat {
  int significand, min_exponent,
      max_exponent;  // value < 2^max_exponent; subnormals end at 2^min_exponent
};
constexpr FloatFormat kBf16{8, -133, 128}, kFp16{11, -24, 16};

// Nearest even in a format, by scaling to integers.
double round_to(double x, const FloatFormat& format) {
  if (x == 0 || !std::isfinite(x)) return x;
  int exponent = 0;
  std::frexp(x, &exponent);
  const int unit = std::max(exponent - format.significand, format.min_exponent);
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(x, -unit)), unit);
  return std::fabs(rounded) >= std::ldexp(1.0, format.max_exponent) ? std::copysign(kInf, x)
                                                                    : rounded;
}

std::size_t size_of(unsigned dtype) {
  return dtype == TERN_DTYPE_UINT8 ? 1
                                   : (dtype == TERN_DTYPE_BF16 || dtype == TERN_DTYPE_FP16 ? 2 : 4);
}

// The raw element for a value that the format holds exactly, and back.
std::uint32_t encode(unsigned dtype, double value) {
  switch (dtype) {
    case TERN_DTYPE_UINT8:
    case TERN_DTYPE_UINT32:
      return static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
    case TERN_DTYPE_INT32:
      return static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
    case TERN_DTYPE_BF16:
      return std::isnan(value) ? 0x7FC0u : bits(static_cast<float>(value)) >> 16;
    case TERN_DTYPE_FP16: {
      if (std::isnan(value)) return 0x7E00;
      const std::uint32_t sign = std::signbit(value) ? 0x8000u : 0u;
      const double magnitude = std::fabs(value);
      if (std::isinf(value)) return sign | 0x7C00;
      if (magnitude < std::ldexp(1.0, -14))
        return sign | static_cast<std::uint32_t>(std::ldexp(magnitude, 24));
      int exponent = 0;
      const double fraction = std::frexp(magnitude, &exponent);  // in [0.5, 1)
      return sign | (static_cast<std::uint32_t>(exponent + 14) << 10) |
             (static_cast<std::uint32_t>(std::ldexp(fraction, 11)) & 0x3FF);
    }
    default:
      return std::isnan(value) ? 0x7FC00000u : bits(static_cast<float>(value));
  }
}

double decode(unsigned dtype, std::uint32_t raw) {
  switch (dtype) {
    case TERN_DTYPE_INT32:
      return static_cast<std::int32_t>(raw);
    case TERN_DTYPE_BF16:
      return from_bits(raw << 16);
    case TERN_DTYPE_FP16: {
      const double sign = (raw & 0x8000) != 0 ? -1.0 : 1.0;
      const int exponent = static_cast<int>(raw >> 10 & 31);
      const double fraction = raw & 0x3FF;
      if (exponent == 31) return fraction != 0 ? kNan : sign * kInf;
      return exponent == 0 ? sign * std::ldexp(fraction, -24)
                           : sign * std::ldexp(1024 + fraction, exponent - 25);
    }
    case TERN_DTYPE_FP32:
      return from_bits(raw);
    default:
      return raw;
  }
}

// FP32 result to the raw destination element.
std::uint32_t convert(unsigned dtype, float value) {
  const auto integer = [&](double low, double high) {
    if (std::isnan(value)) return std::int64_t{0};
    return static_cast<std::int64_t>(
        std::min(std::max(std::nearbyint(static_cast<double>(value)), low), high));
  };
  switch (dtype) {
    case TERN_DTYPE_UINT8:
      return static_cast<std::uint32_t>(integer(0, 255));
    case TERN_DTYPE_INT32:
      return static_cast<std::uint32_t>(integer(-2147483648.0, 2147483647.0));
    case TERN_DTYPE_UINT32:
      return static_cast<std::uint32_t>(integer(0, 4294967295.0));
    case TERN_DTYPE_BF16:
      return encode(dtype, round_to(value, kBf16));
    case TERN_DTYPE_FP16:
      return encode(dtype, round_to(value, kFp16));
    default:
      return encode(dtype, value);
  }
}

float alu(unsigned op, float a, float b) {
  const double x = a, y = b;
  const bool nan = std::isnan(a) || std::isnan(b);
  switch (op) {
    case TERN_ALU_OP_ADD:
      return static_cast<float>(x + y);
    case TERN_ALU_OP_SUBTRACT:
      return static_cast<float>(x - y);
    case TERN_ALU_OP_MULTIPLY:
      return static_cast<float>(x * y);
    case TERN_ALU_OP_MAX:
      if (nan) return kNan;
      return a == b ? (std::signbit(a) ? b : a) : (x > y ? a : b);
    case TERN_ALU_OP_MIN:
      if (nan) return kNan;
      return a == b ? (std::signbit(a) ? a : b) : (x < y ? a : b);
    case TERN_ALU_OP_IS_EQ:
      return x == y;
    case TERN_ALU_OP_IS_NE:
      return x != y;
    case TERN_ALU_OP_IS_GE:
      return x >= y;
    case TERN_ALU_OP_IS_GT:
      return x > y;
    case TERN_ALU_OP_IS_LE:
      return x <= y;
    case TERN_ALU_OP_IS_LT:
      return x < y;
    default:
      return a;
  }
}

// Values that matter, then random ones; all exact in the format.
std::vector<double> samples(unsigned dtype, std::size_t count, std::mt19937_64& random) {
  std::vector<double> values;
  if (dtype == TERN_DTYPE_UINT8) values = {0, 1, 127, 128, 255};
  if (dtype == TERN_DTYPE_INT32)
    values = {0, 1, -1, 2147483647.0, -2147483648.0, 16777217, 16777219};
  if (dtype == TERN_DTYPE_UINT32) values = {0, 1, 4294967295.0, 2147483648.0, 16777217};
  if (dtype == TERN_DTYPE_BF16 || dtype == TERN_DTYPE_FP16 || dtype == TERN_DTYPE_FP32) {
    values = {0.0, -0.0, 1, -1, 0.5, 1.5, 2.5, kInf, -kInf, kNan, 65504, -255.5, 3.0, 1.0 / 1024};
  }
  if (dtype == TERN_DTYPE_FP32) {
    for (std::uint32_t b : {0x00000001u, 0x807FFFFFu, 0x7F7FFFFFu, 0x3F800001u, 0x477FEFFFu,
                            0x477FF000u, 0x33000000u}) {
      values.push_back(from_bits(b));
    }
  }
  std::uniform_real_distribution<double> uniform(-1, 1);
  while (values.size() < count) {
    const double v = std::ldexp(uniform(random), static_cast<int>(random() % 12));
    switch (dtype) {
      case TERN_DTYPE_UINT8:
        values.push_back(static_cast<double>(random() % 256));
        break;
      case TERN_DTYPE_INT32:
        values.push_back(static_cast<std::int32_t>(random()));
        break;
      case TERN_DTYPE_UINT32:
        values.push_back(static_cast<std::uint32_t>(random()));
        break;
      case TERN_DTYPE_BF16:
        values.push_back(round_to(v, kBf16));
        break;
      case TERN_DTYPE_FP16:
        values.push_back(round_to(v, kFp16));
        break;
      default:
        values.push_back(static_cast<float>(v));
    }
  }
  std::shuffle(values.begin(), values.end(), random);
  values.resize(count);
  return values;
}

// One operand of a test: where it lies, what it holds on each partition.
struct Tile {
  tern_ap_t pattern;
  unsigned dtype;
  std::vector<std::vector<double>> values;  // [partition][element], the pattern's order
  Operand operand() const { return {pattern, dtype}; }
  float at(unsigned p, std::size_t i) const { return static_cast<float>(values[p][i]); }
};

bool in_psum(const tern_ap_t& pattern) {
  return pattern.addr >> 31 != 0;
}
unsigned first_partition(const tern_ap_t& pattern) {
  return pattern.addr >> 24 & 0x7F;
}

// Byte of every element of a pattern in its partition.
std::vector<std::uint32_t> bytes_of(const tern_ap_t& pattern, unsigned dtype) {
  std::vector<std::uint32_t> bytes;
  for (int i1 = 0; i1 < pattern.num1; ++i1) {
    for (int i0 = 0; i0 < pattern.num0; ++i0) {
      const int element = i0 * pattern.step0 + i1 * pattern.step1;
      bytes.push_back(static_cast<std::uint32_t>(static_cast<int>(pattern.addr & 0xFFFFFF) +
                                                 element * static_cast<int>(size_of(dtype))));
    }
  }
  return bytes;
}

void write_tile(CoreBench& bench, const Tile& tile) {
  const auto bytes = bytes_of(tile.pattern, tile.dtype);
  for (unsigned p = 0; p < tile.values.size(); ++p) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const std::uint32_t raw = encode(tile.dtype, tile.values[p][i]);
      const unsigned partition = first_partition(tile.pattern) + p;
      if (in_psum(tile.pattern)) {
        bench.poke_psum(partition, bytes[i] / 4, {from_bits(raw)});
      } else {
        std::vector<std::uint8_t> element(size_of(tile.dtype));
        std::memcpy(element.data(), &raw, element.size());
        bench.poke(partition, bytes[i], element);
      }
    }
  }
}

std::uint32_t read_element(CoreBench& bench, const tern_ap_t& pattern, unsigned dtype, unsigned p,
                           std::uint32_t byte) {
  const unsigned partition = first_partition(pattern) + p;
  if (in_psum(pattern)) return bits(bench.peek_psum(partition, byte / 4, 1)[0]);
  std::uint32_t raw = 0;
  const auto element = bench.peek<std::uint8_t>(partition, byte, size_of(dtype));
  std::memcpy(&raw, element.data(), element.size());
  return raw;
}

Tile make_tile(CoreBench& bench, const tern_ap_t& pattern, unsigned dtype, unsigned partitions,
               std::mt19937_64& random) {
  Tile tile{pattern, dtype, {}};
  for (unsigned p = 0; p < partitions; ++p) {
    tile.values.push_back(samples(dtype, std::size_t{pattern.num0} * pattern.num1, random));
  }
  write_tile(bench, tile);
  // Patterns that visit an element twice hold what was written last.
  const auto bytes = bytes_of(pattern, dtype);
  for (unsigned p = 0; p < partitions; ++p) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      tile.values[p][i] = decode(dtype, read_element(bench, pattern, dtype, p, bytes[i]));
    }
  }
  return tile;
}

using Expected = std::function<float(unsigned partition, std::size_t element)>;

void expect(CoreBench& bench, const Operand& dst, unsigned partitions, const Expected& expected) {
  const auto bytes = bytes_of(dst.pattern, dst.dtype);
  for (unsigned p = 0; p < partitions; ++p) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const std::uint32_t got = read_element(bench, dst.pattern, dst.dtype, p, bytes[i]);
      const std::uint32_t want = convert(dst.dtype, expected(p, i));
      if (got != want) {
        FAIL_CHECK("partition " << p << " element " << i << ": got " << std::hex << got
                                << ", expected " << want);
        return;
      }
    }
  }
}

constexpr unsigned kTypes[] = {TERN_DTYPE_UINT8, TERN_DTYPE_BF16,   TERN_DTYPE_FP16,
                               TERN_DTYPE_INT32, TERN_DTYPE_UINT32, TERN_DTYPE_FP32};

}  // namespace

TEST_CASE("element-wise: tensor_copy converts between all formats, on both engines") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    for (unsigned queue : {TERN_QUEUE_VECTOR, TERN_QUEUE_SCALAR}) {
      for (unsigned from : kTypes) {
        for (unsigned to : kTypes) {
          const Tile src = make_tile(bench, ap(place(0, 1024), 40), from, 3, random);
          const Operand dst{ap(place(0, 0), 40), to};
          bench.execute(queue, {elementwise(TERN_OPCODE_TENSOR_COPY, 3, dst, src.operand())});
          INFO("from " << from << " to " << to);
          if (from != to) {
            expect(bench, dst, 3, [&](unsigned p, std::size_t i) { return src.at(p, i); });
            continue;
          }
          for (unsigned p = 0; p < 3; ++p) {  // bit for bit
            const std::size_t bytes = 40 * size_of(to);
            CHECK(bench.peek<std::uint8_t>(p, 0, bytes) ==
                  bench.peek<std::uint8_t>(p, 1024, bytes));
          }
        }
      }
    }
  });
}

TEST_CASE("element-wise: access patterns, start partitions and PSUM on either side") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    const unsigned fp32 = TERN_DTYPE_FP32, bf16 = TERN_DTYPE_BF16;
    struct Case {
      tern_ap_t dst;
      unsigned dst_dtype;
      tern_ap_t src;
      unsigned src_dtype, partitions;
    };
    const Case cases[] = {
        {ap(place(0, 64), 12), bf16, ap(place(0, 4096), 12), bf16, 128},
        {ap(place(64, 64), 12), bf16, ap(place(0, 4096), 12), bf16, 64},   // half to half
        {ap(place(96, 64), 12), bf16, ap(place(32, 4096), 12), bf16, 32},  // quadrant to quadrant
        {ap(place(0, 64), 3, 2, 4, 10), bf16, ap(place(0, 4096), 12), fp32, 5},  // scattered
        {ap(place(0, 64), 12), fp32, ap(place(0, 4096), 3, 5, 4, -1), bf16, 5},  // gathered
        {ap(place(0, 64), 12), bf16, ap(place(0, 4096 + 22), 12, -1), bf16, 5},  // reversed
        {ap(place(0, 64), 3, 4, 4, 1), fp32, ap(place(0, 4096), 4, 3, 3, 1), fp32, 5},
        {ap(place(0, 64), 12), bf16, ap(place(0, 4096), 3, 0, 4, 1), bf16, 5},  // broadcast
        {ap(place(0, 64), 12), bf16, ap(place(0, 4096), 1, 0, 12, 1), TERN_DTYPE_UINT8, 5},
        {ap(place(0, 64), 12), bf16, ap(place(0, 2040, kPsum), 12), fp32, 128},  // across two banks
        {ap(place(32, 64), 12), bf16, ap(place(96, 2040, kPsum), 3, 5, 4, 20), fp32, 32},
        {ap(place(0, 64), 12), bf16, ap(place(0, 4096, kPsum), 12, -1), fp32, 3},
        {ap(place(0, 400, kPsum), 12), fp32, ap(place(0, 4096), 12), bf16, 128},
        {ap(place(64, 400, kPsum), 3, 1, 4, 7), fp32, ap(place(0, 4096), 12), bf16, 40},  // rows
        {ap(place(0, 400, kPsum), 6, -2, 2, 1), fp32, ap(place(0, 4096), 12), bf16,
         2},  // single columns
        {ap(place(0, 400, kPsum), 12), fp32, ap(place(0, 8192, kPsum), 12), fp32, 128},
    };
    for (const Case& c : cases) {
      // Neighbours of the destination keep their values.
      const Tile before =
          make_tile(bench, ap(in_psum(c.dst) ? c.dst.addr - 40 : c.dst.addr - 32, 64), fp32,
                    c.partitions, random);
      const Tile src = make_tile(bench, c.src, c.src_dtype, c.partitions, random);
      const Operand dst{c.dst, c.dst_dtype};
      bench.execute(TERN_QUEUE_VECTOR,
                    {elementwise(TERN_OPCODE_TENSOR_COPY, c.partitions, dst, src.operand())});
      INFO("case " << &c - cases);
      expect(bench, dst, c.partitions, [&](unsigned p, std::size_t i) { return src.at(p, i); });
      std::vector<bool> written(16384, false);
      for (std::uint32_t byte : bytes_of(c.dst, c.dst_dtype)) {
        for (std::size_t i = 0; i < size_of(c.dst_dtype); ++i) written[byte + i] = true;
      }
      const auto kept = bytes_of(before.pattern, fp32);
      for (std::size_t i = 0; i < kept.size(); ++i) {
        const std::uint32_t byte = kept[i];
        if (written[byte] || written[byte + 1] || written[byte + 2] || written[byte + 3]) continue;
        REQUIRE(read_element(bench, before.pattern, fp32, 1, byte) ==
                convert(fp32, before.at(1, i)));
      }
    }
  });
}

TEST_CASE("element-wise: tensor_tensor, every operator, mixed formats") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    for (unsigned op = TERN_ALU_OP_BYPASS; op <= TERN_ALU_OP_IS_LT; ++op) {
      for (unsigned type0 : {TERN_DTYPE_BF16, TERN_DTYPE_FP32}) {
        for (unsigned type1 : {TERN_DTYPE_FP16, TERN_DTYPE_FP32, TERN_DTYPE_UINT8}) {
          const Tile a = make_tile(bench, ap(place(0, 1024), 60), type0, 20, random);
          const bool psum = type1 == TERN_DTYPE_FP32;
          const Tile b = make_tile(bench, ap(psum ? place(0, 8, kPsum) : place(0, 2048), 60), type1,
                                   20, random);
          const Operand dst{ap(place(0, 0), 60), TERN_DTYPE_FP32};
          bench.execute(TERN_QUEUE_VECTOR, {elementwise(TERN_OPCODE_TENSOR_TENSOR, 20, dst,
                                                        a.operand(), b.operand(), op)});
          INFO("op " << op << " types " << type0 << " " << type1);
          expect(bench, dst, 20,
                 [&](unsigned p, std::size_t i) { return alu(op, a.at(p, i), b.at(p, i)); });
        }
      }
    }
  });
}

TEST_CASE(
    "element-wise: tensor_scalar rounds after each operator, scalars from a column or the "
    "instruction") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    for (unsigned op0 = TERN_ALU_OP_BYPASS; op0 <= TERN_ALU_OP_IS_LT; ++op0) {
      for (unsigned op1 = TERN_ALU_OP_BYPASS; op1 <= TERN_ALU_OP_IS_LT; ++op1) {
        const float s0 = 1.0f / 3, s1 = -7.1f;
        const bool column = (op0 + op1) % 2 != 0;
        const Tile a = make_tile(bench, ap(place(0, 1024), 40), TERN_DTYPE_FP32, 8, random);
        const Tile scalars = make_tile(bench, ap(place(0, 2048), 1), TERN_DTYPE_FP32, 8, random);
        const Operand dst{ap(place(0, 0), 40), TERN_DTYPE_FP32};
        bench.execute(TERN_QUEUE_VECTOR,
                      {elementwise(TERN_OPCODE_TENSOR_SCALAR, 8, dst, a.operand(),
                                   column ? scalars.operand() : Operand{}, op0, op1, s0, s1)});
        INFO("ops " << op0 << " " << op1);
        expect(bench, dst, 8, [&](unsigned p, std::size_t i) {
          return alu(op1, alu(op0, a.at(p, i), column ? scalars.at(p, 0) : s0), s1);
        });
      }
    }
  });
}

TEST_CASE("element-wise: tensor_reduce is a chain in element order") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    for (unsigned op : {TERN_ALU_OP_ADD, TERN_ALU_OP_MAX, TERN_ALU_OP_MIN}) {
      for (unsigned op1 : {TERN_ALU_OP_BYPASS, TERN_ALU_OP_SUBTRACT}) {
        Tile a = make_tile(bench, ap(place(0, 1024), 50, 1, 6, 50), TERN_DTYPE_FP32, 16, random);
        // Without NaN and Inf in most rows, so that the order of roundings shows.
        for (unsigned p = 0; p < 16; ++p) {
          for (double& v : a.values[p]) {
            if (p != 3 && !(std::fabs(v) < 1e9)) v = 0.1f * static_cast<float>(random() % 1000);
          }
        }
        write_tile(bench, a);
        const Operand dst{ap(place(0, 0), 6), TERN_DTYPE_FP32};
        bench.execute(TERN_QUEUE_VECTOR,
                      {elementwise(TERN_OPCODE_TENSOR_REDUCE, 16, dst, a.operand(), {}, op, op1)});
        expect(bench, dst, 16, [&](unsigned p, std::size_t row) {
          float chain = a.at(p, row * 50);
          for (std::size_t i = 1; i < 50; ++i) chain = alu(op, chain, a.at(p, row * 50 + i));
          return op1 == TERN_ALU_OP_SUBTRACT ? -chain : chain;
        });
      }
    }
  });
}

TEST_CASE("element-wise: memset and reciprocal") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    for (unsigned dtype : kTypes) {
      for (float value : {0.0f, 3.14159f, -2.5f, 300.0f}) {
        const Operand dst{ap(place(32, 64), 5, 3, 4, 20), dtype};
        bench.execute(TERN_QUEUE_VECTOR,
                      {elementwise(TERN_OPCODE_MEMSET, 32, dst, {}, {}, 0, 0, value)});
        expect(bench, dst, 32, [&](unsigned, std::size_t) { return value; });
      }
    }
    const Tile a = make_tile(bench, ap(place(0, 1024), 500), TERN_DTYPE_FP32, 16, random);
    const Operand dst{ap(place(0, 0, kPsum), 500), TERN_DTYPE_FP32};
    bench.execute(TERN_QUEUE_VECTOR, {elementwise(TERN_OPCODE_RECIPROCAL, 16, dst, a.operand())});
    expect(bench, dst, 16,
           [&](unsigned p, std::size_t i) { return static_cast<float>(1.0 / a.values[p][i]); });
  });
}

TEST_CASE("element-wise: activation = f(source * scale + bias), two roundings before f") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    for (unsigned function : {TERN_ACT_FUNC_IDENTITY, TERN_ACT_FUNC_RELU}) {
      for (bool column : {false, true}) {
        const float scale = 0.7f, bias = -0.3f;
        const Tile a = make_tile(bench, ap(place(0, 0, kPsum), 100), TERN_DTYPE_FP32, 100, random);
        const Tile biases = make_tile(bench, ap(place(0, 2048), 1), TERN_DTYPE_FP32, 100, random);
        const Operand dst{ap(place(0, 0), 100), TERN_DTYPE_BF16};
        bench.execute(TERN_QUEUE_SCALAR, {elementwise(TERN_OPCODE_ACTIVATION, 100, dst, a.operand(),
                                                      column ? biases.operand() : Operand{},
                                                      function, 0, scale, bias)});
        expect(bench, dst, 100, [&](unsigned p, std::size_t i) {
          const float u = alu(TERN_ALU_OP_ADD, alu(TERN_ALU_OP_MULTIPLY, a.at(p, i), scale),
                              column ? biases.at(p, 0) : bias);
          return function == TERN_ACT_FUNC_RELU && !(u > 0) && !std::isnan(u) ? 0.0f : u;
        });
      }
    }
    // The exponential has a definition of its own (docs/numerics.md), within one unit of the true
    // value.
    Tile x = make_tile(bench, ap(place(0, 1024), 200), TERN_DTYPE_FP32, 16, random);
    for (auto& row : x.values) {
      for (double& v : row)
        v = static_cast<float>(-20 + 0.001 * static_cast<double>(random() % 40000));
    }
    write_tile(bench, x);
    const Operand dst{ap(place(0, 4096), 200), TERN_DTYPE_FP32};
    bench.execute(TERN_QUEUE_SCALAR, {elementwise(TERN_OPCODE_ACTIVATION, 16, dst, x.operand(), {},
                                                  TERN_ACT_FUNC_EXP, 0, 1.0f, 0.0f)});
    for (unsigned p = 0; p < 16; ++p) {
      const auto got = bench.peek<float>(p, 4096, 200);
      for (std::size_t i = 0; i < got.size(); ++i) {
        const double exact = std::exp(x.values[p][i]);
        int exponent = 0;
        std::frexp(exact, &exponent);
        REQUIRE(std::fabs(got[i] - exact) <= std::ldexp(1.0, exponent - 24));
      }
    }
  });
}

TEST_CASE("element-wise: completion times are interval + latency, issue is pipelined") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    const auto time_of = [&](unsigned queue, const tern_instruction_t& in, unsigned interval) {
      bench.set_semaphore(0, 0);
      wait(sc_time(10, sc_core::SC_US));
      const sc_time now = sc_core::sc_time_stamp();
      const sc_time start = sc_time(std::ceil(now.to_seconds() * 1e9 / 10) * 10 + 10, SC_NS);
      wait(start - now);
      const auto counted = updates(in, TERN_UPD_OP_INC, 0);
      bench.start(queue, {counted, counted, halt()});
      CHECK(bench.when(0, 1) - start == sc_time(150 + interval + 100, SC_NS));
      CHECK(bench.when(0, 2) - start == sc_time(150 + 2 * interval + 100, SC_NS));
      REQUIRE(bench.finish() == TERN_ERROR_NONE);
    };
    const Operand bf16{ap(place(0, 0), 512), TERN_DTYPE_BF16},
        fp32{ap(place(0, 4096), 512), TERN_DTYPE_FP32},
        psum{ap(place(0, 0, kPsum), 512), TERN_DTYPE_FP32};
    time_of(TERN_QUEUE_SCALAR,
            elementwise(TERN_OPCODE_ACTIVATION, 128, bf16, psum, {}, TERN_ACT_FUNC_RELU, 0, 1),
            512);
    time_of(TERN_QUEUE_VECTOR, elementwise(TERN_OPCODE_TENSOR_COPY, 128, bf16, psum), 512);
    time_of(TERN_QUEUE_VECTOR, elementwise(TERN_OPCODE_TENSOR_COPY, 128, bf16, bf16), 128);
    time_of(TERN_QUEUE_VECTOR,
            elementwise(TERN_OPCODE_TENSOR_TENSOR, 1, fp32, fp32, fp32, TERN_ALU_OP_ADD), 1024);
    time_of(TERN_QUEUE_VECTOR, elementwise(TERN_OPCODE_RECIPROCAL, 1, fp32, fp32), 4096);
  });
}

TEST_CASE("element-wise: [128 x 512] from PSUM to BF16 is quick on the host") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    const Operand dst{ap(place(0, 0), 512), TERN_DTYPE_BF16},
        src{ap(place(0, 0, kPsum), 512), TERN_DTYPE_FP32};
    const Operand bias{ap(place(0, 4096), 1), TERN_DTYPE_FP32};
    const auto relu =
        elementwise(TERN_OPCODE_ACTIVATION, 128, dst, src, bias, TERN_ACT_FUNC_RELU, 0, 1);
    const auto copy = elementwise(TERN_OPCODE_TENSOR_COPY, 128, dst, src);
    for (const auto& in : {relu, copy}) {
      double best = 1;
      for (int round = 0; round < 5; ++round) {
        const auto begin = std::chrono::steady_clock::now();
        bench.execute(TERN_QUEUE_SCALAR, Program(100, in));
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
        best = std::min(best, taken.count() / 100);
      }
      WARN("host time per instruction: " << best * 1e6 << " us");
      CHECK(best < 2e-3);  // generous: sanitizers, busy machines
    }
  });
}
