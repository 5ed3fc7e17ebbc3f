// SPDX-License-Identifier: Apache-2.0
#include "tb/tensor/array/array_schedule.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace tern::tb {

namespace {

constexpr unsigned kRows = ArrayBench::kRows, kCols = ArrayBench::kCols;
constexpr unsigned kGroupRows = ArrayBench::kGroupRows, kGroupCols = ArrayBench::kGroupCols;

}  // namespace

void fill(ArrayBench* bench, Random& random, bool half_words) {
  const std::uint32_t specials[] = {0x00000000, 0x80000000, 0x00000001, 0x80000FFF, 0x007FFFFF,
                                    0x00800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000,
                                    0x7FC00000, 0x7F800001, 0x3F800000, 0xBF800000, 0x00001000};
  const unsigned spread = below(random, 3);
  for (auto& partition : bench->sbuf) {
    for (unsigned i = 0; i < kTagAddress; i += 4) {
      auto word = static_cast<std::uint32_t>(random());
      if (spread == 0) {
        word = half_words ? (word & 0x807F807F) | 0x3F803F80
                          : (word & 0x807FFFFF) | ((120 + below(random, 16)) << 23);
      } else if (spread == 2 && below(random, 64) == 0) {
        word = specials[below(random, std::size(specials))];
        if (half_words) word = word >> 16 | word << 16;
      } else if (spread == 2) {
        word = (word & 0x80000000) | below(random, 0x7F000000);
      }
      std::memcpy(&partition[i], &word, 4);
    }
  }
}

void fill_tags(ArrayBench* bench, Random& random, Pattern pattern, bool bad) {
  for (auto& partition : bench->sbuf) {
    for (unsigned i = kTagAddress; i < ArrayBench::kBytes; ++i) {
      const unsigned limit = bad && below(random, 8) == 0 ? 16 : pattern.n;
      partition[i] =
          static_cast<std::uint8_t>(below(random, limit) | below(random, pattern.n) << 4);
    }
  }
}

Tile whole_tile(Random& random, unsigned grain) {
  const unsigned start = kGroupRows * below(random, 4);
  const unsigned rows = grain * (1 + below(random, (kRows - start) / grain));
  return {start, rows, 0, 1 + below(random, kCols), 0, 3, 0, 3};
}

Tile part(Random& random, unsigned row_size, unsigned col_size) {
  const unsigned row_groups = 4 >> row_size, col_groups = 4 >> col_size;
  const unsigned g0 = row_groups * below(random, 4 / row_groups);
  const unsigned j0 = col_groups * below(random, 4 / col_groups);
  return {g0 * kGroupRows,
          1 + below(random, row_groups * kGroupRows),
          j0 * kGroupCols,
          1 + below(random, col_groups * kGroupCols),
          g0,
          g0 + row_groups - 1,
          j0,
          j0 + col_groups - 1};
}

void Schedule::issue(ArrayCommand* command, std::uint64_t earliest) {
  last_ = std::max(last_ + 1, earliest) + (below(*random_, 3) == 0 ? below(*random_, 5) : 0);
  command->issue = last_;
  command->slot = next_slot_++ % 16;
}

void Schedule::load(ArrayCommand command) {
  command.kind = ArrayCommand::Kind::kLoad;
  issue(&command, std::max(load_free_, shadow_free_));
  load_free_ = command.issue + command.load_cycles();
  loaded_ = load_free_ + 1;
  commands.push_back(command);
}

void Schedule::moves(std::vector<ArrayCommand> together) {
  std::uint64_t earliest = 0;
  for (const ArrayCommand& command : together) {
    if (command.swap) earliest = std::max(earliest, loaded_);
    const Tile& tile = command.tile;
    for (unsigned g = tile.g0; g <= tile.g1; ++g) {
      for (unsigned j = tile.j0; j <= tile.j1; ++j) earliest = std::max(earliest, busy_[g][j]);
    }
  }
  issue(&together.front(), earliest);
  for (ArrayCommand& command : together) {
    command.kind = ArrayCommand::Kind::kMove;
    if (&command != &together.front()) command.slot = next_slot_++ % 16;
    command.issue = last_;
    const Tile& tile = command.tile;
    for (unsigned g = tile.g0; g <= tile.g1; ++g) {
      for (unsigned j = tile.j0; j <= tile.j1; ++j) busy_[g][j] = command.issue + command.columns;
    }
    commands.push_back(command);
  }
}

void Schedule::transpose(const ArrayCommand& command) {
  load(command);
  ArrayCommand drain = commands.back();
  drain.kind = ArrayCommand::Kind::kDrain;
  drain.issue = load_free_ + 1;
  drain.columns = command.tile.rows;
  drain.slot = command.slot;
  shadow_free_ = drain.issue + command.tile.rows;
  commands.push_back(drain);
}

}  // namespace tern::tb
