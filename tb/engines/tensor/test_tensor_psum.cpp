// SPDX-License-Identifier: Apache-2.0
// PSUM of the tensor model: transfers and their cycles, 16-bit elements, rounding, the random
// generators, the observer's events.
#include <algorithm>
#include <catch2/catch.hpp>
#include <stdexcept>

#include "sw/numerics/float_bits.h"
#include "systemc/engines/tensor/tensor_model.h"
#include "tb/engines/tensor/tensor_bench.h"

using namespace tern;      // NOLINT: a test uses the names of what it tests
using namespace tern::tb;  // NOLINT
using numerics::bits_of;
using numerics::float_of;

namespace {

// 32 x 16 array, 8 banks of 16 words: D = 34.
struct Fixture {
  TensorShape shape = tiny_shape();
  FakeSbuf sbuf{shape};
  TensorModel model{shape, sbuf.view()};

  // Words of partition 0 unless specified otherwise.
  PsumTransfer transfer(bool write, unsigned column, std::vector<float>* words) const {
    PsumTransfer t;
    t.write = write;
    t.partitions = 1;
    t.column = column;
    t.columns = static_cast<unsigned>(words->size());
    t.data = words->data();
    t.stride = words->size();
    return t;
  }
  std::uint32_t word(unsigned column) {
    std::vector<float> value(1);
    model.psum_debug(transfer(false, column, &value));
    return bits_of(value[0]);
  }
  void set_word(unsigned column, std::uint32_t bits) {
    std::vector<float> value = {float_of(bits)};
    model.psum_debug(transfer(true, column, &value));
  }
  void push(const TensorCommand& command) {
    model.push(command);
    model.advance_to(model.cycle() + 1);
  }
  void go(std::uint64_t cycle) {
    while (model.cycle() < cycle) model.advance_to(std::min(cycle, model.next_event()));
  }
  // First cycle in which a transfer that starts now is finished.
  std::uint64_t end_of(unsigned column, unsigned columns) {
    std::vector<float> words(columns);
    model.psum_start(transfer(false, column, &words));
    while (model.psum_busy()) model.advance_to(model.next_event());
    return model.cycle();
  }
  // A product of one row: the values of column n come to PSUM unchanged.
  TensorCommand deliver(const std::vector<float>& values) {
    sbuf.put32(0, 0, 0x3F800000);
    for (unsigned n = 0; n < values.size(); ++n) sbuf.put32(0, 512 + 4 * n, bits_of(values[n]));
    TensorCommand load = load_stationary(1, 1);
    load.type = TensorType::kTf32;
    run(model, {load});
    TensorCommand move = load;
    move.op = TensorOp::kMultiplyMoving;
    move.num0 = static_cast<unsigned>(values.size());
    move.sbuf_address = 512;
    move.bf16_result = true;
    return move;
  }
};

}  // namespace

TEST_CASE("tensor psum: transfers move a rectangle, a debugger's at once") {
  Fixture f;
  std::vector<float> in = {1, 2, 3, -1, 4, 5, 6, -1};
  PsumTransfer t;
  t.write = true;
  t.partition = 14;
  t.partitions = 2;
  t.column = 125;
  t.columns = 3;
  t.data = in.data();
  t.stride = 4;
  f.model.psum_start(t);
  CHECK(f.model.psum_busy());
  CHECK_THROWS_AS(f.model.psum_start(t), std::logic_error);
  CHECK_THROWS_AS(f.model.skip_to(10), std::logic_error);
  CHECK(f.model.next_event() == 3);
  f.model.advance_to(3);
  CHECK_FALSE(f.model.psum_busy());
  CHECK(f.model.next_event() == TensorDatapath::kIdle);
  std::vector<float> out(4, 0.0f);
  t.write = false;
  t.column = 126;
  t.columns = 2;
  t.data = out.data();
  t.stride = 2;
  CHECK(f.model.psum_debug(t));
  CHECK_FALSE(f.model.psum_busy());
  CHECK(out == std::vector<float>{2, 3, 5, 6});
  t.column = 127;  // into the generators' state
  CHECK_THROWS_AS(f.model.psum_start(t), std::logic_error);
  t.column = 133;  // beyond it
  CHECK_THROWS_AS(f.model.psum_debug(t), std::logic_error);
  t.column = 0;
  t.partition = 15;
  CHECK_THROWS_AS(f.model.psum_debug(t), std::logic_error);
  t.partition = 0;
  t.columns = 0;
  f.model.psum_start(t);
  CHECK_FALSE(f.model.psum_busy());
}

TEST_CASE("tensor psum: a transfer waits in the cycles in which the array reads its bank") {
  Fixture f;
  f.push(load_stationary(32, 4));      // issues 1
  f.push(multiply_moving(32, 4, 20));  // issues 3, reads bank 0 in 36 to 51, bank 1 in 52 to 55
  SECTION("another bank") {
    f.go(30);
    CHECK(f.end_of(2 * 16, 16) == 46);
    CHECK(f.model.counters().psum_conflicts == 0);
  }
  SECTION("before, through and behind it") {
    f.go(33);
    // Columns 0 to 2 in 33 to 35, then 3 waits until 52.
    CHECK(f.end_of(0, 5) == 54);
    CHECK(f.model.counters().psum_conflicts == 16);
  }
  SECTION("from bank to bank") {
    f.go(34);
    // Column 15 of bank 0 in 34, bank 1 from 35: 17 columns do not meet, the 18th would be bank 2.
    CHECK(f.end_of(15, 17) == 51);
  }
  SECTION("the array's crossing") {
    f.go(50);
    // Bank 1 is free in 50 and 51, read in 52 to 55.
    CHECK(f.end_of(16, 4) == 58);
    CHECK(f.model.counters().psum_conflicts == 4);
  }
  SECTION("a command that comes later") {
    drain(f.model);
    f.model.skip_to(1000);
    std::vector<float> words(128);
    f.model.psum_start(f.transfer(false, 0, &words));
    CHECK(f.model.next_event() == 1128);
    f.model.advance_to(1010);
    TensorCommand move = multiply_moving(32, 4, 30);
    move.psum_bank = 3;
    f.push(move);  // issues 1011, reads bank 3 in 1044 to 1059, bank 4 in 1060 to 1073
    // Bank 3 would be taken in 1048 to 1063: waits from 1048 to 1059, then 1060 to 1075; bank 4
    // from 1076 on is free.
    while (f.model.psum_busy()) f.model.advance_to(f.model.next_event());
    CHECK(f.model.cycle() == 1128 + 12);
  }
}

TEST_CASE("tensor psum: quad mode reads four banks, generators wait for stochastic writes") {
  Fixture f;
  TensorCommand load = load_stationary(32, 4), move = multiply_moving(32, 4, 10);
  load.mode = move.mode = TensorMode::kQuad;
  load.type = move.type = TensorType::kE2m1X4;
  move.bf16_result = move.stochastic = true;
  f.push(load);  // issues 1
  f.push(move);  // issues 3, D = 7: reads banks 0, 2, 4, 6 in 9 to 18, writes in 10 to 19
  SECTION("bank 4") {
    CHECK(f.end_of(4 * 16, 10) == 2 + 7 + 10 + 3);
  }
  SECTION("bank 5") {
    CHECK(f.end_of(5 * 16, 10) == 12);
  }
  SECTION("state") {
    f.go(8);
    CHECK(f.end_of(8 * 16, 6) == 24);  // 8, 9, then 20 to 23
  }
}

TEST_CASE("tensor psum: two BF16 elements in a word, rounded to nearest even") {
  Fixture f;
  f.set_word(0, 0xAAAA5555);
  f.set_word(3, 0xAAAA5555);
  // TF32 has 10 bits: 2^-8 and 2^-9 beyond BF16's.
  TensorCommand move = f.deliver({1.0f, 1.00390625f, 1.01171875f, 1.005859375f, -0.0f});
  move.psum_column = 1;
  run(f.model, {move});
  CHECK(f.word(0) == 0x3F805555);  // element 1: 1
  CHECK(f.word(1) == 0x3F823F80);  // ties: to 1, and to 1 + 2^-6
  CHECK(f.word(2) == 0x00003F81);  // above the tie; a chain that begins at +0 gives +0
  CHECK(f.word(3) == 0xAAAA5555);
}

TEST_CASE("tensor psum: BF16 accumulation rounds the sum to FP32 first, then to BF16") {
  Fixture f;
  f.set_word(0, 0x7F7F4380);  // element 0: 256, element 1: BF16's largest
  TensorCommand move = f.deliver({1.0f, 3.38953139e38f});
  move.accumulate = true;
  run(f.model, {move});
  CHECK(f.word(0) == 0x7F804380);  // 257 is a tie to 256; infinity
  f.set_word(0, 0x7F814380);
  move = f.deliver({3.0f, 1.0f});
  move.accumulate = true;
  run(f.model, {move});
  CHECK(f.word(0) == 0x7FC04382);  // 259 is a tie to 260; NaN canonical
}

TEST_CASE("tensor psum: random words after reset, draws and their use") {
  Fixture f;
  // mix(1), by hand from docs/numerics.md, section 6: murmur's finaliser of 1.
  CHECK(f.word(8 * 16) == 0x514E28B7);
  std::vector<float> state(6);
  for (unsigned i = 0; i < 6; ++i) state[i] = float_of(0);
  f.model.psum_debug(f.transfer(true, 8 * 16, &state));
  // All words 0: t = 0, v stays 0, d = 362437, so the first draws are multiples of 362437; their
  // upper halves are 5, 11, 16 (362437 = 0x587C5).
  const float exact = 1.5f;
  TensorCommand move = f.deliver({exact, 1.0009765625f, 1.0009765625f});
  move.stochastic = true;
  run(f.model, {move});
  CHECK(f.word(0) == 0x3F803FC0);  // 0x2000 + 11 does not carry
  CHECK((f.word(1) & 0xFFFF) == 0x3F80);
  CHECK(f.word(8 * 16 + 5) == 3 * 362437);
  CHECK(f.word(8 * 16 + 4) == 0);
  // With d just below 2^32 a draw has the upper half 0xFFFF: anything inexact is rounded up.
  state[5] = float_of(0xFFFF0000 - 362437);
  f.model.psum_debug(f.transfer(true, 8 * 16, &state));
  move = f.deliver({1.0009765625f});
  move.stochastic = true;
  run(f.model, {move});
  CHECK((f.word(0) & 0xFFFF) == 0x3F81);
  // x = 1: t = 1, v = t ^ (t << 1) = 3; the words move up.
  state = {float_of(1), float_of(20), float_of(30), float_of(40), float_of(0), float_of(0)};
  f.model.psum_debug(f.transfer(true, 8 * 16, &state));
  run(f.model, {move});
  CHECK(f.word(8 * 16 + 0) == 20);
  CHECK(f.word(8 * 16 + 3) == 0);
  CHECK(f.word(8 * 16 + 4) == 3);
  CHECK(f.word(8 * 16 + 5) == 362437);
}

TEST_CASE("tensor psum: only the lanes of the tile draw") {
  Fixture f;
  const auto draws = [&] {
    std::vector<bool> moved(f.shape.cols);
    for (unsigned p = 0; p < f.shape.cols; ++p) {
      std::vector<float> d(1);
      PsumTransfer t = f.transfer(false, 8 * 16 + 5, &d);
      t.partition = p;
      f.model.psum_debug(t);
      std::uint32_t h = 6 * p + 6;
      h ^= h >> 16, h *= 0x85EBCA6B, h ^= h >> 13, h *= 0xC2B2AE35, h ^= h >> 16;
      moved[p] = bits_of(d[0]) != h;
    }
    return moved;
  };
  TensorCommand load = load_stationary(8, 3), move = multiply_moving(8, 3, 2);
  load.tile_cols = move.tile_cols = TensorTileSize::kQuarter;
  load.col_start = move.col_start = 8;
  move.bf16_result = move.stochastic = true;
  run(f.model, {load, move});
  std::vector<bool> expected(16);
  expected[8] = expected[9] = expected[10] = true;
  CHECK(draws() == expected);
}

TEST_CASE("tensor psum: a transpose keeps every bit") {
  Fixture f;
  f.sbuf.put32(0, 0, 0x7F800001);  // a signalling NaN
  f.sbuf.put32(1, 0, 0xFFBFFFFF);
  TensorCommand turn = load_stationary(2, 1);
  turn.op = TensorOp::kTranspose;
  turn.type = TensorType::kFp32;
  run(f.model, {turn});
  CHECK(f.word(0) == 0x7F800001);
  CHECK(f.word(1) == 0xFFBFFFFF);
  turn.type = TensorType::kFp16;
  turn.psum_column = 1;
  f.set_word(1, 0x12345678);
  run(f.model, {turn});
  CHECK(f.word(0) == 0x00010001);
  CHECK(f.word(1) == 0x1234FFFF);
  turn.type = TensorType::kE5m2;
  turn.psum_column = 0;
  run(f.model, {turn});
  CHECK(f.word(0) == 0x00FF0001);
}

TEST_CASE("tensor psum: the observer gets slots, halves and partitions") {
  struct Recorder : PsumObserver {
    std::vector<PsumWrite> seen;
    std::vector<std::uint32_t> first;
    void psum_written(const PsumWrite& write) override {
      seen.push_back(write);
      first.push_back(write.data[0]);
    }
  };
  Fixture f;
  Recorder recorder;
  f.model.set_observer(&recorder);
  TensorCommand load = load_stationary(32, 4), move = multiply_moving(32, 4, 2);
  load.mode = move.mode = TensorMode::kQuad;
  load.type = move.type = TensorType::kE4m3fnX4;
  load.aux_address = move.aux_address = 1024;
  move.bf16_result = true;
  move.psum_column = 31;  // into the next bank
  f.push(load);           // issues 1
  f.push(move);           // issues 3, D = 7
  REQUIRE(recorder.seen.size() == 8);
  for (unsigned i = 0; i < 8; ++i) {
    CHECK(recorder.seen[i].index == i / 4);
    CHECK(recorder.seen[i].slot == i % 4);
    CHECK(recorder.seen[i].column == 31 + i / 4 + 64 * (i % 4));
    CHECK(recorder.seen[i].cycle == 10 + i / 4);
    CHECK(recorder.seen[i].half);
    CHECK(recorder.seen[i].partition == 0);
  }
  recorder.seen.clear();
  recorder.first.clear();
  TensorCommand turn = load_stationary(3, 4);
  turn.op = TensorOp::kTranspose;
  turn.type = TensorType::kE4m3;
  turn.tag = 7;
  for (unsigned r = 0; r < 3; ++r) f.sbuf.put8(r, 0, static_cast<std::uint8_t>(0xF0 + r));
  f.push(turn);  // issues 4, D = 1 + 32 + 3; array X's window ended at 12
  REQUIRE(recorder.seen.size() == 3);
  CHECK(recorder.first == std::vector<std::uint32_t>{0xF0, 0xF1, 0xF2});
  CHECK(recorder.seen[2].tag == 7);
  CHECK(recorder.seen[2].cycle == 4 + 36 + 2);
  CHECK(recorder.seen[2].lanes == 4);
}
