// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <ctime>

#include "tb/core/bench/core_bench.h"

using namespace tern;
using namespace tern::tb;
using sc_core::SC_NS;
using sc_core::sc_time;

TEST_CASE("element-wise: completion times are interval + latency, issue is pipelined") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    const auto time_of = [&](unsigned queue, const tern_instruction_t& in, unsigned interval) {
      bench.set_semaphore(0, 0);
      wait(sc_time(10, sc_core::SC_US));
      const sc_time now = sc_core::sc_time_stamp();
      const sc_time start = sc_time(std::ceil(now.to_seconds() * 1e9 / 10) * 10 + 10, SC_NS);
      wait(start - now);
      const auto counted = updates(in, TERN_UPD_OP_INC, 0);
      bench.start(queue, {counted, counted, halt()});
      CHECK(bench.when(0, 1) - start == sc_time(150 + interval + 100, SC_NS));
      CHECK(bench.when(0, 2) - start == sc_time(150 + 2 * interval + 100, SC_NS));
      REQUIRE(bench.finish() == TERN_ERROR_NONE);
    };
    const Operand bf16{ap(place(0, 0), 512), TERN_DTYPE_BF16},
        fp32{ap(place(0, 4096), 512), TERN_DTYPE_FP32},
        psum{ap(place(0, 0, kPsum), 512), TERN_DTYPE_FP32};
    time_of(TERN_QUEUE_SCALAR,
            elementwise(TERN_OPCODE_ACTIVATION, 128, bf16, psum, {}, TERN_ACT_FUNC_RELU, 0, 1),
            512);
    time_of(TERN_QUEUE_VECTOR, elementwise(TERN_OPCODE_TENSOR_COPY, 128, bf16, psum), 512);
    time_of(TERN_QUEUE_VECTOR, elementwise(TERN_OPCODE_TENSOR_COPY, 128, bf16, bf16), 128);
    time_of(TERN_QUEUE_VECTOR,
            elementwise(TERN_OPCODE_TENSOR_TENSOR, 1, fp32, fp32, fp32, TERN_ALU_OP_ADD), 1024);
    time_of(TERN_QUEUE_VECTOR, elementwise(TERN_OPCODE_RECIPROCAL, 1, fp32, fp32), 4096);
  });
}

TEST_CASE("element-wise: the Scalar engine loads tables when a function needs others") {
  CoreConfig config = test_core_config();
  config.table_load_ns = 1300;  // as many cycles
  CoreBench bench(config);
  CoreBench::run(bench, [&] {
    const Operand tile{ap(place(0, 0), 64), TERN_DTYPE_BF16};
    const auto function = [&](unsigned f) {
      return updates(elementwise(TERN_OPCODE_ACTIVATION, 128, tile, tile, {}, f, 0, 1),
                     TERN_UPD_OP_INC, 0);
    };
    bench.start(TERN_QUEUE_SCALAR, {function(TERN_ACT_FUNC_RELU), function(TERN_ACT_FUNC_EXP),
                                    function(TERN_ACT_FUNC_SQUARE), function(TERN_ACT_FUNC_LOG),
                                    function(TERN_ACT_FUNC_GELU), function(TERN_ACT_FUNC_ERF),
                                    function(TERN_ACT_FUNC_EXP), halt()});
    // Relu and square work with any tables, exp and log share theirs, gelu and erf, too.
    const double first = bench.when(0, 1) / sc_time(1, SC_NS);
    const double after[] = {1364, 1428, 1492, 2856, 2920, 4284};
    for (unsigned i = 0; i < std::size(after); ++i)
      CHECK(bench.when(0, i + 2) / sc_time(1, SC_NS) - first == Approx(after[i]));
    REQUIRE(bench.finish() == TERN_ERROR_NONE);
  });
}

TEST_CASE("element-wise: [128 x 512] from PSUM to BF16 is quick on the host") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    const Operand dst{ap(place(0, 0), 512), TERN_DTYPE_BF16},
        src{ap(place(0, 0, kPsum), 512), TERN_DTYPE_FP32};
    const Operand bias{ap(place(0, 4096), 1), TERN_DTYPE_FP32};
    const auto relu =
        elementwise(TERN_OPCODE_ACTIVATION, 128, dst, src, bias, TERN_ACT_FUNC_RELU, 0, 1);
    const auto copy = elementwise(TERN_OPCODE_TENSOR_COPY, 128, dst, src);
    for (const auto& in : {relu, copy}) {
      double best = 1;
      for (int round = 0; round < 5; ++round) {
        const std::clock_t begin = std::clock();  // of this process, however busy the machine
        bench.execute(TERN_QUEUE_SCALAR, Program(100, in));
        const double taken = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
        best = std::min(best, taken / 100);
      }
      WARN("host time per instruction: " << best * 1e6 << " us");
      CHECK(best < 2e-3);  // generous: sanitizers
    }
  });
}
