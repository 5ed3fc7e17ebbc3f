// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <random>

#include "sw/spec/extension.h"
#include "tb/common/seed.h"
#include "tb/core/bench/tile.h"

using namespace tern;
using namespace tern::tb;

namespace {

// On 64-bit integers, cut to the element's size.
std::uint32_t bit_op(unsigned op, std::size_t size, std::uint64_t a, std::uint64_t b) {
  const std::uint64_t mask = (std::uint64_t{1} << 8 * size) - 1;
  std::uint64_t result = a;
  if (op == TERN_ALU_OP_BIT_NOT) result = ~a;
  if (op == TERN_ALU_OP_BIT_AND) result = a & b;
  if (op == TERN_ALU_OP_BIT_OR) result = a | b;
  if (op == TERN_ALU_OP_BIT_XOR) result = a ^ b;
  if (op == TERN_ALU_OP_SHIFT_LEFT) result = b >= 8 * size ? 0 : a << b;
  if (op == TERN_ALU_OP_SHIFT_RIGHT) result = b >= 8 * size ? 0 : a >> b;
  return static_cast<std::uint32_t>(result & mask);
}

std::vector<std::vector<std::uint32_t>> random_raw(CoreBench& bench, const Operand& operand,
                                                   unsigned partitions, std::mt19937_64& random,
                                                   std::uint32_t limit = 0) {
  for (unsigned p = 0; p < partitions; ++p) {
    for (std::uint32_t byte : bytes_of(operand.pattern, operand.dtype)) {
      const auto word = static_cast<std::uint32_t>(random());
      const std::uint32_t value = limit == 0 ? word : word % limit;
      std::vector<std::uint8_t> bytes;
      for (std::size_t i = 0; i < size_of(operand.dtype); ++i) {
        bytes.push_back(static_cast<std::uint8_t>(value >> 8 * i));
      }
      bench.poke(first_partition(operand.pattern) + p, byte, bytes);
    }
  }
  return read_raw(bench, operand, partitions);
}

constexpr unsigned kBitOps[] = {TERN_ALU_OP_BIT_NOT,    TERN_ALU_OP_BIT_AND,
                                TERN_ALU_OP_BIT_OR,     TERN_ALU_OP_BIT_XOR,
                                TERN_ALU_OP_SHIFT_LEFT, TERN_ALU_OP_SHIFT_RIGHT};

}  // namespace

TEST_CASE("bit operations work on elements of 8, 16 and 32 bits without conversion") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    for (unsigned dtype : {TERN_DTYPE_UINT8, TERN_DTYPE_BF16, TERN_DTYPE_INT16, TERN_DTYPE_FP32,
                           TERN_DTYPE_UINT32}) {
      const std::size_t size = size_of(dtype);
      const Operand a{ap(place(0, 1024), 40), dtype}, b{ap(place(0, 2048), 40), dtype};
      const Operand dst{ap(place(0, 0), 8, 1, 5, 10), dtype};
      const auto x = random_raw(bench, a, 5, random);
      for (unsigned op : kBitOps) {
        const bool shift = op >= TERN_ALU_OP_SHIFT_LEFT;
        const auto y = random_raw(bench, b, 5, random, shift ? 40 : 0);
        INFO("format " << dtype << " op " << op);
        std::size_t wrong = 0;
        if (op != TERN_ALU_OP_BIT_NOT) {
          bench.execute(TERN_QUEUE_VECTOR,
                        {elementwise(TERN_OPCODE_TENSOR_TENSOR, 5, dst, a, b, op)});
          const auto got = read_raw(bench, dst, 5);
          for (unsigned p = 0; p < 5; ++p) {
            for (std::size_t i = 0; i < 40; ++i) {
              wrong += got[p][i] != bit_op(op, size, x[p][i], y[p][i]) ? 1 : 0;
            }
          }
        }
        // With the bits of an immediate, reversed and in two steps.
        const std::uint32_t s0 = shift ? 5 : 0x12345678, s1 = 0x0F0F3C3C;
        tern_instruction_t in = extend();
        const bool reverse = op != TERN_ALU_OP_BIT_NOT && random() % 2 == 0;
        if (reverse) in.extend.flags = kExtendReverse0;
        bench.execute(TERN_QUEUE_VECTOR,
                      {in, elementwise(TERN_OPCODE_TENSOR_SCALAR, 5, dst, a, {}, op,
                                       TERN_ALU_OP_BIT_XOR, from_bits(s0), from_bits(s1))});
        const auto got = read_raw(bench, dst, 5);
        const std::uint64_t cut = (std::uint64_t{1} << 8 * size) - 1;
        for (unsigned p = 0; p < 5; ++p) {
          for (std::size_t i = 0; i < 40; ++i) {
            const std::uint32_t first =
                reverse ? bit_op(op, size, s0 & cut, x[p][i]) : bit_op(op, size, x[p][i], s0 & cut);
            wrong += got[p][i] != bit_op(TERN_ALU_OP_BIT_XOR, size, first, s1 & cut) ? 1 : 0;
          }
        }
        CHECK(wrong == 0);
      }
      // Reduced over groups of ten.
      const Operand reduced{ap(place(0, 0), 4), dtype};
      const Operand groups{ap(place(0, 1024), 10, 1, 4, 10), dtype};
      bench.execute(TERN_QUEUE_VECTOR, {elementwise(TERN_OPCODE_TENSOR_REDUCE, 5, reduced, groups,
                                                    {}, TERN_ALU_OP_BIT_XOR)});
      const auto got = read_raw(bench, reduced, 5);
      for (std::size_t group = 0; group < 4; ++group) {
        std::uint32_t parity = 0;
        for (std::size_t i = 0; i < 10; ++i) parity ^= x[2][10 * group + i];
        CHECK(got[2][group] == parity);
      }
    }
  });
}

TEST_CASE("GpSimd computes with 32-bit integers exactly, modulo 2^32") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    for (unsigned dtype : {TERN_DTYPE_INT32, TERN_DTYPE_UINT32}) {
      const Operand a{ap(place(0, 1024), 40), dtype}, b{ap(place(0, 2048), 40), dtype};
      const Operand dst{ap(place(0, 0), 40), dtype};
      const auto x = random_raw(bench, a, 16, random), y = random_raw(bench, b, 16, random);
      for (unsigned op : {TERN_ALU_OP_ADD, TERN_ALU_OP_SUBTRACT, TERN_ALU_OP_MULTIPLY}) {
        bench.execute(TERN_QUEUE_GPSIMD,
                      {elementwise(TERN_OPCODE_TENSOR_TENSOR, 16, dst, a, b, op)});
        const auto got = read_raw(bench, dst, 16);
        std::size_t wrong = 0;
        for (unsigned p = 0; p < 16; ++p) {
          for (std::size_t i = 0; i < 40; ++i) {
            const std::uint64_t u = x[p][i], v = y[p][i];
            const std::uint64_t exact = op == TERN_ALU_OP_ADD        ? u + v
                                        : op == TERN_ALU_OP_SUBTRACT ? u - v
                                                                     : u * v;
            wrong += got[p][i] != static_cast<std::uint32_t>(exact) ? 1 : 0;
          }
        }
        INFO("op " << op);
        CHECK(wrong == 0);
      }
      // Vector does the same in FP32; GpSimd's other operators too.
      const unsigned add = TERN_ALU_OP_ADD, max = TERN_ALU_OP_MAX;
      bench.execute(TERN_QUEUE_VECTOR,
                    {elementwise(TERN_OPCODE_TENSOR_TENSOR, 16, dst, a, b, add)});
      const auto value = [&](const auto& raw, unsigned p, std::size_t i) {
        return static_cast<float>(decode(dtype, raw[p][i]));
      };
      expect(bench, dst, 16,
             [&](unsigned p, std::size_t i) { return alu(add, value(x, p, i), value(y, p, i)); });
      bench.execute(TERN_QUEUE_GPSIMD,
                    {elementwise(TERN_OPCODE_TENSOR_TENSOR, 16, dst, a, b, max)});
      expect(bench, dst, 16,
             [&](unsigned p, std::size_t i) { return alu(max, value(x, p, i), value(y, p, i)); });
    }
  });
}

TEST_CASE("GpSimd: power, rsqrt, memset, copies") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    const Tile a = make_plain_tile(bench, ap(place(0, 1024), 60), TERN_DTYPE_FP32, 20, random);
    const Operand dst{ap(place(0, 0), 60), TERN_DTYPE_FP32};
    bench.execute(TERN_QUEUE_GPSIMD, {elementwise(TERN_OPCODE_TENSOR_SCALAR, 20, dst, a.operand(),
                                                  {}, TERN_ALU_OP_ABS, TERN_ALU_OP_RSQRT)});
    expect(bench, dst, 20, [&](unsigned p, std::size_t i) {
      return alu(TERN_ALU_OP_RSQRT, alu(TERN_ALU_OP_ABS, a.at(p, i), 0), 0);
    });
    bench.execute(TERN_QUEUE_GPSIMD, {elementwise(TERN_OPCODE_TENSOR_SCALAR, 20, dst, a.operand(),
                                                  {}, TERN_ALU_OP_POWER, 0, 2.0f)});
    expect(bench, dst, 20, [&](unsigned p, std::size_t i) {
      return static_cast<float>(a.values[p][i] * a.values[p][i]);
    });
    bench.execute(TERN_QUEUE_GPSIMD,
                  {elementwise(TERN_OPCODE_MEMSET, 20, dst, {}, {}, 0, 0, 1.25f)});
    expect(bench, dst, 20, [](unsigned, std::size_t) { return 1.25f; });
    bench.execute(TERN_QUEUE_GPSIMD, {elementwise(TERN_OPCODE_TENSOR_COPY, 20, dst, a.operand())});
    expect(bench, dst, 20, [&](unsigned p, std::size_t i) { return a.at(p, i); });
    const Operand psum{ap(place(0, 0, kPsum), 60), TERN_DTYPE_FP32};
    CHECK(bench.fails(TERN_QUEUE_GPSIMD, {elementwise(TERN_OPCODE_TENSOR_COPY, 20, dst, psum)},
                      TERN_ERROR_FORBIDDEN_MEMORY, 0) == 24);
  });
}
