// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <optional>

#include "systemc/engines/tensor/tensor_model.h"
#include "tb/core/bench/core_bench.h"

using namespace tern;
using namespace tern::tb;
using sc_core::SC_NS;
using sc_core::sc_time;

namespace {

// A datapath whose PSUM transfers take time, as the RTL's do: one column a cycle, data at the
// end.
class SlowPsum : public TensorDatapath {
 public:
  explicit SlowPsum(const DatapathRequest& request) : model_(request.shape, request.sbuf) {}

  const TensorShape& shape() const override { return model_.shape(); }
  std::uint64_t cycle() const override { return model_.cycle(); }
  bool ready() const override { return model_.ready(); }
  void push(const TensorCommand& command) override { model_.push(command); }
  std::uint64_t next_event() const override {
    return transfer_ ? cycle() + 1 : model_.next_event();  // clocked while busy
  }
  void advance_to(std::uint64_t cycle) override {
    REQUIRE(cycle <= next_event());
    // The model refuses to be advanced while it has nothing to do.
    if (model_.next_event() == kIdle) {
      model_.skip_to(cycle);
    } else {
      model_.advance_to(cycle);
    }
    if (transfer_ && cycle >= done_) {
      model_.psum_start(*transfer_);
      transfer_.reset();
    }
  }
  void skip_to(std::uint64_t cycle) override {
    REQUIRE(next_event() == kIdle);
    model_.skip_to(cycle);
  }
  bool pop_status(TensorStatus* status) override { return model_.pop_status(status); }
  void psum_start(const PsumTransfer& transfer) override {
    REQUIRE_FALSE(transfer_.has_value());
    transfer_ = transfer;
    done_ = cycle() + transfer.columns;
  }
  bool psum_busy() const override { return transfer_.has_value(); }
  void set_observer(PsumObserver* observer) override { model_.set_observer(observer); }

 private:
  TensorModel model_;
  std::optional<PsumTransfer> transfer_;
  std::uint64_t done_ = 0;
};

CoreOptions slow_psum() {
  CoreOptions options;
  options.make_datapath = [](const DatapathRequest& request) {
    return std::make_unique<SlowPsum>(request);
  };
  return options;
}

Operand sbuf(unsigned n) {
  return {ap(place(0, 0), n), TERN_DTYPE_FP32};
}
Operand psum(unsigned n) {
  return {ap(place(0, 0, kPsum), n), TERN_DTYPE_FP32};
}

}  // namespace

TEST_CASE("PSUM port: the time of a transfer counts inside the instruction's interval") {
  CoreBench bench(test_core_config(), slow_psum());
  CoreBench::run(bench, [&] {
    // 512 columns at 2 GHz are 256 ns, inside the 512 ns of the copy.
    const auto copy =
        updates(elementwise(TERN_OPCODE_TENSOR_COPY, 4, sbuf(512), psum(512)), TERN_UPD_OP_INC, 0);
    bench.start(TERN_QUEUE_VECTOR, {copy, copy, halt()});
    CHECK(bench.when(0, 1) == sc_time(150 + 512 + 100, SC_NS));
    CHECK(bench.when(0, 2) == sc_time(150 + 2 * 512 + 100, SC_NS));
    REQUIRE(bench.finish() == TERN_ERROR_NONE);
    REQUIRE(bench.write_register(0x804, 1));

    // Reads of 2048 columns for a reduction by rows, then a write: longer than the interval of one
    // cycle per element.
    wait(sc_time(10'000, SC_NS) - sc_core::sc_time_stamp());
    bench.set_semaphore(0, 0);
    const Operand strided{ap(place(0, 0, kPsum), 64, 64),
                          TERN_DTYPE_FP32};  // 4033 columns for 64 elements
    bench.start(
        TERN_QUEUE_VECTOR,
        {updates(elementwise(TERN_OPCODE_TENSOR_COPY, 4, sbuf(64), strided), TERN_UPD_OP_INC, 0),
         halt()});
    // 4033 cycles of 0.5 ns, up to the next edge of the engine's clock.
    CHECK(bench.when(0, 1) == sc_time(10'150 + 2017 + 100, SC_NS));
    REQUIRE(bench.finish() == TERN_ERROR_NONE);
  });
}

TEST_CASE("PSUM port: users alternate, the array keeps working") {
  CoreBench bench(test_core_config(), slow_psum());
  CoreBench::run(bench, [&] {
    bench.poke_psum(0, 0, std::vector<float>(512, 2.5f));
    REQUIRE(sc_core::sc_time_stamp() == sc_time(256, SC_NS));
    wait(sc_time(1000, SC_NS) - sc_core::sc_time_stamp());
    const Operand there{ap(place(0, 8192), 512), TERN_DTYPE_FP32};
    bench.start(
        TERN_QUEUE_VECTOR,
        {updates(elementwise(TERN_OPCODE_TENSOR_COPY, 1, sbuf(512), psum(512)), TERN_UPD_OP_INC, 0),
         halt()});
    bench.start(
        TERN_QUEUE_SCALAR,
        {updates(elementwise(TERN_OPCODE_TENSOR_COPY, 1, there, psum(512)), TERN_UPD_OP_INC, 1),
         halt()});
    const auto load = load_stationary(ap(place(0, 65536), 128), 128, 128);
    const auto multiply =
        multiply_moving(ap(place(0, 65536), 512), ap(place(0, 2048, kPsum), 512), 128, 128);
    bench.start(TERN_QUEUE_TENSOR, {load, updates(multiply, TERN_UPD_OP_INC, 2), halt()});
    CHECK(bench.when(2, 1) ==
          sc_time(1150, SC_NS) + sc_time((1 + 32 + 1 + 512 + 128 + 2) * 0.5, SC_NS));
    CHECK(bench.when(0, 1) == sc_time(1150 + 512 + 100, SC_NS));
    REQUIRE(bench.finish() == TERN_ERROR_NONE);
    CHECK(bench.semaphore(1) == 1);
    CHECK(bench.peek<float>(0, 0, 512) == std::vector<float>(512, 2.5f));
    CHECK(bench.peek<float>(0, 8192, 512) == std::vector<float>(512, 2.5f));
  });
}

TEST_CASE("PSUM port: a back end that needs RTL is refused by name where there is none") {
  DatapathRequest request;
  request.backend = Backend::kRtl;
  CHECK_THROWS_WITH(make_model_datapath(request), Catch::Contains("'rtl'"));
  request.backend = Backend::kBoth;
  CHECK_THROWS_WITH(make_model_datapath(request), Catch::Contains("'both'"));
}
