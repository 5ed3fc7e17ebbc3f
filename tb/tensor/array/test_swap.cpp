// SPDX-License-Identifier: Apache-2.0
// New weights in array A. In a row the control swaps those of one multiply at a time, because it
// starts one a cycle. The array itself only demands that no two waves drive the same column group:
// here tiles of any column groups swap in the same cycle.
#include <catch2/catch.hpp>

#include "tb/common/seed.h"
#include "tb/tensor/array/array_check.h"
#include "tb/tensor/array/array_schedule.h"

namespace tern::tb {

namespace {

constexpr unsigned kGroupRows = ArrayBench::kGroupRows, kGroupCols = ArrayBench::kGroupCols;

// All columns of column groups j0 to j1, in all rows of row groups g0 to g1.
Tile tile_of(unsigned g0, unsigned g1, unsigned j0, unsigned j1) {
  return {g0 * kGroupRows,
          (g1 - g0 + 1) * kGroupRows,
          j0 * kGroupCols,
          (j1 - j0 + 1) * kGroupCols,
          g0,
          g1,
          j0,
          j1};
}

// Tiles that fill the width. Two groups of the same half are one tile or two if `mask` contains
// both of them or neither. `mixed`: each tile in any part of the rows, otherwise in all of them.
std::vector<Tile> tiles_across(Random& random, unsigned mask, bool mixed) {
  std::vector<Tile> tiles;
  for (unsigned j = 0; j < 4;) {
    const bool alike = j % 2 == 0 && (mask >> j & 1) == (mask >> (j + 1) & 1);
    const unsigned width = alike && below(random, 2) != 0 ? 2 : 1;
    const unsigned height = 4 >> (mixed ? below(random, 3) : 0);
    const unsigned g0 = height * below(random, 4 / height);
    tiles.push_back(tile_of(g0, g0 + height - 1, j, j + width - 1));
    j += width;
  }
  return tiles;
}

// The same command for each of these tiles, with operands of its own.
std::vector<ArrayCommand> commands_of(Random& random, const std::vector<Tile>& tiles, bool swap) {
  std::vector<ArrayCommand> commands;
  for (const Tile& tile : tiles) {
    ArrayCommand command;
    command.tile = tile;
    command.address = 8 * below(random, 64);
    command.columns = 1 + below(random, 6);
    command.swap = swap;
    commands.push_back(command);
  }
  return commands;
}

void load_all(Schedule* schedule, Random& random, const std::vector<Tile>& tiles) {
  for (ArrayCommand load : commands_of(random, tiles, false)) {
    load.columns = 0;
    schedule->load(load);
  }
}

}  // namespace

TEST_CASE("any column groups take new weights in the same cycle, the others keep theirs") {
  Random random(test_seed() + 5);
  for (unsigned round = 0; round < 90; ++round) {
    const unsigned mask = 1 + round % 15;
    CAPTURE(round, mask);
    ArrayBench bench;
    Schedule schedule(&random);
    fill(&bench, random, true);
    const std::vector<Tile> tiles = tiles_across(random, mask, round >= 30);
    std::vector<Tile> chosen, others;
    for (const Tile& tile : tiles) {
      ((mask >> tile.j0 & 1) != 0 ? chosen : others).push_back(tile);
    }
    load_all(&schedule, random, tiles);
    schedule.moves(commands_of(random, tiles, true));
    load_all(&schedule, random, tiles);
    schedule.moves(commands_of(random, chosen, true));
    // Those that keep their weights have others in the shadow, for a later multiply.
    if (!others.empty()) {
      schedule.moves(commands_of(random, others, false));
      schedule.moves(commands_of(random, others, true));
    }
    schedule.moves(commands_of(random, tiles, false));
    check(&bench, schedule.commands);
  }
}

}  // namespace tern::tb
