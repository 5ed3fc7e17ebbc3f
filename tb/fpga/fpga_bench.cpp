// SPDX-License-Identifier: Apache-2.0
#include "tb/fpga/fpga_bench.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <utility>

#include "sw/numerics/float_bits.h"
#include "tb/common/seed.h"
#include "tb/numerics/exp_definition.h"
#include "tb/numerics/mpfr_oracle.h"

namespace tern::tb {

namespace {

using fpga::Board;
using Random = std::mt19937_64;
using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t kInf = 0x7F800000, kNan = 0x7FC00000, kNegative = 0x80000000;

Board board_of(std::unique_ptr<fpga::BytePort> port) {
  return Board(std::make_unique<fpga::Link>(std::move(port)));
}

// A binary32 word: mostly ordinary, sometimes special, sometimes any bits.
std::uint32_t any_word(Random* random, unsigned rare) {
  const std::uint32_t specials[] = {0, kNegative,  kInf,       kInf | kNegative, kNan,
                                    1, 0x007FFFFF, 0x00800000, 0x7F7FFFFF,       0x3F800000};
  const std::uint64_t draw = (*random)();
  if (draw % rare == 0) return specials[(draw >> 32) % std::size(specials)];
  if (draw % rare == 1) return static_cast<std::uint32_t>(draw >> 32);
  const std::uint32_t exponent = 117 + (draw >> 8) % 20;
  return static_cast<std::uint32_t>(draw >> 32 & 0x807FFFFF) | exponent << 23;
}

std::uint32_t any_bf16(Random* random, unsigned rare) {
  return any_word(random, rare) & 0xFFFF0000;
}

void expect_words(const Words& expected, const Words& actual, const std::string& what) {
  REQUIRE(expected.size() == actual.size());
  const auto differs = std::mismatch(expected.begin(), expected.end(), actual.begin());
  const auto at = differs.first - expected.begin();
  INFO(what << ", seed " << test_seed() << ": word " << at);
  CHECK((differs.first == expected.end() || *differs.first == *differs.second));
}

// One product with its operands as the board has them and its result by MPFR.
struct Case {
  unsigned groups = 1, columns = 1, psum = 0;
  bool continues = false;
  Words moving, weights, before, result;
};

Case any_case(Random* random, const fpga::BoardShape& shape) {
  Case c;
  const auto below = [&](unsigned n) { return static_cast<unsigned>((*random)() % n); };
  c.groups = 1 + below(6);
  c.columns = 1 + below(9);
  c.psum = below(shape.psum_words - c.columns);
  c.continues = below(2) == 0;
  const unsigned rare = below(3) == 0 ? 4 : 1000;
  const unsigned rows = c.groups * shape.rows;
  Words a(std::size_t{rows} * c.columns), w(std::size_t{rows} * shape.cols);
  for (auto& x : a) x = any_bf16(random, rare);
  for (auto& x : w) x = any_bf16(random, rare);
  c.before.resize(std::size_t{c.columns} * shape.cols);
  for (auto& x : c.before) x = any_word(random, rare);
  // Words of two rows, lowest row first; a group's words of a column are next to each other.
  const auto pack = [&](const Words& from, unsigned width) {
    Words words;
    for (unsigned g = 0; g < c.groups; ++g) {
      for (unsigned n = 0; n < width; ++n) {
        for (unsigned r = 0; r < shape.rows; r += 2) {
          const std::size_t row = g * shape.rows + r;
          words.push_back(from[row * width + n] >> 16 | from[(row + 1) * width + n]);
        }
      }
    }
    return words;
  };
  c.moving = pack(a, c.columns);
  c.weights = pack(w, shape.cols);
  MpfrOracle oracle;
  for (unsigned n = 0; n < c.columns; ++n) {
    for (unsigned lane = 0; lane < shape.cols; ++lane) {
      std::uint32_t acc = c.continues ? c.before[n * shape.cols + lane] : 0;
      for (unsigned r = 0; r < rows; ++r) {
        acc = oracle.fma(numerics::float_of(a[r * c.columns + n]),
                         numerics::float_of(w[r * shape.cols + lane]), numerics::float_of(acc));
      }
      c.result.push_back(acc);
    }
  }
  return c;
}

Words run_case(Board* board, const Case& c) {
  const fpga::BoardShape& shape = board->shape();
  const unsigned parts = shape.rows / 2;
  unsigned free = Board::kFirstFree;
  const auto put = [&](const Words& words) {
    board->write(free, words.data(), words.size());
    return std::exchange(free, free + static_cast<unsigned>(words.size()));
  };
  const unsigned moving = put(c.moving), weights = put(c.weights), before = put(c.before);
  const auto size = [](const Words& words) { return static_cast<unsigned>(words.size()); };
  fpga::Product product;
  product.columns = c.columns;
  product.groups = c.groups;
  product.moving = 0;
  product.weights = size(c.moving) / parts;
  product.stride = c.columns;
  product.psum = c.psum;
  product.continues = c.continues;
  const unsigned first = c.psum * shape.cols, count = size(c.before);
  board->run({fpga::to_sbuf(moving, 0, size(c.moving)),
              fpga::to_sbuf(weights, size(c.moving), size(c.weights)),
              fpga::to_psum(before, first, count), fpga::multiply(product),
              fpga::from_psum(first, free, count)});
  Words result(count);
  board->read(free, result.data(), count);
  return result;
}

// Keeps what passes, with its cycle.
class Recorder : public fpga::BytePort {
 public:
  Recorder(std::unique_ptr<FpgaSim> board, std::vector<std::pair<std::uint64_t, std::uint8_t>>* log)
      : board_(std::move(board)), log_(log) {}
  std::string name() const override { return board_->name(); }
  void write(const std::uint8_t* data, std::size_t bytes) override { board_->write(data, bytes); }
  std::size_t read(std::uint8_t* data, std::size_t max, unsigned milliseconds) override {
    const std::size_t count = board_->read(data, max, milliseconds);
    for (std::size_t i = 0; i < count; ++i) log_->emplace_back(board_->cycles(), data[i]);
    return count;
  }

 private:
  std::unique_ptr<FpgaSim> board_;
  std::vector<std::pair<std::uint64_t, std::uint8_t>>* log_;
};

}  // namespace

void check_products(const MakeFpga& make, unsigned cases) {
  Random random(test_seed());
  Board board = board_of(make());
  for (unsigned i = 0; i < cases; ++i) {
    const Case c = any_case(&random, board.shape());
    expect_words(c.result, run_case(&board, c), "product " + std::to_string(i));
  }
}

void check_sums(const MakeFpga& make, unsigned cases) {
  Random random(test_seed() + 1);
  Board board = board_of(make());
  MpfrOracle oracle;
  for (unsigned i = 0; i < cases; ++i) {
    Words words(40);
    for (auto& x : words) x = any_word(&random, 3);
    // Near cancellation, ties and equal exponents.
    for (unsigned k = 0; k < 10; ++k) words[20 + k] = words[k] ^ kNegative ^ (random() % 4);
    board.write(Board::kFirstFree, words.data(), 40);
    // Pairs 20 apart; then a chain in place, as the running sum of the exponential unit.
    board.run({fpga::to_psum(Board::kFirstFree, 0, 40), fpga::add(20, {0, 1}, {20, 1}, {40, 1}),
               fpga::add(19, {40, 0}, {41, 1}, {40, 0}),
               fpga::from_psum(40, Board::kFirstFree, 20)});
    Words expected(20), actual(20);
    for (unsigned k = 0; k < 20; ++k) {
      expected[k] = oracle.add(numerics::float_of(words[k]), numerics::float_of(words[20 + k]));
    }
    for (unsigned k = 1; k < 20; ++k) {
      expected[0] = oracle.add(numerics::float_of(expected[0]), numerics::float_of(expected[k]));
    }
    board.read(Board::kFirstFree, actual.data(), 20);
    expect_words(expected, actual, "sums " + std::to_string(i));
  }
}

void check_exponentials(const MakeFpga& make, unsigned cases) {
  Random random(test_seed() + 2);
  Board board = board_of(make());
  MpfrOracle oracle;
  for (unsigned i = 0; i < cases; ++i) {
    Words words(100);
    for (auto& x : words) x = any_word(&random, 5);
    const std::uint32_t maximum = i % 2 == 0 ? 0 : any_word(&random, 6);
    board.write(Board::kFirstFree, words.data(), 100);
    board.run({fpga::to_psum(Board::kFirstFree, 0, 100),
               fpga::exponential(100, {0, 1}, {100, 1}, numerics::float_of(maximum)),
               fpga::from_psum(100, Board::kFirstFree, 100)});
    Words expected(100), actual(100);
    for (unsigned k = 0; k < 100; ++k) {
      expected[k] = defined_exp(numerics::float_of(
          oracle.subtract(numerics::float_of(words[k]), numerics::float_of(maximum))));
    }
    board.read(Board::kFirstFree, actual.data(), 100);
    expect_words(expected, actual, "exponentials " + std::to_string(i));
  }
}

void check_same_bytes(const MakeFpga& one, const MakeFpga& other, unsigned cases) {
  std::vector<std::pair<std::uint64_t, std::uint8_t>> logs[2];
  for (unsigned side = 0; side < 2; ++side) {
    Random random(test_seed() + 3);
    Board board = board_of(std::make_unique<Recorder>(side == 0 ? one() : other(), &logs[side]));
    for (unsigned i = 0; i < cases; ++i) {
      const Case c = any_case(&random, board.shape());
      expect_words(c.result, run_case(&board, c), "product " + std::to_string(i));
    }
    board.run({fpga::exponential(20, {0, 1}, {100, 1}, 1.5f),
               fpga::add(20, {100, 1}, {0, 1}, {200, 1}),
               fpga::from_psum(0, Board::kFirstFree, 300)});
    Words all(300);
    board.read(Board::kFirstFree, all.data(), 300);
  }
  REQUIRE(!logs[0].empty());
  REQUIRE(logs[0].size() == logs[1].size());
  std::size_t same = 0;
  while (same < logs[0].size() && logs[0][same].second == logs[1][same].second &&
         logs[0][same].first == logs[1][same].first) {
    ++same;
  }
  INFO("seed " << test_seed() << ": " << same << " bytes are equal");
  CHECK(same == logs[0].size());
}

}  // namespace tern::tb
