// SPDX-License-Identifier: Apache-2.0
// The lockstep on two models, one of which behaves like RTL (writes appear in their own cycle, so
// those of concurrent commands interleave) and may give wrong results.
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <memory>

#include "sw/base/user_error.h"
#include "systemc/cosim/tensor_lockstep.h"
#include "systemc/engines/tensor/tensor_model.h"
#include "tb/common/seed.h"
#include "tb/engines/tensor/random_tensor.h"

using namespace tern;      // NOLINT: a test uses the names of what it tests
using namespace tern::tb;  // NOLINT
using Catch::Contains;

namespace {

class Device : public TensorDatapath, private PsumObserver {
 public:
  Device(const TensorShape& shape, SbufView sbuf, const TensorKernels& kernels)
      : model_(shape, sbuf, &kernels) {
    model_.set_observer(this);
  }

  // Changes a write, or swallows it: false.
  std::function<bool(PsumWrite*, std::uint32_t* data)> write;
  std::uint64_t transfer_late = 0;
  bool can_debug = true;

  const TensorShape& shape() const override { return model_.shape(); }
  std::uint64_t cycle() const override { return model_.cycle(); }
  bool ready() const override { return model_.ready(); }
  void push(const TensorCommand& command) override { model_.push(command); }
  std::uint64_t next_event() const override {
    if (!waiting_.empty() || psum_busy()) return cycle() + 1;  // like RTL: every cycle
    return model_.next_event();
  }
  void advance_to(std::uint64_t cycle) override {
    if (model_.next_event() == kIdle) {
      model_.skip_to(cycle);
    } else {
      model_.advance_to(cycle);
    }
    // In one cycle the ports come in any order: here the newest command first.
    std::stable_sort(waiting_.begin(), waiting_.end(),
                     [](const Write& a, const Write& b) { return a.write.cycle < b.write.cycle; });
    const auto end = std::find_if(waiting_.begin(), waiting_.end(),
                                  [&](const Write& w) { return w.write.cycle > cycle; });
    std::vector<Write> due(waiting_.begin(), end);
    waiting_.erase(waiting_.begin(), end);
    for (Write& w : due) {
      if (write && !write(&w.write, w.data.data())) continue;
      w.write.data = w.data.data();
      if (observer_ != nullptr) observer_->psum_written(w.write);
    }
  }
  void skip_to(std::uint64_t cycle) override { model_.skip_to(cycle); }
  bool pop_status(TensorStatus* status) override { return model_.pop_status(status); }
  void psum_start(const PsumTransfer& transfer) override {
    model_.psum_start(transfer);
    late_until_ = cycle() + transfer.columns + transfer_late;
  }
  bool psum_busy() const override {
    return model_.psum_busy() || (transfer_late != 0 && cycle() < late_until_);
  }
  bool psum_debug(const PsumTransfer& transfer) override {
    return can_debug && model_.psum_debug(transfer);
  }
  void set_observer(PsumObserver* observer) override { observer_ = observer; }

 private:
  struct Write {
    PsumWrite write;
    std::vector<std::uint32_t> data;
  };
  void psum_written(const PsumWrite& seen) override {
    waiting_.insert(waiting_.begin(), {seen, {seen.data, seen.data + seen.lanes}});
  }
  TensorModel model_;
  std::vector<Write> waiting_;
  std::uint64_t late_until_ = 0;
  PsumObserver* observer_ = nullptr;
};

struct Bench {
  explicit Bench(const TensorShape& s) : shape(s), sbuf(s), random(s, test_seed()) {
    random.fill(&sbuf, 1, 0);
    auto second = std::make_unique<Device>(shape, sbuf.view(), tensor_kernels().back());
    device = second.get();
    lockstep = std::make_unique<TensorLockstep>(
        std::make_unique<TensorModel>(shape, sbuf.view()), std::move(second),
        [](std::uint32_t tag) { return "instruction #" + std::to_string(40 + tag); });
  }
  void transfer(unsigned column, unsigned columns) {
    words.resize(columns);
    PsumTransfer read;
    read.partitions = 1;
    read.column = column;
    read.columns = columns;
    read.data = words.data();
    read.stride = columns;
    lockstep->psum_start(read);
  }
  // Two quarter tiles at work at the same time, tags 2 and 3, then a quad product with tag 5.
  std::vector<TensorCommand> program() const {
    std::vector<TensorCommand> commands;
    for (unsigned g = 0; g < 2; ++g) {
      commands.push_back(load_stationary(8, 4));
      commands.back().tag = g;
      commands.back().tile_rows = commands.back().tile_cols = TensorTileSize::kQuarter;
      commands.back().row_start = 8 * g;
      commands.back().col_start = 4 * g;
    }
    for (unsigned g = 0; g < 2; ++g) {
      commands.push_back(commands[g]);
      commands.back().op = TensorOp::kMultiplyMoving;
      commands.back().tag = 2 + g;
      commands.back().num0 = 30;
      commands.back().psum_bank = 3;
      commands.back().bf16_result = g == 1;
    }
    TensorCommand quad = load_stationary(32, 16);
    quad.mode = TensorMode::kQuad;
    quad.type = TensorType::kE4m3fnX4;
    quad.aux_address = shape.sbuf_bytes / 4 * 3;
    quad.tag = 4;
    commands.push_back(quad);
    quad.op = TensorOp::kMultiplyMoving;
    quad.num0 = 5;
    quad.tag = 5;
    commands.push_back(quad);
    return commands;
  }
  void run_program() { run(*lockstep, program()); }

  TensorShape shape;
  FakeSbuf sbuf;
  RandomTensor random;
  Device* device = nullptr;
  std::unique_ptr<TensorLockstep> lockstep;
  std::vector<float> words;
};

}  // namespace

TEST_CASE("model lockstep: silent on random programs of all modes") {
  Bench bench(tiny_shape());
  unsigned transfers = 0;
  for (unsigned i = 0; i < 800; ++i) {
    wait_ready(*bench.lockstep);
    bench.lockstep->push(bench.random.next(5));
    if (i % 16 == 15 && !bench.lockstep->psum_busy()) {
      bench.transfer(bench.random.below(100), 20);
      ++transfers;
    }
  }
  const std::vector<TensorStatus> statuses = drain(*bench.lockstep);
  CHECK_FALSE(statuses.empty());
  CHECK(bench.lockstep->writes_compared() > 5000);
  CHECK(transfers > 20);
}

TEST_CASE("model lockstep: commands in flight may share a tag") {
  Bench bench(tiny_shape());
  std::vector<TensorCommand> commands = bench.program();
  for (TensorCommand& command : commands) command.tag = 0;
  run(*bench.lockstep, commands);
  CHECK(bench.lockstep->writes_compared() == 30 + 30 + 4 * 5);
}

TEST_CASE("model lockstep: a wrong bit of one of two tiles at work") {
  Bench bench(tiny_shape());
  bench.device->write = [](PsumWrite* write, std::uint32_t* data) {
    if (write->tag == 3 && write->index == 9) data[2] ^= 0x100;
    return true;
  };
  // BF16, so 32 columns in a bank; column group 1 begins at partition 4.
  REQUIRE_THROWS_WITH(bench.run_program(), Contains("instruction #43: row 2 of column 9") &&
                                               Contains("PSUM bank 3 column 9, partition 6") &&
                                               Contains("in the model, 0x") &&
                                               Contains("in the RTL, cycle "));
}

TEST_CASE("model lockstep: a wrong bit of a slot in quad mode") {
  Bench bench(tiny_shape());
  bench.device->write = [](PsumWrite* write, std::uint32_t* data) {
    if (write->tag == 5 && write->slot == 2 && write->index == 1) data[15] ^= 1;
    return true;
  };
  REQUIRE_THROWS_WITH(bench.run_program(), Contains("instruction #45: row 15 of column 1") &&
                                               Contains("PSUM bank 4 column 1, partition 15"));
}

TEST_CASE("model lockstep: a wrong position, format, cycle, or none at all") {
  Bench bench(tiny_shape());
  const auto lie = [&](std::uint32_t tag, const std::function<void(PsumWrite*)>& change) {
    bench.device->write = [=](PsumWrite* write, std::uint32_t*) {
      if (write->tag == tag && write->index == 3) change(write);
      return true;
    };
  };
  SECTION("partition") {
    lie(3, [](PsumWrite* write) { write->partition += 4; });
    REQUIRE_THROWS_WITH(bench.run_program(), Contains("instruction #43") &&
                                                 Contains("rows from partition 4 of") &&
                                                 Contains("rows from partition 8 of"));
  }
  SECTION("format") {
    lie(2, [](PsumWrite* write) { write->half = true; });
    REQUIRE_THROWS_WITH(bench.run_program(), Contains("instruction #42") &&
                                                 Contains("4 rows from") &&
                                                 Contains("4 16-bit rows from"));
  }
  SECTION("cycle") {
    lie(2, [](PsumWrite* write) { write->cycle += 1; });
    REQUIRE_THROWS_WITH(bench.run_program(),
                        Contains("instruction #42: column 3 is written in cycle"));
  }
  SECTION("tag") {
    lie(2, [](PsumWrite* write) { write->tag = 9; });
    REQUIRE_THROWS_WITH(bench.run_program(),
                        Contains("instruction #49") && Contains("the model does not"));
  }
  SECTION("none") {
    bench.device->write = [](PsumWrite* write, std::uint32_t*) {
      return write->tag != 3 || write->index != 29;
    };
    REQUIRE_THROWS_WITH(bench.run_program(),
                        Contains("instruction #43: column 29") && Contains("not before cycle"));
  }
}

TEST_CASE("model lockstep: the end of a transfer, and a debugger's access") {
  Bench bench(tiny_shape());
  bench.transfer(4, 10);
  CHECK(bench.lockstep->psum_busy());
  drain(*bench.lockstep);
  CHECK(bench.lockstep->cycle() == 10);
  PsumTransfer read;
  float word = 1.0f;
  read.partitions = read.columns = 1;
  read.data = &word;
  CHECK(bench.lockstep->psum_debug(read));
  CHECK(word == 0.0f);
  bench.device->can_debug = false;
  CHECK_FALSE(bench.lockstep->psum_debug(read));
  bench.device->transfer_late = 1;
  bench.transfer(20, 10);
  REQUIRE_THROWS_WITH(drain(*bench.lockstep), Contains("PSUM bank 1 column 4") &&
                                                  Contains("in cycle 20 it is finished") &&
                                                  Contains("in flight in the RTL"));
}
