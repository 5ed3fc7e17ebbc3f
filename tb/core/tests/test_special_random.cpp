// SPDX-License-Identifier: Apache-2.0
// Random numbers and stochastic rounding on the simulated core, replayed by a plain generator.
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "tb/common/seed.h"
#include "tb/core/bench/special_bench.h"

using namespace tern;
using namespace tern::tb;

namespace {

constexpr unsigned kSource = 0, kState = 30'000, kResult = 40'000;

std::uint32_t mix(std::uint32_t h) {
  h ^= h >> 16;
  h *= 0x85EBCA6B;
  h ^= h >> 13;
  h *= 0xC2B2AE35;
  return h ^ h >> 16;
}

// The generators of one partition (docs/numerics.md, section 6).
struct Generators {
  std::vector<std::uint32_t> words;
  std::size_t turn = 0;

  // `first`: number of the engine's first word in the core.
  Generators(unsigned generators, unsigned first, unsigned partition, std::uint32_t seed = 0) {
    for (unsigned i = 0; i < 6 * generators; ++i) {
      words.push_back(mix(mix(seed) + first + 6 * generators * partition + i));
    }
  }
  static Generators vector(unsigned partition, std::uint32_t seed = 0) {
    return {4, 769, partition, seed};
  }

  // A new instruction begins with generator 0.
  void begin() { turn = 0; }
  std::uint32_t draw() {
    std::uint32_t* s = &words[6 * (turn++ % (words.size() / 6))];
    const std::uint32_t t = s[0] ^ s[0] >> 2;
    for (unsigned i = 0; i < 4; ++i) s[i] = s[i + 1];
    s[4] = s[4] ^ s[4] << 4 ^ t ^ t << 1;
    s[5] += 362437;
    return s[4] + s[5];
  }
};

float uniform(std::uint32_t draw) {
  return std::ldexp(static_cast<float>(draw >> 8), -24);
}

std::uint32_t bits(float value) {
  std::uint32_t b;
  std::memcpy(&b, &value, 4);
  return b;
}

}  // namespace

TEST_CASE(
    "special: rng cuts draws to the destination's integers, from the four generators alternately") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    bench.execute(
        TERN_QUEUE_VECTOR,
        {elementwise(TERN_OPCODE_RNG, 40, contiguous(64, kResult, 13, TERN_DTYPE_UINT32), {}),
         elementwise(TERN_OPCODE_RNG, 40, {ap(place(64, kResult + 100), 5, 2), TERN_DTYPE_UINT8},
                     {})});
    bench.execute(
        TERN_QUEUE_GPSIMD,
        {elementwise(TERN_OPCODE_RNG, 128, contiguous(0, kSource, 6, TERN_DTYPE_INT16), {})});
    for (unsigned p = 0; p < 40; ++p) {
      Generators generators = Generators::vector(64 + p);
      for (std::uint32_t word : bench.peek<std::uint32_t>(64 + p, kResult, 13)) {
        CHECK(word == generators.draw());
      }
      generators.begin();
      const auto bytes = bench.peek<std::uint8_t>(64 + p, kResult + 100, 9);
      for (unsigned i = 0; i < 5; ++i) CHECK(bytes[2 * i] == (generators.draw() & 0xFF));
      CHECK(bytes[1] == 0);
    }
    for (unsigned p = 0; p < 128; ++p) {
      Generators generators(1, 4609, p);
      for (std::uint16_t word : bench.peek<std::uint16_t>(p, kSource, 6)) {
        CHECK(word == (generators.draw() & 0xFFFF));
      }
    }
  });
}

TEST_CASE("special: states are saved, restored and seeded") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    const auto get = [](unsigned byte) {
      return elementwise(TERN_OPCODE_RAND_GET_STATE, 128,
                         contiguous(0, byte, 24, TERN_DTYPE_UINT32), {});
    };
    const auto draw = [](unsigned byte) {
      return elementwise(TERN_OPCODE_RNG, 128, contiguous(0, byte, 50, TERN_DTYPE_UINT32), {});
    };
    bench.execute(TERN_QUEUE_VECTOR, {draw(kSource), get(kState), draw(kResult)});
    bench.execute(TERN_QUEUE_VECTOR, {elementwise(TERN_OPCODE_RAND_SET_STATE, 128, {},
                                                  contiguous(0, kState, 24, TERN_DTYPE_UINT32)),
                                      draw(kResult + 1000)});
    for (unsigned p = 0; p < 128; ++p) {
      CHECK(bench.peek<std::uint32_t>(p, kResult, 50) ==
            bench.peek<std::uint32_t>(p, kResult + 1000, 50));
    }
    bench.poke<std::uint32_t>(32, 4, {0x12345678});
    bench.execute(TERN_QUEUE_VECTOR, {elementwise(TERN_OPCODE_SET_RNG_SEED, 1, {},
                                                  contiguous(32, 4, 1, TERN_DTYPE_UINT32)),
                                      get(kState)});
    for (unsigned p = 0; p < 128; ++p) {
      CHECK(bench.peek<std::uint32_t>(p, kState, 24) == Generators::vector(p, 0x12345678).words);
    }
    // GpSimd has six separate words per partition.
    bench.poke<std::uint32_t>(3, kState, {1, 2, 3, 4, 5, 6});
    bench.execute(TERN_QUEUE_GPSIMD,
                  {elementwise(TERN_OPCODE_RAND_SET_STATE, 4, {},
                               contiguous(0, kState, 6, TERN_DTYPE_UINT32)),
                   elementwise(TERN_OPCODE_RAND_GET_STATE, 5,
                               contiguous(0, kResult, 6, TERN_DTYPE_UINT32), {})});
    CHECK(bench.peek<std::uint32_t>(3, kResult, 6) == std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6});
    CHECK(bench.peek<std::uint32_t>(4, kResult, 6) == Generators(1, 4609, 4).words);
  });
}

TEST_CASE("special: a seed reaches the states of its engine, of no other") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    struct Engine {
      unsigned queue, generators, first_word;
    };
    constexpr std::array<Engine, 3> kEngines{
        {{TERN_QUEUE_VECTOR, 4, 769}, {TERN_QUEUE_SCALAR, 1, 3841}, {TERN_QUEUE_GPSIMD, 1, 4609}}};
    std::map<unsigned, std::uint32_t> seeds;
    const auto check_all = [&] {
      for (const Engine& engine : kEngines) {
        const unsigned words = 6 * engine.generators;
        bench.execute(engine.queue,
                      {elementwise(TERN_OPCODE_RAND_GET_STATE, 128,
                                   contiguous(0, kState, words, TERN_DTYPE_UINT32), {})});
        for (const unsigned p : {0u, 1u, 77u, 127u}) {
          CHECK(bench.peek<std::uint32_t>(p, kState, words) ==
                Generators(engine.generators, engine.first_word, p, seeds[engine.queue]).words);
        }
      }
    };
    check_all();
    for (const Engine& engine : kEngines) {
      seeds[engine.queue] = 0xABCD0000 + engine.queue;
      bench.poke<std::uint32_t>(64, 4, {seeds[engine.queue]});
      bench.execute(engine.queue, {elementwise(TERN_OPCODE_SET_RNG_SEED, 1, {},
                                               contiguous(64, 4, 1, TERN_DTYPE_UINT32))});
      check_all();
    }
  });
}

TEST_CASE("special: Scalar's states are saved and restored, and its rounding draws from them") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::vector<float> values(40);
    for (unsigned i = 0; i < values.size(); ++i) values[i] = 1.0f + std::ldexp(i + 1.0f, -14);
    for (unsigned p = 0; p < 128; ++p) bench.poke<float>(p, kSource, values);
    const auto round_into = [](unsigned byte) {
      return elementwise(TERN_OPCODE_TENSOR_COPY, 128, contiguous(0, byte, 40, TERN_DTYPE_BF16),
                         contiguous(0, kSource, 40, TERN_DTYPE_FP32));
    };
    tern_instruction_t stochastic = extend();
    stochastic.extend.flags = 1u << 5;
    const Operand state = contiguous(0, kState, 6, TERN_DTYPE_UINT32);
    bench.poke<std::uint32_t>(0, 4000, {99});
    bench.execute(
        TERN_QUEUE_SCALAR,
        {elementwise(TERN_OPCODE_SET_RNG_SEED, 1, {}, contiguous(0, 4000, 1, TERN_DTYPE_UINT32)),
         elementwise(TERN_OPCODE_RAND_GET_STATE, 128, state, {}), stochastic, round_into(kResult)});
    bench.execute(TERN_QUEUE_SCALAR, {elementwise(TERN_OPCODE_RAND_SET_STATE, 128, {}, state),
                                      stochastic, round_into(kResult + 1000)});
    bool up = false, down = false;
    for (unsigned p = 0; p < 128; ++p) {
      Generators generators(1, 3841, p, 99);
      std::vector<std::uint16_t> expected;
      for (const float value : values) {
        const std::uint32_t word = bits(value);
        expected.push_back(static_cast<std::uint16_t>((word + (generators.draw() >> 16)) >> 16));
        (expected.back() > word >> 16 ? up : down) = true;
      }
      CHECK(bench.peek<std::uint16_t>(p, kResult, 40) == expected);
      CHECK(bench.peek<std::uint16_t>(p, kResult + 1000, 40) == expected);
    }
    CHECK((up && down));
  });
}

TEST_CASE("special: Vector's states go to PSUM and come back") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    const Operand state{ap(place(0, 4096, kPsum), 24), TERN_DTYPE_UINT32};
    bench.execute(TERN_QUEUE_VECTOR,
                  {elementwise(TERN_OPCODE_RAND_GET_STATE, 128, state, {}),
                   elementwise(TERN_OPCODE_RNG, 128, contiguous(0, 0, 8, TERN_DTYPE_UINT32), {})});
    bench.execute(TERN_QUEUE_VECTOR,
                  {elementwise(TERN_OPCODE_RAND_SET_STATE, 128, {}, state),
                   elementwise(TERN_OPCODE_RNG, 128, contiguous(0, 64, 8, TERN_DTYPE_UINT32), {})});
    for (unsigned p = 0; p < 128; ++p) {
      CHECK(bench.peek<std::uint32_t>(p, 0, 8) == bench.peek<std::uint32_t>(p, 64, 8));
    }
  });
}

TEST_CASE("special: dropout with one probability and with one per partition") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    const Rows<float> rows = random_floats(random, 128, 200);
    poke_rows(bench, 0, kSource, rows);
    for (unsigned p = 0; p < 128; ++p) {
      bench.poke<float>(p, kState, {static_cast<float>(p) / 127});
    }
    const auto dropout = [](unsigned byte, float probability) {
      return elementwise(TERN_OPCODE_DROPOUT, 128, contiguous(0, byte, 200, TERN_DTYPE_FP32),
                         contiguous(0, kSource, 200, TERN_DTYPE_FP32), {}, 0, 0, probability);
    };
    tern_instruction_t column = extend();
    column.extend.flags = 1;
    column.extend.scalar0 = place(0, kState);
    bench.execute(TERN_QUEUE_VECTOR, {dropout(kResult, 0.25f), column, dropout(kResult + 1000, 0)});
    for (unsigned p = 0; p < 128; ++p) {
      Generators generators = Generators::vector(p);
      const auto one = bench.peek<float>(p, kResult, 200);
      for (unsigned i = 0; i < 200; ++i) {
        CHECK(one[i] == (uniform(generators.draw()) < 0.25f ? 0.0f : rows[p][i]));
      }
      generators.begin();
      const auto each = bench.peek<float>(p, kResult + 1000, 200);
      for (unsigned i = 0; i < 200; ++i) {
        const bool dropped = uniform(generators.draw()) < static_cast<float>(p) / 127;
        CHECK(each[i] == (dropped ? 0.0f : rows[p][i]));
      }
    }
  });
}

TEST_CASE("special: rand2 draws between two numbers") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    for (unsigned p = 0; p < 32; ++p) bench.poke<float>(96 + p, kState, {0.5f + p});
    tern_instruction_t column = extend();
    column.extend.flags = 2;
    column.extend.scalar1 = place(96, kState);
    bench.execute(
        TERN_QUEUE_VECTOR,
        {column, elementwise(TERN_OPCODE_RAND2, 32, contiguous(96, kResult, 99, TERN_DTYPE_FP32),
                             {}, {}, 0, 0, -3.25f)});
    for (unsigned p = 0; p < 32; ++p) {
      Generators generators = Generators::vector(96 + p);
      for (float x : bench.peek<float>(96 + p, kResult, 99)) {
        const auto span = static_cast<float>(0.5 + p + 3.25);
        const auto part = static_cast<float>(double{uniform(generators.draw())} * span);
        CHECK(x == static_cast<float>(-3.25 + double{part}));
        CHECK(x >= -3.25f);
        CHECK(x < 0.5f + p);
      }
    }
  });
}

TEST_CASE("special: stochastic rounding of results on every engine that has it") {
  struct Engine {
    unsigned queue, generators, first_word, opcode;
  };
  const Engine engines[] = {{TERN_QUEUE_VECTOR, 4, 769, TERN_OPCODE_TENSOR_COPY},
                            {TERN_QUEUE_SCALAR, 1, 3841, TERN_OPCODE_ACTIVATION},
                            {TERN_QUEUE_GPSIMD, 1, 4609, TERN_OPCODE_TENSOR_COPY}};
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    Rows<float> rows(64, std::vector<float>(101));
    for (auto& row : rows) {
      for (float& x : row) x = std::ldexp(static_cast<float>(random() % (1u << 24)), -20) - 7;
    }
    poke_rows(bench, 64, kSource, rows);
    for (const Engine& engine : engines) {
      tern_instruction_t stochastic = extend();
      stochastic.extend.flags = 1u << 5;
      bench.execute(
          engine.queue,
          {stochastic, elementwise(engine.opcode, 64, contiguous(64, kResult, 101, TERN_DTYPE_BF16),
                                   contiguous(64, kSource, 101, TERN_DTYPE_FP32), {}, 0, 0, 1.0f)});
      for (unsigned p = 0; p < 64; ++p) {
        Generators generators(engine.generators, engine.first_word, 64 + p);
        const auto result = bench.peek<std::uint16_t>(64 + p, kResult, 101);
        for (unsigned i = 0; i < 101; ++i) {
          CHECK(result[i] == (bits(rows[p][i]) + (generators.draw() >> 16)) >> 16);
        }
      }
    }
  });
}

TEST_CASE("special: FP8 and strided destinations round stochastically too") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::vector<float> row(64, 2.125f);  // between 2 and 2.25 of e4m3fn
    bench.poke(0, kSource, row);
    tern_instruction_t stochastic = extend();
    stochastic.extend.flags = 1u << 5;
    bench.execute(TERN_QUEUE_VECTOR,
                  {stochastic, elementwise(TERN_OPCODE_TENSOR_COPY, 1,
                                           {ap(place(0, kResult), 64, 3), TERN_DTYPE_E4M3FN},
                                           contiguous(0, kSource, 64, TERN_DTYPE_FP32))});
    Generators generators = Generators::vector(0);
    const auto result = bench.peek<std::uint8_t>(0, kResult, 190);
    for (unsigned i = 0; i < 64; ++i) {
      CHECK(result[3 * i] == (generators.draw() >= 0x80000000 ? 0x41 : 0x40));
    }
  });
}
