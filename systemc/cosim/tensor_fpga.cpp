// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/tensor_fpga.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "sw/base/math.h"
#include "sw/base/user_error.h"

namespace tern {

namespace {

using fpga::Board;

constexpr std::uint16_t kMinusZero = 0x8000;  // with a weight of +0: leaves every sum as it is

unsigned narrow(std::size_t value) {
  return static_cast<unsigned>(value);
}

// Two rows of BF16 elements to a word, all rows of a group next to each other.
std::vector<std::uint32_t> pack(const ChainProduct& product, const std::uint16_t* elements,
                                std::size_t width, std::size_t first, std::size_t count,
                                std::size_t padded, std::size_t rows_of_group,
                                std::uint16_t filler) {
  const std::size_t groups = ceil_div(product.rows, rows_of_group);
  const auto element = [&](std::size_t row, std::size_t column) {
    if (row >= product.rows || column >= count) return filler;
    return elements[row * width + first + column];
  };
  std::vector<std::uint32_t> words;
  words.reserve(groups * padded * rows_of_group / 2);
  for (std::size_t g = 0; g < groups; ++g) {
    for (std::size_t n = 0; n < padded; ++n) {
      for (std::size_t r = g * rows_of_group; r < (g + 1) * rows_of_group; r += 2) {
        words.push_back(element(r, n) | std::uint32_t{element(r + 1, n)} << 16);
      }
    }
  }
  return words;
}

}  // namespace

FpgaChains::FpgaChains(std::unique_ptr<fpga::Board> board) : board_(std::move(board)) {}

std::size_t FpgaChains::groups_of(const ChainProduct& product) const {
  return ceil_div(product.rows, std::size_t{board_->shape().rows});
}

std::size_t FpgaChains::sets_of(const ChainProduct& product) const {
  return ceil_div(product.lanes, std::size_t{board_->shape().cols});
}

void FpgaChains::to_sbuf(std::size_t address, const Words& words) {
  const std::size_t most = board_->shape().mem_words - Board::kFirstFree;
  for (std::size_t done = 0; done < words.size();) {
    const std::size_t some = std::min(most, words.size() - done);
    board_->write(Board::kFirstFree, words.data() + done, some);
    board_->run({fpga::to_sbuf(Board::kFirstFree, narrow(address + done), narrow(some))});
    done += some;
  }
}

// Sets of lanes in sequence: [set][group][lane of the set].
void FpgaChains::put_weights(const ChainProduct& product) {
  const fpga::BoardShape& shape = board_->shape();
  Words words;
  for (std::size_t set = 0; set < sets_of(product); ++set) {
    const std::size_t first = set * shape.cols;
    const Words some =
        pack(product, product.weights, product.lanes, first,
             std::min<std::size_t>(shape.cols, product.lanes - first), shape.cols, shape.rows, 0);
    words.insert(words.end(), some.begin(), some.end());
  }
  if (words == weights_) return;
  to_sbuf(0, words);
  weights_ = std::move(words);
}

void FpgaChains::put_moving(const ChainProduct& product, const Part& part) {
  to_sbuf(weights_.size(), pack(product, product.moving, product.columns, part.first, part.columns,
                                part.columns, board_->shape().rows, kMinusZero));
}

void FpgaChains::multiply(const ChainProduct& product) {
  const fpga::BoardShape& shape = board_->shape();
  const std::size_t parts = shape.rows / 2, groups = groups_of(product);
  const std::size_t weights = sets_of(product) * groups * shape.cols * parts;
  // Chains in one half of PSUM, sums in the other.
  const std::size_t in_sbuf =
      weights < shape.sbuf_words ? (shape.sbuf_words - weights) / (groups * parts) : 0;
  const std::size_t most = std::min<std::size_t>(shape.psum_words / 2, in_sbuf);
  if (most == 0) throw RunError("tensor engine on FPGA: a tile is larger than the board's SBUF");
  put_weights(product);
  for (Part part = {0, 0}; part.first < product.columns; part.first += part.columns) {
    part.columns = std::min(most, product.columns - part.first);
    put_moving(product, part);
    // As many sets of lanes at a time as the memory has room for their results.
    const std::size_t room = shape.mem_words - Board::kFirstFree;
    const std::size_t some = std::max<std::size_t>(room / (part.columns * shape.cols), 1);
    for (std::size_t set = 0; set < sets_of(product); set += some) {
      run_sets(product, part, set, std::min(some, sets_of(product) - set));
    }
  }
}

void FpgaChains::run_sets(const ChainProduct& product, const Part& part, std::size_t first,
                          std::size_t sets) {
  const fpga::BoardShape& shape = board_->shape();
  const std::size_t cols = shape.cols, parts = shape.rows / 2, groups = groups_of(product);
  const std::size_t words_of_set = part.columns * cols;
  Words words(sets * words_of_set);
  // Word n * Cols + c of a set is column n of its lane c.
  const auto each = [&](auto visit) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::size_t lane = (first + i / words_of_set) * cols + i % cols;
      const std::size_t column = part.first + i % words_of_set / cols;
      if (lane < product.lanes) visit(&words[i], &product.psum[lane * product.pitch + column]);
    }
  };
  if (product.accumulate) {
    each([](std::uint32_t* word, const float* psum) { std::memcpy(word, psum, sizeof *word); });
    board_->write(Board::kFirstFree, words.data(), words.size());
  }
  std::vector<fpga::Descriptor> descriptors;
  for (std::size_t i = 0; i < sets; ++i) {
    const unsigned mem = narrow(Board::kFirstFree + i * words_of_set), count = narrow(words_of_set);
    const unsigned sums = product.accumulate ? narrow(shape.psum_words / 2 * cols) : 0;
    fpga::Product chain;
    chain.columns = narrow(part.columns);
    chain.groups = narrow(groups);
    chain.weights = narrow((first + i) * groups * cols);
    chain.moving = narrow(weights_.size() / parts);
    chain.stride = narrow(part.columns);
    descriptors.push_back(fpga::multiply(chain));
    if (product.accumulate) {
      descriptors.push_back(fpga::to_psum(mem, sums, count));
      descriptors.push_back(fpga::add(count, {sums, 1}, {0, 1}, {sums, 1}));
    }
    descriptors.push_back(fpga::from_psum(sums, mem, count));
  }
  board_->run(descriptors);
  board_->read(Board::kFirstFree, words.data(), words.size());
  each([](const std::uint32_t* word, float* psum) { std::memcpy(psum, word, sizeof *word); });
}

}  // namespace tern
