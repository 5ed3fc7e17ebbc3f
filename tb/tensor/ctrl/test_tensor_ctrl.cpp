// SPDX-License-Identifier: Apache-2.0
// The tensor engine's control against the recurrence of its README, cycle by cycle: acceptance,
// issue, codes, slots, destinations, waves, statuses, counters. Completion of commands is set by
// the recurrence, as the arrays and PSUM would.
#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <string>

#include "tb/common/bench_inputs.h"
#include "tb/common/check_mismatch.h"
#include "tb/common/seed.h"
#include "tb/tensor/command_text.h"
#include "tb/tensor/ctrl/ctrl_dut.h"
#include "tb/tensor/ctrl/ctrl_reference.h"
#include "tb/tensor/ctrl/random_commands.h"

namespace tern::tb {

namespace {

// In hex, uppermost member first.
std::string text(const Members& members) {
  std::string text;
  for (const std::int64_t member : members) {
    text += (text.empty() ? "" : " ") +
            (member == kAny ? "any" : hex(static_cast<std::uint64_t>(member), 4));
  }
  return text.empty() ? "none" : text;
}

bool agrees(const Members& seen, const Members& expected) {
  if (seen.size() != expected.size()) return false;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (expected[i] != kAny && expected[i] != seen[i]) return false;
  }
  return true;
}

class Bench {
 public:
  explicit Bench(const std::string& name, unsigned ramp_cycles = 0, unsigned sbuf_bytes = 0)
      : own_(make_ctrl_dut(name, ramp_cycles, &shape_, sbuf_bytes)),
        dut_(own_.get()),
        reference_(shape_) {}
  // Of a control that has just been reset.
  Bench(CtrlDut* dut, const TensorShape& shape) : shape_(shape), dut_(dut), reference_(shape_) {}

  const TensorShape& shape() const { return shape_; }
  const std::deque<Fate>& fates() const { return fates_; }
  // Its next status is expected with another code.
  void spoil() { fates_.back().code ^= 4; }
  // The last status carries code 9 in a share of the sparse loads.
  void set_random(Random* random) { random_ = random; }

  // Offers the command until it is taken.
  void push(const TensorCommand& command) {
    while (!step(&command)) {
    }
  }
  void idle(Cycle cycles) {
    for (Cycle i = 0; i < cycles; ++i) step(nullptr);
  }
  void drain() {
    while (retired_ < fates_.size()) step(nullptr);
    idle(2);
    const Members counters = dut_->counters();
    for (const std::size_t i : {0, 1, 2, 3, 4, 5, 7}) {
      expect("perf_o, counter " + std::to_string(i), {counted_[i]}, {counters[i]});
    }
  }

 private:
  bool step(const TensorCommand* command) {
    CtrlInputs in;
    in.command = command;
    finish(&in);
    in.status_ready = random_ == nullptr || stall_ == 0 || below(*random_, stall_) != 0;
    in_ = in;
    const CtrlOutputs out = dut_->step(in);
    const std::size_t in_flight = fates_.size() - retired_;
    expect("cmd_ready_o", {in_flight < shape_.command_depth}, {out.ready});
    expect("busy_o", {in_flight > 0}, {out.busy});
    if (in_flight > 0) ++counted_[0];
    check_issue(out);
    check_waves(out);
    check_status(out, in.status_ready);
    const bool taken = command != nullptr && out.ready;
    if (taken) accept(*command);
    ++now_;
    if (random_ != nullptr && below(*random_, 500) == 0) stall_ = below(*random_, 4);
    return taken;
  }

  void accept(const TensorCommand& c) {
    Fate fate = reference_.next(c, now_);
    const bool sparse_load = is_load(c) && c.mode == TensorMode::kSparse;
    bad_tag_.push_back(fate.code == 0 && sparse_load && random_ != nullptr &&
                       below(*random_, 2) == 0);
    if (fate.code == 0) done_[fate.complete].push_back(fates_.size());
    fates_.push_back(fate);
    commands_.push_back(c);
  }

  void finish(CtrlInputs* in) {
    const auto found = done_.find(now_);
    if (found == done_.end()) return;
    for (const std::size_t i : found->second) {
      const int slot = static_cast<int>(fates_[i].slot);
      if (!is_load(commands_[i])) {
        in->psum_done |= 1u << slot;
      } else if (on_array_x(commands_[i])) {
        REQUIRE(in->mx_load_done < 0);
        in->mx_load_done = slot;
      } else {
        REQUIRE(in->load_done < 0);
        in->load_done = slot;
        in->load_bad = bad_tag_[i];
      }
    }
    done_.erase(found);
  }

  void check_issue(const CtrlOutputs& out) {
    bool stalled = false, flight = false;
    if (issued_ < fates_.size()) {
      const Fate& fate = fates_[issued_];
      stalled = fate.issue > now_ && now_ >= fate.issue - fate.stalled;
      flight = fate.issue == now_;
    }
    expect("weight_stall_o", {stalled}, {out.weight_stall});
    if (stalled) ++counted_[5];
    expect("flight_valid_o", {flight}, {out.flight});
    if (!flight) {
      expect("dest_valid_o", {0}, {out.dest});
      return;
    }
    const Fate& fate = fates_[issued_];
    const TensorCommand& c = commands_[issued_];
    expect("flight_status_o", {c.tag, fate.code}, out.flight_members);
    expect("flight_slot_o", {fate.slot}, {out.flight_slot});
    expect("dest_valid_o", {!fate.dest.empty()}, {out.dest});
    expect("dest_o", fate.dest, out.dest_members);
    if (out.dest) expect("dest_slot_o", {fate.slot}, {out.dest_slot});
    if (fate.code != 0) {
      ++counted_[7];
    } else if (is_move(c)) {
      ++counted_[2];
      counted_[3] += fate.columns;
      counted_[4] += fate.macs;
    } else {
      ++counted_[1];
    }
    ++issued_;
  }

  void check_waves(const CtrlOutputs& out) {
    for (unsigned stream = 0; stream < kStreams; ++stream) {
      auto& waves = reference_.waves(stream);
      const auto found = waves.find(now_);
      if (found == waves.end() && (stream == kPlane || out.waves[stream].empty())) continue;
      const Members expected = found == waves.end() ? Members() : found->second;
      expect(stream_name(stream), expected, out.waves[stream]);
      if (found != waves.end()) waves.erase(found);
    }
  }

  void check_status(const CtrlOutputs& out, bool taken) {
    const bool offered =
        retired_ < fates_.size() && now_ >= fates_[retired_].complete && (now_ > last_status_);
    expect("status_valid_o", {offered}, {out.status});
    if (!offered) return;
    const unsigned code = bad_tag_[retired_] ? 9 : fates_[retired_].code;
    expect("status_o", {commands_[retired_].tag, code}, out.status_members);
    if (!taken) return;
    last_status_ = now_;
    ++retired_;
  }

  void expect(const std::string& port, const Members& expected, const Members& got) const {
    if (agrees(got, expected)) return;
    FAIL_MISMATCH({{"port " + port, ""}, text(expected), text(got)});
  }

  static std::string stream_name(unsigned stream) {
    const char* const names[] = {"load_o", "tag_o", "drain_o", "mx_load_o", "plane_o"};
    if (stream < kXMove) return names[stream];
    return stream < kMove ? "mx_move_o, wave " + std::to_string(stream - kXMove)
                          : "move_o, wave " + std::to_string(stream - kMove);
  }

  std::string inputs() const {
    std::string text = in_.command != nullptr ? "command " + tb::text(*in_.command) : "no command";
    if (in_.load_done >= 0) text += ", load_done_slot_i " + std::to_string(in_.load_done);
    if (in_.load_bad) text += ", load_bad_i";
    if (in_.mx_load_done >= 0) text += ", mx_load_done_slot_i " + std::to_string(in_.mx_load_done);
    text += ", psum_done_i " + hex(in_.psum_done, 16) + ", status_ready_i " +
            std::to_string(in_.status_ready);
    if (issued_ < commands_.size()) {
      const Fate& fate = fates_[issued_];
      text += "\nnext issue: cycle " + std::to_string(fate.issue) + ", code " +
              std::to_string(fate.code) + ", " + tb::text(commands_[issued_]);
    }
    return text;
  }

  TensorShape shape_;
  std::unique_ptr<CtrlDut> own_;
  CtrlDut* dut_;
  CtrlReference reference_;
  Random* random_ = nullptr;
  unsigned stall_ = 0;
  Cycle now_ = 0, last_status_ = -1;
  std::size_t issued_ = 0, retired_ = 0;
  std::deque<Fate> fates_;
  std::deque<TensorCommand> commands_;
  std::deque<bool> bad_tag_;
  std::map<Cycle, std::vector<std::size_t>> done_;
  std::int64_t counted_[8] = {};
  CtrlInputs in_;  // of the last cycle
  BenchInputs inputs_{[this] { return inputs(); }};
};

void run_random(const std::string& name, const Flavour& flavour, unsigned commands,
                std::uint64_t salt, unsigned ramp_cycles = 0, unsigned sbuf_bytes = 0) {
  Bench bench(name, ramp_cycles, sbuf_bytes);
  Random random(test_seed() + salt);
  bench.set_random(&random);
  RandomCommands source(bench.shape(), flavour, &random);
  unsigned pace = 0;
  std::map<unsigned, unsigned> codes;
  for (unsigned i = 0; i < commands; ++i) {
    if (i % 64 == 0) pace = below(random, 3);
    if (pace == 1 && below(random, 3) == 0) bench.idle(below(random, 8));
    if (pace == 2 && below(random, 8) == 0) bench.idle(below(random, 300));
    bench.push(source.next());
  }
  bench.drain();
  for (const Fate& fate : bench.fates()) ++codes[fate.code];
  // The stream must have covered its intended cases.
  CHECK(codes[0] > commands / 3);
  if (flavour.spoiled != 0 && flavour.arrays && commands / flavour.spoiled > 900) {
    for (unsigned code = 1; code <= 8; ++code) {
      INFO("code " << code);
      CHECK(codes[code] > 0);
    }
  }
}

// Four row tiles of 32 rows are loaded, then multiplied with N = 512; commands 4 to 7.
void run_row_tiles(Bench* bench, TensorCommand load) {
  load.tile_rows = TensorTileSize::kQuarter;
  load.rows = 32;
  load.cols = load.num0 = 128;
  TensorCommand move = load;
  move.op = TensorOp::kMultiplyMoving;
  move.num0 = 512;
  for (unsigned g = 0; g < 4; ++g) {
    load.row_start = 32 * g;
    bench->push(load);
  }
  bench->idle(200);
  for (unsigned g = 0; g < 4; ++g) {
    move.row_start = 32 * g;
    move.psum_bank = g;
    bench->push(move);
  }
  bench->drain();
}

}  // namespace

TEST_CASE("tiny: dense commands, whole array and tiles") {
  run_random("tiny", {false, true, 40, 12}, 6000, 1);
}

TEST_CASE("tiny: all modes") {
  run_random("tiny", {true, true, 40, 12}, 12000, 2);
}

TEST_CASE("tiny, five stages: all modes") {
  run_random("tiny_stages5", {true, true, 40, 12}, 8000, 9);
}

TEST_CASE("tiny, five stages: all modes, short multiplies") {
  run_random("tiny_stages5", {true, true, 6, 0}, 8000, 10);
}

TEST_CASE("tiny: all modes, short multiplies") {
  run_random("tiny", {true, true, 6, 0}, 12000, 3);
}

TEST_CASE("tiny: whole tiles only") {
  run_random("tiny", {true, false, 20, 12}, 6000, 4);
}

TEST_CASE("tiny: one fault in every second command") {
  run_random("tiny", {true, true, 20, 2}, 12000, 5);
}

TEST_CASE("full: all modes") {
  run_random("full", {true, true, 300, 12}, 1500, 6);
}

TEST_CASE("full: all modes, short multiplies") {
  run_random("full", {true, true, 70, 30}, 3000, 7);
}

TEST_CASE("tiny: all modes, from rest in a ramp") {
  for (const unsigned window : {4u, 36u, 200u, 1000u}) {
    run_random("tiny", {true, true, 40, 30}, 4000, 8 + window, window);
  }
}

TEST_CASE("tiny: partitions of any size, their last byte included") {
  for (const unsigned bytes : {3001u, 0x2aaabu, 0x15554u, 0x3ffffu}) {
    run_random("tiny", {true, true, 40, 3}, 1500, bytes, 0, bytes);
  }
}

TEST_CASE("tiny: a reset in any cycle of random commands leaves control as new") {
  Random random(test_seed() + 20);
  for (const unsigned window : {0u, 200u}) {
    TensorShape shape;
    const std::unique_ptr<CtrlDut> dut = make_ctrl_dut("tiny", window, &shape);
    for (unsigned life = 0; life < 300; ++life) {
      Bench bench(dut.get(), shape);
      bench.set_random(&random);
      RandomCommands source(shape, {true, true, 40, 12}, &random);
      for (unsigned left = below(random, 30); left > 0; --left) bench.push(source.next());
      bench.idle(below(random, 40));
      if (life % 8 == 7) bench.drain();
      dut->reset();
    }
  }
}

TEST_CASE("full: the chip's ramp: half the rate first, all of it in the second window") {
  Bench bench("full", 7200);
  TensorCommand load;
  load.rows = load.cols = load.num0 = 128;
  TensorCommand move = load;
  move.op = TensorOp::kMultiplyMoving;
  move.num0 = 512;
  bench.push(load);
  const auto interval = [&](std::size_t i) {
    return bench.fates()[i + 1].issue - bench.fates()[i].issue;
  };
  for (unsigned i = 0; i < 40; ++i) {
    move.psum_bank = i % 8;
    bench.push(move);
  }
  bench.drain();
  // 896 cycles each up to 1800, 736 up to 3600, 640 up to 5400, 544 up to 7200, then 512.
  for (const std::size_t i : {1, 2, 3}) CHECK(interval(i) == 896);       // at 0, 896, 1792
  for (const std::size_t i : {4, 5}) CHECK(interval(i) == 736);          // at 2688, 3424
  for (const std::size_t i : {6, 7}) CHECK(interval(i) == 640);          // at 4160, 4800
  for (const std::size_t i : {8, 9, 10, 11}) CHECK(interval(i) == 544);  // at 5440 .. 7072
  for (std::size_t i = 12; i < 40; ++i) CHECK(interval(i) == 512);
  // A pause in which a window is used for less than half: the ramp begins again.
  bench.idle(14400);
  for (unsigned i = 0; i < 2; ++i) {
    move.psum_bank = i;
    bench.push(move);
  }
  bench.drain();
  CHECK(interval(41) == 896);
}

TEST_CASE("full: the ramp slows columns, not the shortest interval") {
  Bench bench("full", 7200);
  TensorCommand load;
  load.rows = load.cols = load.num0 = 128;
  TensorCommand move = load;
  move.op = TensorOp::kMultiplyMoving;
  bench.push(load);
  for (const unsigned columns : {1u, 36u, 64u, 1u}) {
    move.num0 = columns;
    bench.push(move);
  }
  bench.drain();
  CHECK(bench.fates()[2].issue - bench.fates()[1].issue == 64);
  CHECK(bench.fates()[3].issue - bench.fates()[2].issue == 64);   // 36 + 27
  CHECK(bench.fates()[4].issue - bench.fates()[3].issue == 112);  // 64 + 48
}

TEST_CASE("full: four row tiles share the array") {
  Bench bench("full");
  run_row_tiles(&bench, TensorCommand());
  // One issue a cycle; the last leaves 128 + 2 rows later with its 512 columns.
  REQUIRE(bench.fates()[7].issue == bench.fates()[4].issue + 3);
  REQUIRE(bench.fates()[7].complete == bench.fates()[4].issue + 3 + 512 + 130);
  REQUIRE(bench.fates()[4].complete == bench.fates()[4].issue + 512 + 34);
}

TEST_CASE("full: four row tiles share array X, in MX and in double row") {
  for (const TensorMode mode : {TensorMode::kMx, TensorMode::kDoubleRow}) {
    Bench bench("full");
    TensorCommand load;
    load.mode = mode;
    load.type = mode == TensorMode::kMx ? TensorType::kE4m3fnX4 : TensorType::kE4m3;
    run_row_tiles(&bench, load);
    // One issue a cycle; the last leaves 16 blocks and 3 cycles later with its 512 columns.
    const auto& fates = bench.fates();
    REQUIRE(fates[7].issue == fates[4].issue + 3);
    REQUIRE(fates[7].complete == fates[4].issue + 3 + 512 + 19);
    REQUIRE(fates[4].complete == fates[4].issue + 512 + 7);
  }
}

TEST_CASE("full: a row tile of array X waits until quad mode has left its port") {
  Bench bench("full");
  TensorCommand load;
  load.mode = TensorMode::kQuad;
  load.type = TensorType::kE4m3fnX4;
  load.rows = load.cols = load.num0 = 128;
  TensorCommand quad = load;
  quad.op = TensorOp::kMultiplyMoving;
  bench.push(load);
  bench.push(quad);
  load.mode = TensorMode::kMx;
  load.tile_rows = TensorTileSize::kQuarter;
  load.rows = 32;
  TensorCommand move = load;
  move.op = TensorOp::kMultiplyMoving;
  move.psum_bank = 1;  // quad mode writes the even ones
  for (const unsigned row : {0u, 96u}) {
    load.row_start = row;
    bench.push(load);
  }
  for (const unsigned row : {96u, 0u}) {
    move.row_start = row;
    bench.push(move);
    move.psum_bank += 2;
  }
  bench.drain();
  const auto& fates = bench.fates();
  REQUIRE(fates[4].issue == fates[1].issue + 128);       // the last row group has its own port
  REQUIRE(fates[5].issue == fates[1].issue + 128 + 12);  // three row groups of four blocks
}

TEST_CASE("full: a transpose parallel to multiplies costs them nothing") {
  Bench bench("full");
  TensorCommand load;
  load.rows = load.cols = load.num0 = 128;
  TensorCommand move = load;
  move.op = TensorOp::kMultiplyMoving;
  move.num0 = 512;
  TensorCommand transpose = load;
  transpose.op = TensorOp::kTranspose;
  transpose.psum_bank = 7;
  bench.push(load);
  bench.push(move);
  bench.push(transpose);
  move.psum_bank = 1;
  bench.push(move);
  bench.drain();
  REQUIRE(bench.fates()[2].issue == bench.fates()[1].issue + 1);
  REQUIRE(bench.fates()[3].issue == bench.fates()[1].issue + 512);
}

TEST_CASE("full: columns that are no run on eight bytes load one a cycle") {
  Bench bench("full");
  TensorCommand load;
  load.rows = load.cols = load.num0 = 128;
  TensorCommand move = load;
  move.op = TensorOp::kMultiplyMoving;
  move.num0 = 1;
  TensorCommand transpose = load;
  transpose.op = TensorOp::kTranspose;
  transpose.sbuf_address = 4;
  load.step0 = 2;
  bench.push(load);
  bench.push(move);
  load.num0 = 32, load.num1 = 4, load.step0 = 1, load.step1 = 32;  // a run after all
  bench.push(load);
  bench.push(transpose);
  bench.push(load);
  bench.drain();
  const auto& fates = bench.fates();
  CHECK(fates[0].complete == fates[0].issue + 128 + 128);
  CHECK(fates[1].issue == fates[0].issue + 129);
  CHECK(fates[2].complete == fates[2].issue + 32 + 128);
  CHECK(fates[3].issue == fates[2].issue + 32);
  CHECK(fates[3].complete == fates[3].issue + 128 + 128 + 3 + 128);  // D does not fit into 8 bits
  CHECK(fates[4].issue == fates[3].issue + 128 + 1 + 128);
}

// Not a test: tb/common/check_failing_text.sh runs it.
TEST_CASE("a mismatch on purpose: control", "[.]") {
  Bench bench("tiny");
  TensorCommand load;
  load.rows = load.cols = load.num0 = 16;
  bench.push(load);
  bench.spoil();
  bench.drain();
}

}  // namespace tern::tb
