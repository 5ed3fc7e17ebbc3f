// SPDX-License-Identifier: Apache-2.0
// The tensor model's cycles under random programs of all modes, with PSUM transfers between them,
// against a second copy of the timing table.
#include <algorithm>
#include <catch2/catch.hpp>

#include "systemc/engines/tensor/tensor_model.h"
#include "tb/common/seed.h"
#include "tb/engines/tensor/random_tensor.h"
#include "tb/engines/tensor/tensor_recurrences.h"

using namespace tern;      // NOLINT: a test uses the names of what it tests
using namespace tern::tb;  // NOLINT

namespace {

TensorShape wide_shape() {
  TensorShape shape;
  shape.rows = 128;
  shape.cols = 32;
  shape.bank_columns = 64;
  shape.sbuf_bytes = 16384;
  return shape;
}

// A model, its clock and a PSUM transfer now and then.
class Program {
 public:
  Program(const TensorShape& shape, std::uint64_t seed)
      : shape_(shape),
        random_(shape, seed),
        sbuf_(shape),
        model_(shape, sbuf_.view()),
        recurrences_(shape),
        words_(shape.psum_banks * shape.bank_columns) {
    random_.fill(&sbuf_, 0, 0);
  }

  void run(unsigned commands) {
    for (unsigned i = 0; i < commands; ++i) {
      while (!model_.ready() || random_.below(4) == 0) wait();
      push(random_.next(10));
      if (random_.below(4) == 0) start_transfer();
    }
    while (model_.next_event() != TensorDatapath::kIdle) wait();
    take();
  }

  const TensorModel& model() const { return model_; }
  unsigned wrong_statuses = 0, wrong_transfers = 0, transfers = 0, statuses = 0;
  std::uint64_t expected_stalls() const { return recurrences_.weight_stalls(); }

 private:
  void push(const TensorCommand& command) {
    const std::uint64_t cycle = model_.cycle();
    const std::uint64_t rejected = model_.counters().errors;
    model_.push(command);
    const bool accepted = model_.counters().errors == rejected;
    expected_.push_back({command.tag, {}, recurrences_.push(cycle, command, accepted)});
    plan_transfer();
  }

  void start_transfer() {
    if (model_.psum_busy()) return;
    const bool state = random_.below(6) == 0;
    const unsigned all = shape_.psum_banks * shape_.bank_columns;
    transfer_.partitions = 1;
    transfer_.column = state ? all : random_.below(all);
    transfer_.columns = 1 + random_.below(state ? 6 : std::min(all - transfer_.column, 300u));
    transfer_.data = words_.data();
    transfer_.stride = transfer_.columns;
    transfer_start_ = model_.cycle();
    model_.psum_start(transfer_);
    plan_transfer();
    ++transfers;
  }
  void plan_transfer() {
    if (transfer_end_ > model_.cycle() || transfer_start_ == model_.cycle()) {
      transfer_end_ =
          recurrences_.transfer_end(transfer_start_, transfer_.column, transfer_.columns);
    }
  }

  void wait() {
    const std::uint64_t next = model_.next_event(), now = model_.cycle();
    const std::uint64_t target = now + 1 + random_.below(40);
    if (next == TensorDatapath::kIdle) {
      model_.skip_to(target);
    } else {
      model_.advance_to(std::min(next, target));
    }
    wrong_transfers += model_.psum_busy() != (model_.cycle() < transfer_end_);
    take();
  }
  void take() {
    TensorStatus status;
    while (model_.pop_status(&status)) {
      const TensorStatus& expected = expected_.at(statuses++);
      wrong_statuses += status.tag != expected.tag || status.cycle != expected.cycle ||
                        status.cycle != model_.cycle();
    }
  }

  TensorShape shape_;
  RandomTensor random_;
  FakeSbuf sbuf_;
  TensorModel model_;
  TensorRecurrences recurrences_;
  std::vector<TensorStatus> expected_;
  std::vector<float> words_;
  PsumTransfer transfer_;
  std::uint64_t transfer_start_ = 0, transfer_end_ = 0;
};

}  // namespace

TEST_CASE("tensor programs: statuses, stalls and transfers come in the cycles of the table") {
  for (const TensorShape& shape : {tiny_shape(), wide_shape()}) {
    for (unsigned round = 0; round < 6; ++round) {
      Program program(shape, test_seed() + round);
      program.run(300);
      CHECK(program.statuses == 300);
      CHECK(program.wrong_statuses == 0);
      CHECK(program.transfers > 20);
      CHECK(program.wrong_transfers == 0);
      CHECK(program.model().counters().weight_stalls == program.expected_stalls());
      CHECK(program.model().counters().psum_conflicts > 0);
      CHECK(program.model().counters().errors < 120);
    }
  }
}

TEST_CASE("tensor programs: nothing changes between two events") {
  const TensorShape shape = tiny_shape();
  RandomTensor random(shape, test_seed());
  FakeSbuf sbuf(shape);
  random.fill(&sbuf, 0, 0);
  std::vector<TensorCommand> program;
  for (unsigned i = 0; i < 400; ++i) program.push_back(random.next());
  // One engine is clocked cycle by cycle and read in each; the other jumps from event to event.
  const auto log = [&](bool steps) {
    TensorModel model(shape, sbuf.view());
    std::vector<std::uint64_t> changes;
    std::vector<float> words(200);
    PsumTransfer transfer;
    transfer.partitions = 1;
    transfer.columns = 100;
    transfer.data = words.data();
    TensorStatus status;
    std::size_t next = 0;
    bool busy = false;
    while (true) {
      while (model.pop_status(&status)) changes.push_back(model.cycle());
      if (busy && !model.psum_busy()) changes.push_back(1000000 + model.cycle());
      busy = model.psum_busy();
      if (next < program.size() && model.ready()) {
        changes.push_back(2000000 + model.cycle());
        model.push(program[next++]);
        if (!busy && next % 8 == 0) {
          model.psum_start(transfer);
          busy = true;
        }
      }
      if (model.next_event() == TensorDatapath::kIdle) return changes;
      model.advance_to(steps ? std::min(model.cycle() + 1, model.next_event())
                             : model.next_event());
    }
  };
  const std::vector<std::uint64_t> changes = log(true);
  CHECK(changes.size() > 2 * program.size() + 20);
  CHECK(changes == log(false));
}
