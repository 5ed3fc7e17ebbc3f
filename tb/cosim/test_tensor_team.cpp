// SPDX-License-Identifier: Apache-2.0
// Verilated tensor engines that are evaluated together: they take the contract's cycles, whatever
// the number of threads, and an engine that does not is noticed.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "sw/base/thread_team.h"
#include "sw/base/user_error.h"
#include "systemc/cosim/tensor_rtl.h"
#include "systemc/cosim/tensor_team.h"
#include "systemc/engines/tensor/tensor_model.h"
#include "tb/common/seed.h"

using namespace tern;  // NOLINT: a test uses the names of what it tests

namespace {

TensorShape tiny() {
  TensorShape shape = tensor_rtl_shape("tiny");
  shape.sbuf_bytes = 4096;
  return shape;
}

struct Sbuf {
  explicit Sbuf(std::uint64_t seed) : bytes(tiny().rows * std::size_t{4096}) {
    std::mt19937_64 random(seed);
    for (std::size_t i = 0; i < bytes.size(); i += 2) {
      bytes[i] = static_cast<std::uint8_t>(random());
      bytes[i + 1] = static_cast<std::uint8_t>(0x3E | (random() & 0x81));  // near 1, either sign
    }
  }
  SbufView view() const { return {bytes.data(), 4096}; }
  std::vector<std::uint8_t> bytes;
};

// What one engine delivered.
struct Result {
  std::vector<std::pair<std::uint32_t, std::uint64_t>> statuses;  // tag, cycle
  std::uint64_t read_end = 0;
  std::vector<float> psum;
  bool operator==(const Result& other) const {
    return statuses == other.statuses && read_end == other.read_end && psum == other.psum;
  }
};

// An engine with a program of loads and products, and a read of PSUM at its end.
class User {
 public:
  User(std::uint64_t seed, TensorDatapath* engine) : engine_(engine) {
    std::mt19937_64 random(seed);
    const TensorShape& shape = engine->shape();
    for (unsigned i = 0; i < 12; ++i) {
      TensorCommand load;
      load.tag = 2 * i;
      load.rows = shape.rows;
      load.cols = load.num0 = shape.cols;
      load.sbuf_address = static_cast<std::uint32_t>(random() % 32 * 16);
      TensorCommand move = load;
      move.tag = 2 * i + 1;
      move.op = TensorOp::kMultiplyMoving;
      move.num0 = 1 + static_cast<unsigned>(random() % shape.bank_columns);
      move.psum_bank = static_cast<unsigned>(random() % shape.psum_banks);
      commands_.push_back(load);
      commands_.push_back(move);
    }
    begin_ = random() % 40;
    result_.psum.resize(std::size_t{shape.cols} * shape.bank_columns);
  }

  bool done() const { return done_; }
  std::uint64_t next_event() const {
    return engine_->cycle() < begin_ ? begin_ : engine_->next_event();
  }
  // In a cycle in which something may happen.
  void act(std::uint64_t cycle) {
    if (engine_->next_event() == TensorDatapath::kIdle) {
      engine_->skip_to(cycle);
    } else {
      engine_->advance_to(cycle);
    }
    TensorStatus status;
    while (engine_->pop_status(&status)) {
      REQUIRE(status.code == TensorStatusCode::kOk);
      result_.statuses.emplace_back(status.tag, status.cycle);
    }
    if (cycle >= begin_ && engine_->ready() && next_ < commands_.size())
      engine_->push(commands_[next_++]);
    if (!read_ && result_.statuses.size() == commands_.size()) {
      read_ = true;
      const TensorShape& shape = engine_->shape();
      PsumTransfer transfer;
      transfer.partitions = shape.cols;
      transfer.columns = shape.bank_columns;
      transfer.data = result_.psum.data();
      transfer.stride = shape.bank_columns;
      engine_->psum_start(transfer);
    }
    if (read_ && !engine_->psum_busy()) {
      done_ = true;
      result_.read_end = cycle;
    }
  }
  const Result& result() const { return result_; }

 private:
  TensorDatapath* engine_;
  std::vector<TensorCommand> commands_;
  std::size_t next_ = 0;
  std::uint64_t begin_ = 0;
  bool read_ = false, done_ = false;
  Result result_;
};

// Moves each engine when something may happen in it, as the chip's cores do.
void run(std::vector<User>* users) {
  std::uint64_t cycle = 0;
  const auto busy = [](const User& user) { return !user.done(); };
  while (std::any_of(users->begin(), users->end(), busy)) {
    std::uint64_t next = TensorDatapath::kIdle;
    for (const User& user : *users) {
      if (busy(user)) next = std::min(next, std::max(cycle, user.next_event()));
    }
    cycle = next == TensorDatapath::kIdle ? cycle : next;
    for (User& user : *users) {
      if (busy(user) && (user.next_event() <= cycle || user.next_event() == TensorDatapath::kIdle))
        user.act(cycle);
    }
    REQUIRE(cycle < 100000);
  }
}

// The model in place of Verilated RTL. What it says of time is wrong by `late` cycles: statuses, or
// the end of a PSUM transfer.
class FakeRtl : public TensorRtl {
 public:
  FakeRtl(SbufView sbuf, int status, int transfer)
      : model_(tiny(), sbuf), status_(status), transfer_(transfer) {}

  const TensorShape& shape() const override { return model_.shape(); }
  std::uint64_t cycle() const override { return model_.cycle(); }
  bool ready() const override { return model_.ready(); }
  void push(const TensorCommand& command) override { model_.push(command); }
  std::uint64_t next_event() const override { return in_flight() ? cycle() + 1 : kIdle; }
  void advance_to(std::uint64_t cycle) override {
    while (model_.cycle() < cycle) {
      const bool busy = model_.psum_busy();
      if (model_.next_event() == kIdle) {
        model_.skip_to(model_.cycle() + 1);
      } else {
        model_.advance_to(model_.cycle() + 1);
      }
      TensorStatus status;
      while (model_.pop_status(&status)) {
        status.cycle =
            static_cast<std::uint64_t>(static_cast<std::int64_t>(status.cycle) + status_);
        statuses_.push_back(status);
      }
      if (busy && !model_.psum_busy())
        psum_end_ =
            static_cast<std::uint64_t>(static_cast<std::int64_t>(model_.cycle()) + transfer_);
    }
  }
  void skip_to(std::uint64_t cycle) override { advance_to(cycle); }
  bool pop_status(TensorStatus* status) override {
    if (statuses_.empty() || statuses_.front().cycle > cycle()) return false;
    *status = statuses_.front();
    statuses_.erase(statuses_.begin());
    return true;
  }
  void psum_start(const PsumTransfer& transfer) override { model_.psum_start(transfer); }
  bool psum_busy() const override {
    return model_.psum_busy() || (psum_end_ > cycle() && transfer_ > 0);
  }
  void set_observer(PsumObserver*) override {}
  std::uint64_t cycles_simulated() const override { return 0; }
  TensorCounters counters() const override { return model_.counters(); }
  std::uint64_t psum_end() const override { return psum_end_; }
  void settles_in(std::uint64_t) override {}

 private:
  bool in_flight() const {
    return model_.next_event() != kIdle || !statuses_.empty() || psum_busy();
  }

  TensorModel model_;
  int status_, transfer_;
  std::vector<TensorStatus> statuses_;
  std::uint64_t psum_end_ = 0;
};

Result run_fake(int status, int transfer) {
  const Sbuf sbuf(tb::test_seed());
  const auto team = std::make_shared<TensorTeam>(std::make_shared<base::ThreadTeam>(1));
  const auto engine = team->add(std::make_unique<FakeRtl>(sbuf.view(), status, transfer));
  std::vector<User> users;
  users.emplace_back(tb::test_seed(), engine.get());
  run(&users);
  return users[0].result();
}

}  // namespace

TEST_CASE("tensor team: Verilated engines deliver the model's bits in its cycles on any threads") {
  constexpr unsigned kEngines = 5;
  const std::uint64_t seed = tb::test_seed();
  std::vector<Sbuf> sbufs;
  std::vector<Result> expected;
  for (unsigned i = 0; i < kEngines; ++i) {
    sbufs.emplace_back(seed + i);
    TensorModel model(tiny(), sbufs[i].view());
    std::vector<User> users;
    users.emplace_back(seed + 100 + i, &model);
    run(&users);
    expected.push_back(users[0].result());
  }
  for (const unsigned threads : {1u, 2u, 3u}) {
    CAPTURE(threads);
    const auto team = std::make_shared<TensorTeam>(std::make_shared<base::ThreadTeam>(threads));
    std::vector<std::unique_ptr<TensorDatapath>> engines;
    std::vector<User> users;
    for (unsigned i = 0; i < kEngines; ++i) {
      TensorRtlOptions options;
      options.config = "tiny";
      options.sbuf = sbufs[i].view();
      options.sbuf_bytes = 4096;
      engines.push_back(team->add(make_tensor_rtl(options)));
      users.emplace_back(seed + 100 + i, engines.back().get());
    }
    run(&users);
    for (unsigned i = 0; i < kEngines; ++i) {
      CAPTURE(i);
      CHECK(users[i].result() == expected[i]);
    }
  }
}

TEST_CASE("tensor team: a status before its cycle ends the run") {
  CHECK_THROWS_AS(run_fake(-1, 0), RunError);
  CHECK_THROWS_WITH(run_fake(-1, 0), Catch::Contains("the status of tag 0 leaves in cycle ") &&
                                         Catch::Contains(", by the contract in cycle "));
}

TEST_CASE("tensor team: a PSUM transfer that ends too early ends the run") {
  CHECK_THROWS_WITH(run_fake(0, -1), Catch::Contains("a PSUM transfer ends in cycle "));
}

TEST_CASE("tensor team: an engine that is late is waited for, and its user sees when it was done") {
  const Result right = run_fake(0, 0);
  const Result late = run_fake(3, 0);
  REQUIRE(late.statuses.size() == right.statuses.size());
  CHECK(late.psum == right.psum);
  for (std::size_t i = 0; i < right.statuses.size(); ++i) {
    CHECK(late.statuses[i].first == right.statuses[i].first);
    CHECK(late.statuses[i].second >= right.statuses[i].second + 3);
  }
  CHECK(run_fake(0, 5).read_end == right.read_end + 5);
}
