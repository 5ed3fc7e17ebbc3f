// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "tb/tensor/array/array_bench.h"
#include "tb/tensor/array/array_command.h"

namespace tern::tb {

using Random = std::mt19937_64;

inline unsigned below(Random& random, unsigned n) {
  return static_cast<unsigned>(random() % n);
}

constexpr unsigned kTagAddress = 3072;  // operands are below

// Operands of every kind: near one so that sums round and cancel, any bits, special values.
void fill(ArrayBench* bench, Random& random, bool half_words);
// Positions, increasing inside a group or at random; sometimes one outside the pattern.
void fill_tags(ArrayBench* bench, Random& random, Pattern pattern, bool bad);

// A tile at any place that claims the whole array.
Tile whole_tile(Random& random, unsigned grain);
// A part of the array: sizes 0 whole, 1 half, 2 quarter.
Tile part(Random& random, unsigned row_size, unsigned col_size);

// Gives commands the earliest cycle that the issue rules allow, or a few more.
class Schedule {
 public:
  explicit Schedule(Random* random, std::uint64_t begin = 0)
      : random_(random), last_(begin), load_free_(begin) {}

  std::vector<ArrayCommand> commands;

  void load(ArrayCommand command);
  // A multiply; with `swap` it takes what its tile loaded last.
  void move(const ArrayCommand& command) { moves({command}); }
  // Multiplies of separate tiles, issued in the same cycle.
  void moves(std::vector<ArrayCommand> together);
  void transpose(const ArrayCommand& command);

 private:
  void issue(ArrayCommand* command, std::uint64_t earliest);

  Random* random_;
  std::uint64_t last_ = 0, load_free_ = 0, shadow_free_ = 0, loaded_ = 0, busy_[4][4] = {};
  unsigned next_slot_ = 0;
};

}  // namespace tern::tb
