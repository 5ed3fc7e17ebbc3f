// SPDX-License-Identifier: Apache-2.0
// Array A under random commands that keep the issue rules of rtl/tensor/README.md: formats, tiles,
// sparse patterns, transposes, all of them back to back.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <tuple>

#include "tb/common/check_mismatch.h"
#include "tb/common/seed.h"
#include "tb/tensor/array/array_bench.h"
#include "tb/tensor/array/array_reference.h"

namespace tern::tb {

namespace {

constexpr unsigned kRows = ArrayBench::kRows, kCols = ArrayBench::kCols;
constexpr unsigned kGroupRows = ArrayBench::kGroupRows, kGroupCols = ArrayBench::kGroupCols;
constexpr unsigned kTagAddress = 3072;  // operands are below

using Random = std::mt19937_64;

unsigned below(Random& random, unsigned n) {
  return static_cast<unsigned>(random() % n);
}

// Operands of every kind: near one so that sums round and cancel, any bits, special values.
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

// Positions, increasing inside a group or at random; sometimes one outside the pattern.
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

// A part of the array: sizes 0 whole, 1 half, 2 quarter.
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

// Gives commands the earliest cycle that the issue rules allow, or a few more.
class Schedule {
 public:
  explicit Schedule(Random* random, std::uint64_t begin = 0)
      : random_(random), last_(begin), load_free_(begin) {}

  std::vector<ArrayCommand> commands;

  void load(ArrayCommand command) {
    command.kind = ArrayCommand::Kind::kLoad;
    issue(&command, std::max(load_free_, shadow_free_));
    load_free_ = command.issue + command.load_cycles();
    loaded_ = load_free_ + 1;
    commands.push_back(command);
  }

  // The multiply that takes the last load.
  void move(ArrayCommand command) {
    command.kind = ArrayCommand::Kind::kMove;
    std::uint64_t earliest = command.swap ? loaded_ : 0;
    const Tile& tile = command.tile;
    for (unsigned g = tile.g0; g <= tile.g1; ++g) {
      for (unsigned j = tile.j0; j <= tile.j1; ++j) earliest = std::max(earliest, busy_[g][j]);
    }
    issue(&command, earliest);
    for (unsigned g = tile.g0; g <= tile.g1; ++g) {
      for (unsigned j = tile.j0; j <= tile.j1; ++j) busy_[g][j] = command.issue + command.columns;
    }
    commands.push_back(command);
  }

  void transpose(ArrayCommand command) {
    load(command);
    ArrayCommand drain = commands.back();
    drain.kind = ArrayCommand::Kind::kDrain;
    drain.issue = load_free_ + 1;
    drain.columns = command.tile.rows;
    drain.slot = command.slot;
    shadow_free_ = drain.issue + command.tile.rows;
    commands.push_back(drain);
  }

 private:
  void issue(ArrayCommand* command, std::uint64_t earliest) {
    last_ = std::max(last_ + 1, earliest) + (below(*random_, 3) == 0 ? below(*random_, 5) : 0);
    command->issue = last_;
    command->slot = next_slot_++ % 16;
  }

  Random* random_;
  std::uint64_t last_ = 0, load_free_ = 0, shadow_free_ = 0, loaded_ = 0, busy_[4][4] = {};
  unsigned next_slot_ = 0;
};

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

std::string text(const ArrayResult& result) {
  return "slot " + hex(result.slot, 4) + " in cycle " + std::to_string(result.cycle) +
         ", column groups " + hex(result.groups, 4);
}

// What left the array, column by column and lane by lane.
MismatchLog differences(const std::vector<ArrayResult>& expected,
                        const std::vector<ArrayResult>& got, const ArrayReference& reference) {
  MismatchLog log;
  for (std::size_t i = 0; i < std::min(expected.size(), got.size()); ++i) {
    const ArrayResult& want = expected[i];
    const std::string port =
        want.port < 4 ? "port sum_o " + std::to_string(want.port) : "port raw_o";
    if (text(want) != text(got[i]) || want.port != got[i].port) {
      log.add([&] {
        return Mismatch{{port, reference.input_of(want, want.first), want.cycle},
                        text(want),
                        text(got[i]) + " at port " + std::to_string(got[i].port)};
      });
      break;  // from here on all are others
    }
    for (unsigned m = want.first; m < want.first + want.count; ++m) {
      log.compare(want.lanes[m], got[i].lanes[m], 32, [&] {
        return Where{port + ", lane " + std::to_string(m), reference.input_of(want, m), want.cycle};
      });
    }
  }
  return log;
}

MismatchLog differences(const std::vector<ArrayCommand>& commands,
                        const std::vector<LoadDone>& loads, const ArrayReference& reference) {
  MismatchLog log;
  std::size_t done = 0;
  for (const ArrayCommand& command : commands) {
    if (command.kind != ArrayCommand::Kind::kLoad || done >= loads.size()) continue;
    const LoadDone& got = loads[done++];
    const LoadDone want = {command.issue + command.load_cycles() + kRows, command.slot,
                           reference.bad(command)};
    if (std::tie(want.cycle, want.slot, want.bad) == std::tie(got.cycle, got.slot, got.bad)) {
      continue;
    }
    const auto text = [](const LoadDone& load) {
      return "slot " + hex(load.slot, 4) + " in cycle " + std::to_string(load.cycle) +
             (load.bad ? ", load_bad_o" : "");
    };
    log.add([&] {
      return Mismatch{{"port load_done_o",
                       "load issued in cycle " + std::to_string(command.issue) + ", tags at " +
                           hex(command.tag_address, 16),
                       want.cycle},
                      text(want),
                      text(got)};
    });
  }
  return log;
}

// By default the array is right: `spoil` changes what it is expected to give.
void check(ArrayBench* bench, const Schedule& schedule,
           void (*spoil)(std::vector<ArrayResult>*) = nullptr) {
  bench->run(schedule.commands);
  ArrayReference reference(*bench);
  std::vector<ArrayResult> expected = reference.results(schedule.commands);
  const auto before = [](const ArrayResult& a, const ArrayResult& b) {
    return std::tie(a.cycle, a.slot, a.port) < std::tie(b.cycle, b.slot, b.port);
  };
  std::sort(expected.begin(), expected.end(), before);
  std::sort(bench->results.begin(), bench->results.end(), before);
  if (spoil != nullptr) spoil(&expected);
  CHECK_NO_MISMATCH(differences(expected, bench->results, reference));
  CHECK_NO_MISMATCH(differences(schedule.commands, bench->loads, reference));
  REQUIRE(bench->results.size() == expected.size());
  const auto loads =
      std::count_if(schedule.commands.begin(), schedule.commands.end(),
                    [](const ArrayCommand& c) { return c.kind == ArrayCommand::Kind::kLoad; });
  REQUIRE(bench->loads.size() == static_cast<std::size_t>(loads));
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
    check(&bench, schedule);
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
    check(&bench, schedule);
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
    check(&bench, schedule);
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
    if (life % 3 == 0) check(&bench, program(3));
  }
}

// Not a test: tb/common/check_failing_text.sh runs it.
TEST_CASE("a mismatch on purpose: array A", "[.]") {
  Random random(test_seed());
  ArrayBench bench;
  Schedule schedule(&random);
  fill(&bench, random, true);
  for (unsigned i = 0; i < 4; ++i) add_product(&schedule, random, false, -1);
  check(&bench, schedule, [](std::vector<ArrayResult>* expected) {
    ArrayResult& result = (*expected)[expected->size() / 2];
    result.lanes[result.first] ^= 0x10;
  });
}

}  // namespace tern::tb
