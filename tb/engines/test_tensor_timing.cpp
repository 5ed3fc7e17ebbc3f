// SPDX-License-Identifier: Apache-2.0
// The tensor model's cycles: examples worked out by hand, and random programs against the
// recurrences of systemc/engines/README.md written down once more.
#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>
#include <random>
#include <stdexcept>
#include <vector>

#include "systemc/engines/tensor_model.h"
#include "tb/common/seed.h"
#include "tb/engines/tensor_bench.h"

using namespace tern;      // NOLINT: a test speaks the language of what it tests
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

// The recurrences, literally: every earlier command is kept and asked.
class Recurrences {
 public:
  explicit Recurrences(const TensorShape& shape) : shape_(shape) {}

  // Retire cycle of a command pushed in cycle a.
  std::uint64_t push(std::uint64_t a, const TensorCommand& command, bool accepted) {
    const std::uint64_t length = (command.cols + 3) / 4;
    const std::uint64_t columns = std::uint64_t{command.num0} * command.num1;
    std::uint64_t issue = a + 1;
    std::uint64_t complete;
    if (last_issue_) issue = std::max(issue, *last_issue_ + 1);
    if (!accepted) {
      complete = issue + 1;
    } else if (command.op == TensorOp::kLoadStationary) {
      if (last_load_) issue = std::max(issue, last_load_->issue + last_load_->length);
      if (last_load_ && last_load_->taken) issue = std::max(issue, *last_load_->taken + 1);
      last_load_ = Load{issue, length, {}};
      complete = issue + length + shape_.rows;
    } else {
      if (last_multiply_) {
        issue = std::max(issue,
                         last_multiply_->issue +
                             std::max<std::uint64_t>(shape_.min_interval, last_multiply_->length));
      }
      if (!last_load_->taken) {
        issue = std::max(issue, last_load_->issue + last_load_->length + 1);
        last_load_->taken = issue;
      }
      last_multiply_ = Load{issue, columns, {}};
      complete = issue + columns + shape_.rows + 2;
    }
    last_issue_ = issue;
    last_retire_ = last_retire_ ? std::max(complete, *last_retire_ + 1) : complete;
    return *last_retire_;
  }

 private:
  struct Load {
    std::uint64_t issue, length;
    std::optional<std::uint64_t> taken;
  };
  TensorShape shape_;
  std::optional<Load> last_load_, last_multiply_;
  std::optional<std::uint64_t> last_issue_, last_retire_;
};

std::vector<TensorCommand> random_program(std::mt19937_64& random, const TensorShape& shape,
                                          std::size_t count) {
  std::vector<TensorCommand> program;
  TensorCommand loaded = load_stationary(shape.rows, shape.cols);
  program.push_back(loaded);
  while (program.size() < count) {
    const unsigned kind = random() % 8;
    if (kind < 3) {
      loaded = load_stationary(shape.rows, 1 + static_cast<unsigned>(random() % shape.cols));
      program.push_back(loaded);
    } else {
      TensorCommand multiply = loaded;
      multiply.op = TensorOp::kMultiplyMoving;
      multiply.num0 = 1 + static_cast<unsigned>(random() % shape.max_moving);
      if (random() % 2 == 0) multiply.num0 = 1 + static_cast<unsigned>(random() % 4);
      if (kind == 7) multiply.sbuf_address = 1;  // refused
      program.push_back(multiply);
    }
    program.back().tag = static_cast<std::uint32_t>(program.size() - 1);
  }
  return program;
}

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
  f.push(load_stationary(128, 128, 4));  // misaligned: issues 3, complete 4, retires 163
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

TEST_CASE("tensor timing: sixteen commands in flight, a place is free one cycle after a status") {
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

TEST_CASE("tensor timing: one push a cycle; the clock's rules") {
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

TEST_CASE("tensor timing: random programs follow the recurrences") {
  std::mt19937_64 random(test_seed());
  for (const TensorShape& shape : {tiny_shape(), small_sbuf()}) {
    Fixture f(shape);
    Recurrences recurrences(shape);
    std::vector<TensorStatus> expected, actual;
    TensorStatus status;
    for (const TensorCommand& command : random_program(random, shape, 600)) {
      while (true) {
        while (f.model.pop_status(&status)) actual.push_back(status);
        if (f.model.ready() && random() % 4 != 0) break;
        // Some cycles pass with room but without a command.
        f.model.advance_to(f.model.ready()
                               ? std::min(f.model.next_event(), f.model.cycle() + random() % 40)
                               : f.model.next_event());
      }
      const bool accepted = command.sbuf_address != 1;
      expected.push_back({command.tag,
                          accepted ? TensorStatusCode::kOk : TensorStatusCode::kBadAlignment,
                          recurrences.push(f.model.cycle(), command, accepted)});
      f.model.push(command);
    }
    for (const TensorStatus& last : drain(f.model)) actual.push_back(last);
    REQUIRE(actual.size() == expected.size());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      wrong += actual[i].cycle != expected[i].cycle || actual[i].tag != expected[i].tag ||
               actual[i].code != expected[i].code;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("tensor timing: nothing changes between two events") {
  std::mt19937_64 random(test_seed());
  const TensorShape shape = tiny_shape();
  const std::vector<TensorCommand> program = random_program(random, shape, 400);
  Fixture steps(shape), events(shape);
  // One engine is clocked cycle by cycle and asked in each; the other jumps from event to event.
  std::vector<std::uint64_t> pushed_at, statuses_at, event_pushed_at, event_statuses_at;
  TensorStatus status;
  std::size_t next = 0;
  while (next < program.size() || steps.model.next_event() != TensorDatapath::kIdle) {
    while (steps.model.pop_status(&status)) statuses_at.push_back(steps.model.cycle());
    if (next < program.size() && steps.model.ready()) {
      pushed_at.push_back(steps.model.cycle());
      steps.model.push(program[next++]);
    }
    steps.model.advance_to(std::min(steps.model.cycle() + 1, steps.model.next_event()));
  }
  while (steps.model.pop_status(&status)) statuses_at.push_back(steps.model.cycle());
  next = 0;
  while (true) {
    while (events.model.pop_status(&status)) {
      CHECK(status.cycle == events.model.cycle());
      event_statuses_at.push_back(events.model.cycle());
    }
    if (next < program.size() && events.model.ready()) {
      event_pushed_at.push_back(events.model.cycle());
      events.model.push(program[next++]);
    }
    if (events.model.next_event() == TensorDatapath::kIdle) break;
    events.model.advance_to(events.model.next_event());
  }
  CHECK(statuses_at.size() == program.size());
  CHECK(pushed_at == event_pushed_at);
  CHECK(statuses_at == event_statuses_at);
}
