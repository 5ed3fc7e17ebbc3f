// SPDX-License-Identifier: Apache-2.0
// The tensor model's cycles: examples computed by hand from rtl/tensor/README.md.
#include <catch2/catch.hpp>
#include <stdexcept>
#include <vector>

#include "systemc/engines/tensor/tensor_model.h"
#include "tb/engines/tensor/tensor_bench.h"

using namespace tern;      // NOLINT: a test uses the names of what it tests
using namespace tern::tb;  // NOLINT

namespace {

struct Fixture {
  explicit Fixture(const TensorShape& s = TensorShape())
      : shape(s), sbuf(s), model(s, sbuf.view()) {}
  // Pushes in the current cycle and moves on by one.
  void push(const TensorCommand& command) {
    REQUIRE(model.ready());
    model.push(command);
    model.advance_to(model.cycle() + 1);
  }
  std::vector<std::uint64_t> retire_cycles() {
    std::vector<std::uint64_t> cycles;
    for (const TensorStatus& status : drain(model)) cycles.push_back(status.cycle);
    return cycles;
  }
  TensorShape shape;
  FakeSbuf sbuf;
  TensorModel model;
};

TensorShape small_sbuf() {
  TensorShape shape;
  shape.sbuf_bytes = 4096;
  return shape;
}

TensorCommand in_mode(TensorCommand command, TensorMode mode, TensorType type) {
  command.mode = mode;
  command.type = type;
  if (mode == TensorMode::kMx || mode == TensorMode::kQuad) command.aux_address = 2048;
  return command;
}
TensorCommand mx(const TensorCommand& command) {
  return in_mode(command, TensorMode::kMx, TensorType::kE4m3fnX4);
}
TensorCommand at_bank(TensorCommand command, unsigned bank, unsigned column = 0) {
  command.psum_bank = bank;
  command.psum_column = column;
  return command;
}
// A tile of 32 x 32 (or more rows) at row group g and column group j of the 128 x 128 array.
TensorCommand quarter(TensorCommand command, unsigned g, unsigned j) {
  command.tile_rows = command.tile_cols = TensorTileSize::kQuarter;
  command.row_start = 32 * g;
  command.col_start = 32 * j;
  return command;
}
TensorCommand transpose(unsigned rows, unsigned cols) {
  TensorCommand command = load_stationary(rows, cols);
  command.op = TensorOp::kTranspose;
  return command;
}
using Cycles = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("tensor timing: load, multiply, background load, multiply") {
  Fixture f(small_sbuf());
  f.push(load_stationary(128, 128));       // a 0: issues 1, transfer 32, complete 1 + 32 + 128
  f.push(multiply_moving(128, 128, 512));  // a 1: issues 1 + 32 + 1 = 34, complete 34 + 512 + 130
  f.push(
      load_stationary(128, 128));  // a 2: issues 35, complete 195, but retires after the multiply
  f.push(multiply_moving(128, 128, 512));  // a 3: issues 34 + 512 = 546, complete 1188
  CHECK(f.retire_cycles() == std::vector<std::uint64_t>{161, 676, 677, 1188});
  CHECK(f.model.counters().busy_cycles == 1188);  // 1 to 1188
  f.model.skip_to(2000);
  f.push(load_stationary(128, 128));
  CHECK(f.retire_cycles() == std::vector<std::uint64_t>{2161});
  CHECK(f.model.counters().busy_cycles == 1188 + 161);
}

TEST_CASE("tensor timing: short multiplies are min_interval apart") {
  Fixture f(small_sbuf());
  f.push(load_stationary(128, 10));      // issues 1, transfer 3, complete 132
  f.push(multiply_moving(128, 10, 1));   // issues 5, complete 5 + 1 + 130 = 136
  f.push(multiply_moving(128, 10, 64));  // issues 69, complete 263
  f.push(multiply_moving(128, 10, 65));  // issues 133, complete 328
  f.push(multiply_moving(128, 10, 1));   // issues 198, complete 329
  CHECK(f.retire_cycles() == std::vector<std::uint64_t>{132, 136, 263, 328, 329});
}

TEST_CASE("tensor timing: columns that are no run on eight bytes load one a cycle") {
  Fixture f(small_sbuf());
  TensorCommand strided = load_stationary(128, 40, 0), run = strided, reversed = strided;
  strided.step0 = 2;
  run.num0 = 10, run.num1 = 4, run.step1 = 10;  // contiguous in two dimensions
  reversed.num0 = 1, reversed.num1 = 40, reversed.step1 = -1, reversed.sbuf_address = 80;
  f.push(strided);                       // issues 1, complete 1 + 40 + 128 = 169
  f.push(multiply_moving(128, 40, 1));   // issues 42, complete 42 + 1 + 130 = 173
  f.push(run);                           // issues 43, complete 43 + 10 + 128 = 181
  f.push(load_stationary(128, 40, 4));   // issues 53, complete 53 + 40 + 128 = 221
  f.push(reversed);                      // issues 93, complete 261
  f.push(at_bank(transpose(4, 40), 2));  // issues 133, L = 10, D = 141: complete 278
  TensorCommand turned = at_bank(transpose(4, 40), 2);
  turned.sbuf_address = 2;  // issues 133 + 10 + 5 = 148, D = 171: complete 323
  f.push(turned);
  CHECK(f.retire_cycles() == Cycles{169, 173, 181, 221, 261, 278, 323});
}

TEST_CASE("tensor timing: a load after a load overwrites what nothing took") {
  Fixture f(small_sbuf());
  f.push(load_stationary(128, 128));   // issues 1
  f.push(load_stationary(128, 8));     // issues 33 (the transfer before it), complete 163
  f.push(multiply_moving(128, 8, 1));  // issues 33 + 2 + 1 = 36, complete 167
  f.push(load_stationary(128, 4));     // issues 37, complete 166, retires 168
  f.push(load_stationary(128, 4));     // issues 38, complete 167, retires 169
  CHECK(f.retire_cycles() == std::vector<std::uint64_t>{161, 163, 167, 168, 169});
}

TEST_CASE("tensor timing: a refused command takes an issue cycle and retires in order") {
  Fixture f(small_sbuf());
  f.push(multiply_moving(128, 128, 1));  // no stationary: issues 1, complete 2
  f.push(load_stationary(128, 128));     // issues 2, complete 162
  f.push(load_stationary(128, 128, 5));  // misaligned: issues 3, complete 4, retires 163
  f.push(multiply_moving(128, 128, 1));  // issues 2 + 32 + 1 = 35, complete 166
  const std::vector<TensorStatus> statuses = drain(f.model);
  REQUIRE(statuses.size() == 4);
  CHECK(statuses[0].cycle == 2);
  CHECK(statuses[0].code == TensorStatusCode::kNoStationary);
  CHECK(statuses[1].cycle == 162);
  CHECK(statuses[2].cycle == 163);
  CHECK(statuses[2].code == TensorStatusCode::kBadAlignment);
  CHECK(statuses[3].cycle == 166);
}

TEST_CASE("tensor timing: sixteen commands in flight, a slot is free one cycle after a status") {
  Fixture f(small_sbuf());
  for (unsigned i = 0; i < 16; ++i) f.push(load_stationary(128, 128));
  CHECK(f.model.cycle() == 16);
  CHECK_FALSE(f.model.ready());
  CHECK_THROWS_AS(f.model.push(load_stationary(128, 128)), std::logic_error);
  REQUIRE(f.model.next_event() == 161);
  f.model.advance_to(161);
  CHECK_FALSE(f.model.ready());
  TensorStatus status;
  CHECK(f.model.pop_status(&status));
  CHECK_FALSE(f.model.pop_status(&status));
  REQUIRE(f.model.next_event() == 162);
  f.model.advance_to(162);
  CHECK(f.model.ready());
  f.model.push(load_stationary(128, 128));
  CHECK_FALSE(f.model.ready());
  CHECK(f.model.next_event() == 193);
}

TEST_CASE("tensor timing: one push a cycle, the clock's rules") {
  Fixture f(small_sbuf());
  CHECK(f.model.next_event() == TensorDatapath::kIdle);
  f.model.skip_to(1000);
  CHECK(f.model.cycle() == 1000);
  f.model.push(load_stationary(128, 4));
  CHECK_FALSE(f.model.ready());
  CHECK_THROWS_AS(f.model.push(load_stationary(128, 4)), std::logic_error);
  CHECK(f.model.next_event() == 1001);
  CHECK_THROWS_AS(f.model.advance_to(1002), std::logic_error);
  CHECK_THROWS_AS(f.model.skip_to(2000), std::logic_error);
  CHECK_THROWS_AS(f.model.advance_to(999), std::logic_error);
  f.model.advance_to(1001);
  CHECK(f.model.ready());
  CHECK(f.model.next_event() == 1001 + 1 + 128);  // issues 1001, transfer 1
  TensorStatus status;
  CHECK_FALSE(f.model.pop_status(&status));
  f.model.advance_to(f.model.next_event());
  CHECK(f.model.next_event() == TensorDatapath::kIdle);
  CHECK(f.model.pop_status(&status));
  CHECK(status.cycle == 1130);
  CHECK(f.model.counters().busy_cycles == 130);  // 1001 to 1130
}

// 128 x 128: Q = 32, B = 16. D = 130 (whole tile), 19 (MX).
TEST_CASE("tensor timing: MX and double row") {
  Fixture f(small_sbuf());
  f.push(mx(load_stationary(128, 128)));       // issues 1, complete 1 + 32 + 16 = 49
  f.push(mx(multiply_moving(128, 128, 100)));  // issues 34, complete 34 + 100 + 19 = 153
  f.push(in_mode(load_stationary(128, 6), TensorMode::kDoubleRow,
                 TensorType::kE5m2));  // issues 35, complete 53
  f.push(in_mode(multiply_moving(128, 6, 10), TensorMode::kDoubleRow,
                 TensorType::kE5m2));  // issues 134, complete 163
  CHECK(f.retire_cycles() == Cycles{49, 153, 154, 163});
}

TEST_CASE("tensor timing: array X waits until array A reads no partition, but not vice versa") {
  Fixture f(small_sbuf());
  f.push(load_stationary(128, 128));         // issues 1, complete 161
  f.push(mx(load_stationary(128, 128)));     // issues 1 + 32 + 112 = 145, complete 193
  f.push(multiply_moving(128, 128, 70));     // issues 146, complete 346
  f.push(mx(multiply_moving(128, 128, 1)));  // 146 + 70 + 112 = 328, complete 348
  // X to A: 328 + 64 = 392, no more. Its first write is at 522.
  f.push(multiply_moving(128, 128, 1));  // complete 523
  f.push(mx(load_stationary(128, 4)));   // issues 393, complete 410
  f.push(load_stationary(128, 4));       // issues 394, complete 523
  CHECK(f.retire_cycles() == Cycles{161, 193, 346, 348, 523, 524, 525});
}

TEST_CASE("tensor timing: a result waits for the window of the one before on its bank") {
  Fixture f(small_sbuf());
  f.push(load_stationary(128, 128));                      // issues 1
  f.push(mx(load_stationary(128, 128)));                  // issues 145
  f.push(mx(multiply_moving(128, 128, 64)));              // issues 178, writes 197 to 260
  f.push(multiply_moving(128, 128, 500));                 // issues 242, writes 372 to 871
  f.push(at_bank(mx(multiply_moving(128, 128, 64)), 1));  // 242 + 500 + 112 = 854, complete 937
  f.push(mx(multiply_moving(128, 128, 1)));  // 918, complete 938; bank 0 was free at 872
  CHECK(f.retire_cycles() == Cycles{161, 193, 261, 872, 937, 938});
}

TEST_CASE("tensor timing: an early tile waits for the writes of a late one on the same bank") {
  Fixture f(small_sbuf());
  f.push(quarter(load_stationary(32, 32), 3, 0));       // issues 1, complete 137
  f.push(quarter(load_stationary(32, 32), 0, 0));       // issues 9, complete 145
  f.push(quarter(multiply_moving(32, 32, 100), 3, 0));  // issues 10, D = 130: writes 140 to 239
  f.push(quarter(multiply_moving(32, 32, 100), 0, 0));  // D = 34: 240 - 34 = 206, complete 340
  f.push(at_bank(quarter(multiply_moving(32, 32, 20), 0, 0), 1));  // 206 + 100, complete 360
  CHECK(f.retire_cycles() == Cycles{137, 145, 240, 340, 360});
}

TEST_CASE("tensor timing: tiles on other cells, banks or columns run at the same time") {
  Fixture f(small_sbuf());
  for (unsigned g = 0; g < 4; ++g) f.push(quarter(load_stationary(32, 32), g, g));  // 1, 9, 17, 25
  // Weights are there in 10, 18, 26, 34. Other columns of the same bank do not wait.
  for (unsigned g = 0; g < 4; ++g) f.push(quarter(multiply_moving(32, 32, 512), g, g));
  // Issues 26 (after the loads, in order), 27, 28, 34; D = 34, 66, 98, 130.
  CHECK(f.retire_cycles() == Cycles{137, 145, 153, 161, 572, 605, 638, 676});
}

TEST_CASE("tensor timing: four row tiles into four banks take three cycles more than one") {
  Fixture f(small_sbuf());
  const auto rows = [](TensorCommand command, unsigned g) {
    command.tile_rows = TensorTileSize::kQuarter;
    command.row_start = 32 * g;
    return at_bank(command, g);
  };
  for (unsigned g = 0; g < 4; ++g) f.push(rows(load_stationary(32, 128), g));  // 1, 33, 65, 97
  for (unsigned g = 0; g < 4; ++g) f.push(rows(multiply_moving(32, 128, 512), g));
  // Issues 98, 99, 100 and, with its weights, 97 + 33 = 130.
  for (unsigned g = 0; g < 4; ++g) f.push(rows(multiply_moving(32, 128, 512), g));
  // The next round: 610, 611, 612, 642; D = 34, 66, 98, 130.
  CHECK(f.retire_cycles() ==
        Cycles{161, 193, 225, 257, 644, 677, 710, 772, 1156, 1189, 1222, 1284});
}

TEST_CASE("tensor timing: a half tile ends with its second row group") {
  Fixture f(small_sbuf());
  TensorCommand load = load_stationary(64, 128), move = multiply_moving(64, 128, 8);
  load.tile_rows = move.tile_rows = TensorTileSize::kHalf;
  f.push(load);                 // issues 1, complete 161
  f.push(move);                 // issues 34, D = 66, complete 108, retires 162
  f.push(at_bank(move, 0, 8));  // issues 98, complete 172
  CHECK(f.retire_cycles() == Cycles{161, 162, 172});
}

TEST_CASE("tensor timing: a transpose runs parallel to multiplies and keeps the shadow weights") {
  Fixture f(small_sbuf());
  f.push(load_stationary(128, 128));               // issues 1, complete 161
  f.push(multiply_moving(128, 128, 512));          // issues 34, complete 676
  f.push(at_bank(transpose(100, 64), 2));          // issues 35, L = 16, D = 147: complete 282
  f.push(load_stationary(128, 4));                 // 35 + 16 + 1 + 100 = 152, complete 281
  f.push(at_bank(multiply_moving(128, 4, 1), 2));  // 34 + 512 = 546, complete 677
  f.push(at_bank(transpose(4, 4), 2));             // 547, D = 132: 679, complete 683
  f.push(mx(load_stationary(128, 4)));             // 547 + 1 + 112 = 660, complete 677
  CHECK(f.retire_cycles() == Cycles{161, 676, 677, 678, 679, 683, 684});
}

TEST_CASE("tensor timing: stochastic results follow one another, also on different banks") {
  Fixture f(small_sbuf());
  const auto random = [](TensorCommand command, bool stochastic) {
    command.bf16_result = true;
    command.stochastic = stochastic;
    return command;
  };
  f.push(quarter(load_stationary(32, 32), 3, 0));                     // issues 1, complete 137
  f.push(quarter(load_stationary(32, 32), 0, 1));                     // issues 9, complete 145
  f.push(random(quarter(multiply_moving(32, 32, 100), 3, 0), true));  // 10, writes 140 to 239
  f.push(random(at_bank(quarter(multiply_moving(32, 32, 10), 0, 1), 3), false));
  // 18, complete 62, retires 241
  f.push(random(at_bank(quarter(multiply_moving(32, 32, 10), 0, 1), 5), true));
  // 240 - 34 = 206, complete 250
  CHECK(f.retire_cycles() == Cycles{137, 145, 240, 241, 250});
}

TEST_CASE("tensor timing: a long product holds all banks that it crosses") {
  Fixture f(small_sbuf());
  f.push(mx(load_stationary(128, 4)));  // issues 1, complete 18
  TensorCommand move = at_bank(mx(multiply_moving(128, 4, 600)), 0, 500);
  move.step0 = 0;
  f.push(move);                     // issues 3, writes banks 0 to 2 in 22 to 621
  f.push(load_stationary(128, 4));  // issues 4, complete 133
  // Issues by interval at 3 + 600 = 603; array X's windows end long before its writes.
  f.push(at_bank(multiply_moving(128, 4, 1), 2));  // complete 734
  f.push(at_bank(transpose(4, 4), 2));             // 604 + 132 = 736: after 734, complete 740
  CHECK(f.retire_cycles() == Cycles{18, 622, 623, 734, 740});
}

TEST_CASE("tensor timing: quad mode writes four quarters of the banks") {
  Fixture f(small_sbuf());
  f.push(in_mode(load_stationary(128, 4), TensorMode::kQuad, TensorType::kE2m1X4));  // 1, 18
  f.push(load_stationary(128, 4));                   // issues 2, complete 131
  f.push(at_bank(multiply_moving(128, 4, 200), 6));  // issues 4, writes bank 6 in 134 to 333
  // Its banks are 0, 2, 4, 6: 334 - 19 = 315; array A's reads end at 4 + 200 + 112 = 316.
  f.push(in_mode(multiply_moving(128, 4, 10), TensorMode::kQuad, TensorType::kE2m1X4));
  CHECK(f.retire_cycles() == Cycles{18, 131, 334, 345});
}

TEST_CASE("tensor timing: weight stalls count what only the weights delay") {
  Fixture f(small_sbuf());
  f.push(load_stationary(128, 128));     // issues 1, weights in 34
  f.push(multiply_moving(128, 128, 1));  // could issue in 2: 32 stalls
  f.push(load_stationary(128, 128));     // issues 35, weights in 68
  f.push(multiply_moving(128, 128, 1));  // interval until 98: no stall
  drain(f.model);
  CHECK(f.model.counters().weight_stalls == 32);
}
