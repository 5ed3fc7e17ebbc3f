// SPDX-License-Identifier: Apache-2.0
// Array A under random commands that keep the issue rules of rtl/tensor/README.md: formats, tiles,
// sparse patterns, transposes, all of them back to back.
#include <catch2/catch.hpp>

#include "tb/common/seed.h"
#include "tb/tensor/array/array_check.h"
#include "tb/tensor/array/array_schedule.h"

namespace tern::tb {

namespace {

Form pick_form(Random& random, bool wide) {
  return static_cast<Form>(wide ? 2 + below(random, 3) : below(random, 2));
}

// Four columns a cycle, or one of a pattern in the middle of the operands.
void place_load(ArrayCommand* load, Random& random, bool patterns) {
  load->address = 8 * below(random, 64);
  load->single = patterns && below(random, 2) != 0;
  if (!load->single) return;
  load->address = 1400 + form_bytes(load->form) * below(random, 64);
  load->num0 = 1 + below(random, load->tile.cols);
  load->step0 = static_cast<int>(below(random, 7)) - 3;
  load->step1 = static_cast<int>(below(random, 41)) - 20;
}

// One load and one or two multiplies with it, in any mode but the transpose.
void add_product(Schedule* schedule, Random& random, bool wide, int sparsity) {
  ArrayCommand load, move;
  load.form = pick_form(random, wide);
  move.form = pick_form(random, wide);
  if (sparsity >= 0) {
    load.sparse = move.sparse = true;
    load.sparsity = move.sparsity = static_cast<unsigned>(sparsity);
    load.tile = whole_tile(random, kPatterns[sparsity].m);
    // Operands of a sparse tile are in the partitions of its rows only.
    load.tag_address = kTagAddress + 2 * below(random, 64);
    move.plane = 512;
    if (below(random, 2) != 0) move.plane = -move.plane;
  } else {
    const unsigned sizes = below(random, 12);
    load.tile = sizes < 3 ? whole_tile(random, 1) : part(random, sizes % 3, sizes / 4);
  }
  place_load(&load, random, sparsity < 0);
  move.tile = load.tile;
  schedule->load(load);
  const unsigned repeats = 1 + below(random, 2);
  for (unsigned i = 0; i < repeats; ++i) {
    move.address = (move.plane < 0 ? 1536U : 0U) + 4 * below(random, 64);
    move.columns = 1 + below(random, 12);
    move.swap = i == 0;
    schedule->move(move);
  }
}

void add_transpose(Schedule* schedule, Random& random) {
  ArrayCommand transpose;
  transpose.form = static_cast<Form>(5 + below(random, 3));
  transpose.tile = whole_tile(random, 1);
  place_load(&transpose, random, true);
  schedule->transpose(transpose);
}

}  // namespace

TEST_CASE("dense tiles of every format, whole and in parts") {
  Random random(test_seed() + 1);
  for (unsigned round = 0; round < 60; ++round) {
    CAPTURE(round);
    ArrayBench bench;
    Schedule schedule(&random);
    const bool wide = round % 2 != 0;
    fill(&bench, random, !wide);
    for (unsigned i = 0; i < 16; ++i) add_product(&schedule, random, wide, -1);
    check(&bench, schedule.commands);
  }
}

TEST_CASE("every sparse pattern, with and without positions outside it") {
  Random random(test_seed() + 2);
  for (unsigned round = 0; round < 56; ++round) {
    CAPTURE(round);
    ArrayBench bench;
    Schedule schedule(&random);
    fill(&bench, random, true);
    const int sparsity = static_cast<int>(round % 7);
    fill_tags(&bench, random, kPatterns[sparsity], round >= 28);
    for (unsigned i = 0; i < 6; ++i) {
      add_product(&schedule, random, false, sparsity);
      if (below(random, 2) != 0) add_product(&schedule, random, false, -1);
    }
    check(&bench, schedule.commands);
  }
}

TEST_CASE("transposes parallel to multiplies") {
  Random random(test_seed() + 3);
  for (unsigned round = 0; round < 40; ++round) {
    CAPTURE(round);
    ArrayBench bench;
    Schedule schedule(&random);
    const bool wide = round % 2 != 0;
    fill(&bench, random, !wide);
    for (unsigned i = 0; i < 6; ++i) {
      add_product(&schedule, random, wide, -1);
      add_transpose(&schedule, random);
    }
    check(&bench, schedule.commands);
  }
}

TEST_CASE("a reset in any cycle leaves array A as new") {
  Random random(test_seed() + 4);
  ArrayBench bench;
  fill_tags(&bench, random, kPatterns[2], false);
  for (unsigned life = 0; life < 60; ++life) {
    CAPTURE(life);
    const bool wide = life % 2 != 0;
    fill(&bench, random, !wide);
    const auto program = [&](unsigned products) {
      Schedule schedule(&random, bench.cycle());
      for (unsigned i = 0; i < products; ++i) {
        add_product(&schedule, random, wide, !wide && below(random, 4) == 0 ? 2 : -1);
        if (below(random, 2) != 0) add_transpose(&schedule, random);
      }
      return schedule;
    };
    bench.run(program(6).commands, 1 + below(random, 120));
    bench.reset();
    if (life % 3 == 0) check(&bench, program(3).commands);
  }
}

// Not a test: tb/common/check_failing_text.sh runs it.
TEST_CASE("a mismatch on purpose: array A", "[.]") {
  Random random(test_seed());
  ArrayBench bench;
  Schedule schedule(&random);
  fill(&bench, random, true);
  for (unsigned i = 0; i < 4; ++i) add_product(&schedule, random, false, -1);
  check(&bench, schedule.commands, [](std::vector<ArrayResult>* expected) {
    ArrayResult& result = (*expected)[expected->size() / 2];
    result.lanes[result.first] ^= 0x10;
  });
}

}  // namespace tern::tb
