// SPDX-License-Identifier: Apache-2.0
// The lockstep of model and RTL: silent when they agree, precise when they do not.
#include <catch2/catch.hpp>
#include <cstring>
#include <functional>

#include "sw/base/user_error.h"
#include "systemc/cosim/tensor_lockstep.h"
#include "systemc/cosim/tensor_rtl.h"
#include "systemc/engines/tensor/tensor_model.h"
#include "tb/common/seed.h"
#include "tb/tensor/top/bench/operands.h"
#include "tb/tensor/top/bench/tensor_bench.h"
#include "tb/tensor/top/bench/test_sbuf.h"

namespace tern::tb {
namespace {

using Catch::Contains;

// A datapath with errors: passes everything through to the model except for what the test changes.
class Liar : public TensorDatapath, private PsumObserver {
 public:
  Liar(const TensorShape& shape, SbufView sbuf) : model_(shape, sbuf) { model_.set_observer(this); }

  std::function<bool(PsumWrite*, std::uint32_t* data)> write;  // false: swallow it
  std::function<bool(TensorStatus*)> status;                   // false: keep it back
  bool busy = false;
  bool late = false;  // transfers do not end
  std::uint32_t flip_psum_read = 0;

  const TensorShape& shape() const override { return model_.shape(); }
  std::uint64_t cycle() const override { return model_.cycle(); }
  bool ready() const override { return !busy && model_.ready(); }
  void push(const TensorCommand& command) override { model_.push(command); }
  std::uint64_t next_event() const override { return model_.next_event(); }
  void advance_to(std::uint64_t cycle) override { model_.advance_to(cycle); }
  void skip_to(std::uint64_t cycle) override { model_.skip_to(cycle); }
  bool pop_status(TensorStatus* out) override {
    return model_.pop_status(out) && (!status || status(out));
  }
  void psum_start(const PsumTransfer& transfer) override {
    model_.psum_start(transfer);
    if (!transfer.write) {
      std::uint32_t bits;
      std::memcpy(&bits, &transfer.data[0], 4);
      bits ^= flip_psum_read;
      std::memcpy(&transfer.data[0], &bits, 4);
    }
  }
  bool psum_busy() const override { return late || model_.psum_busy(); }
  void set_observer(PsumObserver* observer) override { observer_ = observer; }

 private:
  void psum_written(const PsumWrite& seen) override {
    PsumWrite changed = seen;
    std::vector<std::uint32_t> data(seen.data, seen.data + seen.lanes);
    if (write && !write(&changed, data.data())) return;
    changed.data = data.data();
    if (observer_ != nullptr) observer_->psum_written(changed);
  }
  TensorModel model_;
  PsumObserver* observer_ = nullptr;
};

TensorCommand load_command(const TensorShape& shape, unsigned address) {
  TensorCommand c;
  c.tag = 1;
  c.rows = shape.rows;
  c.cols = c.num0 = shape.cols;
  c.sbuf_address = address;
  return c;
}

TensorCommand move_command(const TensorShape& shape, unsigned columns, unsigned bank,
                           unsigned column) {
  TensorCommand c = load_command(shape, 64);
  c.op = TensorOp::kMultiplyMoving;
  c.tag = 2;
  c.num0 = columns;
  c.psum_bank = bank;
  c.psum_column = column;
  return c;
}

unsigned run(TensorDatapath& datapath, const std::vector<TensorCommand>& program) {
  unsigned statuses = 0;
  TensorStatus status;
  const auto step = [&] {
    datapath.advance_to(datapath.next_event());
    while (datapath.pop_status(&status)) ++statuses;
  };
  for (const TensorCommand& command : program) {
    while (!datapath.ready()) step();
    datapath.push(command);
  }
  while (datapath.next_event() != TensorDatapath::kIdle) step();
  return statuses;
}

struct LiarBench {
  LiarBench() : shape(tensor_rtl_shape("tiny")), sbuf(shape.rows, 256 * 1024) {
    Random random(test_seed());
    for (unsigned r = 0; r < shape.rows; ++r) {
      for (unsigned i = 0; i < 256; ++i)
        sbuf.set(r, 2 * i, random_element(random, TensorType::kBf16, Spread::kNearOne));
    }
    auto device = std::make_unique<Liar>(shape, sbuf.view());
    liar = device.get();
    lockstep = std::make_unique<TensorLockstep>(
        std::make_unique<TensorModel>(shape, sbuf.view()), std::move(device),
        [](std::uint32_t tag) { return "instruction #" + std::to_string(40 + tag); });
  }
  void run_program() { run(*lockstep, {load_command(shape, 0), move_command(shape, 6, 3, 5)}); }
  TensorShape shape;
  TestSbuf sbuf;
  Liar* liar = nullptr;
  std::unique_ptr<TensorLockstep> lockstep;
};

}  // namespace

TEST_CASE(
    "lockstep: the default shape is the chip's, configuration full of docs/spec/tensor.yaml") {
  const TensorShape shape, full = tensor_rtl_shape("full");
  CHECK(shape.rows == full.rows);
  CHECK(shape.cols == full.cols);
  CHECK(shape.psum_banks == full.psum_banks);
  CHECK(shape.bank_columns == full.bank_columns);
  CHECK(shape.min_interval == full.min_interval);
  CHECK(shape.max_moving == full.max_moving);
  CHECK(shape.command_depth == full.command_depth);
}

TEST_CASE("lockstep: a wrong bit is named with instruction, row, column and both values") {
  LiarBench bench;
  bench.liar->write = [](PsumWrite* write, std::uint32_t* data) {
    if (write->index == 4) data[7] ^= 1;
    return true;
  };
  REQUIRE_THROWS_WITH(bench.run_program(),
                      Contains("instruction #42") && Contains("row 7 of column 4") &&
                          Contains("PSUM bank 3 column 9") && Contains("in the model, 0x"));
  REQUIRE(bench.lockstep->writes_compared() == 4);
}

TEST_CASE("lockstep: a wrong cycle, column or count of writes") {
  LiarBench bench;
  SECTION("cycle") {
    bench.liar->write = [](PsumWrite* write, std::uint32_t*) {
      return write->cycle += write->index == 2 ? 1 : 0, true;
    };
    REQUIRE_THROWS_WITH(
        bench.run_program(),
        Contains("column 2 is written in cycle 42 in the model, in cycle 43 in the RTL"));
  }
  SECTION("place") {
    bench.liar->write = [](PsumWrite* write, std::uint32_t*) { return write->column += 1, true; };
    REQUIRE_THROWS_WITH(bench.run_program(), Contains("PSUM bank 3 column 5) is due") &&
                                                 Contains("PSUM bank 3 column 6"));
  }
  SECTION("lanes") {
    bench.liar->write = [](PsumWrite* write, std::uint32_t*) { return write->lanes -= 1, true; };
    REQUIRE_THROWS_WITH(bench.run_program(), Contains("16 rows") && Contains("15 rows"));
  }
  SECTION("first partition") {
    bench.liar->write = [](PsumWrite* write, std::uint32_t*) { return write->partition = 4, true; };
    REQUIRE_THROWS_WITH(bench.run_program(),
                        Contains("from partition 0 of") && Contains("16 rows from partition 4 of"));
  }
  SECTION("width of the elements") {
    bench.liar->write = [](PsumWrite* write, std::uint32_t*) { return write->half = true; };
    REQUIRE_THROWS_WITH(bench.run_program(), Contains("(16 rows") && Contains("(16 16-bit rows"));
  }
  SECTION("one too many") {
    bench.liar->write = [](PsumWrite* write, std::uint32_t*) {
      return write->tag = write->index == 5 ? 9 : write->tag, true;
    };
    REQUIRE_THROWS_WITH(bench.run_program(),
                        Contains("instruction #49") && Contains("the model does not"));
  }
  SECTION("one is missing") {
    bench.liar->write = [](PsumWrite* write, std::uint32_t*) { return write->index != 5; };
    REQUIRE_THROWS_WITH(bench.run_program(), Contains("column 5") && Contains("not before cycle"));
  }
}

TEST_CASE("lockstep: a wrong status") {
  LiarBench bench;
  SECTION("code") {
    bench.liar->status = [](TensorStatus* s) { return s->code = TensorStatusCode::kBadPsum, true; };
    REQUIRE_THROWS_WITH(
        bench.run_program(),
        Contains("instruction #41") && Contains("status code 0 in the model, 4 in the RTL"));
  }
  SECTION("cycle") {
    bench.liar->status = [](TensorStatus* s) { return s->cycle -= 1, true; };
    REQUIRE_THROWS_WITH(bench.run_program(),
                        Contains("leaves in cycle 37 in the model, in cycle 36 in the RTL"));
  }
  SECTION("tag") {
    bench.liar->status = [](TensorStatus* s) { return s->tag += 4, true; };
    REQUIRE_THROWS_WITH(bench.run_program(),
                        Contains("instruction #41: its status is due") && Contains("tag 5"));
  }
  SECTION("none") {
    bench.liar->status = [](TensorStatus*) { return false; };
    REQUIRE_THROWS_WITH(bench.run_program(), Contains("not before cycle 38 in the RTL"));
  }
}

TEST_CASE("lockstep: a wrong word read from PSUM, a port that is not ready") {
  LiarBench bench;
  bench.run_program();
  bench.liar->flip_psum_read = 0x80000000;
  float word;
  PsumTransfer transfer;
  transfer.partition = 2;
  transfer.partitions = 1;
  transfer.column = 3 * 16 + 5;
  transfer.columns = 1;
  transfer.data = &word;
  const auto read = [&] {
    bench.lockstep->psum_start(transfer);
    while (bench.lockstep->psum_busy()) bench.lockstep->advance_to(bench.lockstep->next_event());
  };
  REQUIRE_THROWS_WITH(read(), Contains("row 2 of PSUM bank 3 column 5"));
  bench.liar->flip_psum_read = 0;
  bench.liar->late = true;
  REQUIRE_THROWS_WITH(read(), Contains("it is finished in the model, in flight in the RTL"));
  bench.liar->busy = true;
  REQUIRE_THROWS_WITH(bench.lockstep->ready(),
                      Contains("the model is ready for a command, the RTL is not ready"));
}

TEST_CASE("tensor RTL: unknown configuration, unwritable wave") {
  TestSbuf sbuf(32, 4096);
  TensorRtlOptions options;
  options.sbuf = sbuf.view();
  options.config = "huge";
  REQUIRE_THROWS_AS(make_tensor_rtl(options), UserError);
  REQUIRE_THROWS_WITH(make_tensor_rtl(options), Contains("'huge', expected one of tiny, "));
  options.config = "tiny";
  options.wave.file = "/nonexistent/folder/x.fst";
  REQUIRE_THROWS_WITH(make_tensor_rtl(options),
                      Contains("/nonexistent/folder/x.fst: cannot write"));
}

}  // namespace tern::tb
