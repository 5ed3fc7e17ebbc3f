// SPDX-License-Identifier: Apache-2.0
// The tensor engine's control against the recurrence of its README, cycle by cycle: acceptance,
// issue, codes, slots, destinations, waves, statuses, counters. Completion of commands is set by
// the recurrence, as the arrays and PSUM would.
#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <sstream>

#include "tb/common/seed.h"
#include "tb/tensor/ctrl/ctrl_dut.h"
#include "tb/tensor/ctrl/ctrl_reference.h"
#include "tb/tensor/ctrl/random_commands.h"

namespace tern::tb {

namespace {

std::string text(const Members& members) {
  std::ostringstream out;
  for (const std::int64_t member : members) out << member << ' ';
  return out.str();
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
  explicit Bench(const std::string& name)
      : dut_(make_ctrl_dut(name, &shape_)), reference_(shape_) {}

  const TensorShape& shape() const { return shape_; }
  const std::deque<Fate>& fates() const { return fates_; }
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
    for (std::size_t i = 0; i < 6; ++i) {
      INFO("counter " << i);
      REQUIRE(counters[i] == counted_[i]);
    }
    REQUIRE(counters[7] == counted_[7]);
  }

 private:
  bool step(const TensorCommand* command) {
    CtrlInputs in;
    in.command = command;
    finish(&in);
    in.status_ready = random_ == nullptr || stall_ == 0 || below(*random_, stall_) != 0;
    const CtrlOutputs out = dut_->step(in);
    INFO("cycle " << now_ << ", command " << issued_ << " of " << fates_.size());
    const std::size_t in_flight = fates_.size() - retired_;
    REQUIRE(out.ready == (in_flight < shape_.command_depth));
    REQUIRE(out.busy == (in_flight > 0));
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
    REQUIRE(out.weight_stall == stalled);
    if (stalled) ++counted_[5];
    if (out.flight != flight && issued_ < fates_.size()) {
      INFO("issue expected in cycle " << fates_[issued_].issue << ", code "
                                      << fates_[issued_].code);
      REQUIRE(out.flight == flight);
    }
    REQUIRE(out.flight == flight);
    if (!flight) {
      REQUIRE(!out.dest);
      return;
    }
    const Fate& fate = fates_[issued_];
    const TensorCommand& c = commands_[issued_];
    REQUIRE(out.flight_members == Members{c.tag, fate.code});
    REQUIRE(out.flight_slot == fate.slot);
    REQUIRE(out.dest == !fate.dest.empty());
    REQUIRE(text(out.dest_members) == text(fate.dest));
    if (out.dest) REQUIRE(out.dest_slot == fate.slot);
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
      if (!agrees(out.waves[stream], expected)) {
        INFO("stream " << stream << ": " << text(out.waves[stream]) << ", expected "
                       << text(expected));
        REQUIRE(agrees(out.waves[stream], expected));
      }
      if (found != waves.end()) waves.erase(found);
    }
  }

  void check_status(const CtrlOutputs& out, bool taken) {
    const bool offered =
        retired_ < fates_.size() && now_ >= fates_[retired_].complete && (now_ > last_status_);
    REQUIRE(out.status == offered);
    if (!offered) return;
    const unsigned code = bad_tag_[retired_] ? 9 : fates_[retired_].code;
    REQUIRE(out.status_members == Members{commands_[retired_].tag, code});
    if (!taken) return;
    last_status_ = now_;
    ++retired_;
  }

  TensorShape shape_;
  std::unique_ptr<CtrlDut> dut_;
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
};

void run_random(const std::string& name, const Flavour& flavour, unsigned commands,
                std::uint64_t salt) {
  Bench bench(name);
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

}  // namespace

TEST_CASE("tiny: dense commands, whole array and tiles") {
  run_random("tiny", {false, true, 40, 12}, 6000, 1);
}

TEST_CASE("tiny: all modes") {
  run_random("tiny", {true, true, 40, 12}, 12000, 2);
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

TEST_CASE("full: four row tiles share the array") {
  Bench bench("full");
  TensorCommand load;
  load.tile_rows = TensorTileSize::kQuarter;
  load.rows = 32;
  load.cols = 128;
  TensorCommand move = load;
  move.op = TensorOp::kMultiplyMoving;
  move.num0 = 512;
  for (unsigned g = 0; g < 4; ++g) {
    load.row_start = 32 * g;
    bench.push(load);
  }
  bench.idle(200);
  for (unsigned g = 0; g < 4; ++g) {
    move.row_start = 32 * g;
    move.psum_bank = g;
    bench.push(move);
  }
  bench.drain();
  // One issue a cycle; the last leaves 128 + 2 rows later with its 512 columns.
  REQUIRE(bench.fates()[7].issue == bench.fates()[4].issue + 3);
  REQUIRE(bench.fates()[7].complete == bench.fates()[4].issue + 3 + 512 + 130);
  REQUIRE(bench.fates()[4].complete == bench.fates()[4].issue + 512 + 34);
}

TEST_CASE("full: a transpose parallel to multiplies costs them nothing") {
  Bench bench("full");
  TensorCommand load;
  load.rows = load.cols = 128;
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

}  // namespace tern::tb
