// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "tb/common/seed.h"
#include "tb/core/bench/tile.h"

using namespace tern;
using namespace tern::tb;

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
    // The exponential has its own definition (docs/numerics.md), within one unit of the true
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
