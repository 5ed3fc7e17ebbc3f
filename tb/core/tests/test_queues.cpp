// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sw/spec/generated/registers.h"
#include "tb/core/bench/core_bench.h"

using namespace tern;
using namespace tern::tb;
using sc_core::SC_NS;
using sc_core::sc_time;
using sc_core::sc_time_stamp;

namespace {

constexpr unsigned kAllQueues[] = {TERN_QUEUE_TENSOR, TERN_QUEUE_VECTOR, TERN_QUEUE_SCALAR,
                                   TERN_QUEUE_GPSIMD, TERN_QUEUE_SYNC};

std::uint32_t queue_status(CoreBench& bench, unsigned queue) {
  return bench.read_register(TERN_REG_CORE_QUEUE_STATUS +
                             queue * TERN_REG_CORE_QUEUE_STATUS_STRIDE);
}

}  // namespace

TEST_CASE("core: a program of one halt starts, halts, interrupts and can be started again") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    for (int round = 0; round < 2; ++round) {
      for (unsigned queue : kAllQueues) {
        bench.start(queue, {halt()});
        CHECK(queue_status(bench, queue) == 1);
        CHECK(bench.read_register(TERN_REG_CORE_CORE_STATUS) == 1);
        REQUIRE(bench.finish() == TERN_ERROR_NONE);
        CHECK(queue_status(bench, queue) == 2);
        CHECK(bench.read_register(TERN_REG_CORE_CORE_STATUS) == 2);
        REQUIRE(bench.write_register(TERN_REG_CORE_IRQ_CLEAR, 1));
        wait(sc_time(1, SC_NS));
        CHECK_FALSE(bench.irq.read());
      }
    }
  });
}

TEST_CASE("core: the interrupt waits for all started queues") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    bench.start(TERN_QUEUE_SYNC, {waits(halt(), TERN_WAIT_COND_EQ, 9, 1)});
    bench.start(TERN_QUEUE_VECTOR, {halt()});
    wait(sc_time(1, sc_core::SC_US));
    CHECK(queue_status(bench, TERN_QUEUE_VECTOR) == 2);
    CHECK_FALSE(bench.irq.read());
    CHECK(bench.read_register(TERN_REG_CORE_CORE_STATUS) == (1 | 8));  // only the host can help
    bench.set_semaphore(9, 1);
    CHECK(bench.finish() == TERN_ERROR_NONE);
  });
}

TEST_CASE("core: every wait condition, on every queue") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    struct Case {
      unsigned condition;
      std::uint32_t operand, blocked, free;
    };
    // Values at both sides of the boundary; unsigned comparison.
    const Case cases[] = {
        {TERN_WAIT_COND_EQ, 5, 4, 5},
        {TERN_WAIT_COND_NE, 5, 5, 6},
        {TERN_WAIT_COND_GE, 5, 4, 5},
        {TERN_WAIT_COND_GT, 5, 5, 6},
        {TERN_WAIT_COND_LE, 5, 6, 5},
        {TERN_WAIT_COND_LT, 5, 5, 4},
        {TERN_WAIT_COND_GT, 0x7FFFFFFF, 1, 0x80000000},
        {TERN_WAIT_COND_LT, 0x80000000, 0xFFFFFFFF, 0},
    };
    for (unsigned queue : kAllQueues) {
      for (const Case& c : cases) {
        bench.set_semaphore(200, c.blocked);
        bench.set_semaphore(201, 0);
        bench.start(queue,
                    {waits(updates(nop(), TERN_UPD_OP_WR_IMM, 201, 1), c.condition, 200, c.operand),
                     halt()});
        wait(sc_time(500, SC_NS));
        CHECK(bench.semaphore(201) == 0);
        CHECK_FALSE(bench.core.describe_stall().empty());
        bench.set_semaphore(200, c.free);
        REQUIRE(bench.finish() == TERN_ERROR_NONE);
        CHECK(bench.semaphore(201) == 1);
        REQUIRE(bench.write_register(TERN_REG_CORE_IRQ_CLEAR, 1));
      }
    }
  });
}

TEST_CASE("core: a condition that held for a moment is enough") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    bench.start(TERN_QUEUE_SYNC, {waits(nop(), TERN_WAIT_COND_EQ, 3, 1), halt()});
    wait(sc_time(500, SC_NS));
    bench.set_semaphore(3, 1);
    bench.set_semaphore(3, 2);
    CHECK(bench.finish() == TERN_ERROR_NONE);
  });
}

TEST_CASE("core: every semaphore update, by instructions and by registers") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    struct Case {
      unsigned op, value;
      std::uint32_t before, after;
    };
    const Case cases[] = {{TERN_UPD_OP_NONE, 7, 5, 5},
                          {TERN_UPD_OP_INC, 7, 5, 6},
                          {TERN_UPD_OP_DEC, 7, 5, 4},
                          {TERN_UPD_OP_ADD_IMM, 65535, 5, 65540},
                          {TERN_UPD_OP_SUB_IMM, 5, 5, 0},
                          {TERN_UPD_OP_WR_IMM, 65535, 5, 65535},
                          {TERN_UPD_OP_INC, 0, 0xFFFFFFFE, 0xFFFFFFFF}};
    for (unsigned queue : kAllQueues) {
      for (const Case& c : cases) {
        bench.set_semaphore(255, c.before);
        bench.execute(queue, {updates(nop(), c.op, 255, c.value)});
        CHECK(bench.semaphore(255) == c.after);
      }
      bench.set_semaphore(255, 5);
      bench.start(queue, {updates(halt(), TERN_UPD_OP_INC, 255)});  // a halt updates as well
      REQUIRE(bench.finish() == TERN_ERROR_NONE);
      CHECK(bench.semaphore(255) == 6);
      REQUIRE(bench.write_register(TERN_REG_CORE_IRQ_CLEAR, 1));
    }
    CHECK(bench.write_register(TERN_REG_CORE_SEMAPHORE_INC + 4 * 17, 16));
    CHECK(bench.write_register(TERN_REG_CORE_SEMAPHORE_DEC + 4 * 17, 3));
    CHECK(bench.semaphore(17) == 13);
    CHECK_FALSE(bench.write_register(TERN_REG_CORE_SEMAPHORE_DEC + 4 * 17, 14));
    CHECK(bench.write_register(TERN_REG_CORE_SEMAPHORE_SET + 4 * 17, 0xFFFFFFFF));
    CHECK_FALSE(bench.write_register(TERN_REG_CORE_SEMAPHORE_INC + 4 * 17, 1));
    CHECK(bench.semaphore(17) == 0xFFFFFFFF);
  });
}

TEST_CASE("core: completion times of control instructions") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    // First block: 100 ns fetch latency + 50 ns memory. Then 64 cycles interval and 100 cycles
    // latency at 1 GHz.
    wait(sc_time(1000, SC_NS) - sc_time_stamp());
    bench.start(TERN_QUEUE_SYNC,
                {updates(nop(), TERN_UPD_OP_INC, 0), updates(nop(), TERN_UPD_OP_INC, 0),
                 updates(halt(), TERN_UPD_OP_INC, 3)});
    CHECK(bench.when(0, 1) == sc_time(1000 + 150 + 64 + 100, SC_NS));
    CHECK(bench.when(0, 2) == sc_time(1000 + 150 + 2 * 64 + 100, SC_NS));  // issue is pipelined
    CHECK(bench.when(3, 1) ==
          sc_time(1000 + 150 + 2 * 64 + 100, SC_NS));  // a halt waits for all before it
    REQUIRE(bench.finish() == TERN_ERROR_NONE);
    REQUIRE(bench.write_register(TERN_REG_CORE_IRQ_CLEAR, 1));

    // A wait that ends between two clock edges: the start moves to the next edge.
    wait(sc_time(3000, SC_NS) - sc_time_stamp());
    bench.set_semaphore(1, 0);
    bench.start(TERN_QUEUE_VECTOR,
                {waits(updates(nop(), TERN_UPD_OP_INC, 1), TERN_WAIT_COND_EQ, 2, 7), halt()});
    wait(sc_time(500, SC_NS) + sc_time(1, sc_core::SC_PS));
    bench.set_semaphore(2, 7);
    CHECK(bench.when(1, 1) == sc_time(3501 + 164, SC_NS));
    REQUIRE(bench.finish() == TERN_ERROR_NONE);
    REQUIRE(bench.write_register(TERN_REG_CORE_IRQ_CLEAR, 1));

    // Tensor queue at 2 GHz: a nop takes one cycle.
    wait(sc_time(5000, SC_NS) - sc_time_stamp());
    bench.set_semaphore(0, 0);
    bench.start(TERN_QUEUE_TENSOR,
                {updates(nop(), TERN_UPD_OP_INC, 0), updates(nop(), TERN_UPD_OP_INC, 0), halt()});
    CHECK(bench.when(0, 1) == sc_time(5150.5, SC_NS));
    CHECK(bench.when(0, 2) == sc_time(5151, SC_NS));
    REQUIRE(bench.finish() == TERN_ERROR_NONE);
  });
}

TEST_CASE("core: instructions are fetched in blocks of 64, one block ahead") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    Program program(150, updates(nop(), TERN_UPD_OP_INC, 0));
    program.push_back(halt());
    bench.start(TERN_QUEUE_GPSIMD, program);
    const sc_time start = sc_time_stamp();
    // 64 cycles an instruction hide the memory's 50 ns completely.
    CHECK(bench.when(0, 150) - start == sc_time(150 + 150 * 64 + 100, SC_NS));
    CHECK(bench.fetches == 3);
    CHECK(bench.last_fetch_bytes == 64 * (151 - 128));
    REQUIRE(bench.finish() == TERN_ERROR_NONE);
    REQUIRE(bench.write_register(TERN_REG_CORE_IRQ_CLEAR, 1));

    // The tensor queue runs 64 nops in 32 ns: it waits for the prefetched block.
    bench.set_semaphore(0, 0);
    wait(sc_time(100'000, SC_NS) - sc_time_stamp());
    bench.start(TERN_QUEUE_TENSOR, program);
    CHECK(bench.when(0, 64) == sc_time(100'000 + 150 + 32, SC_NS));
    CHECK(bench.when(0, 65) == sc_time(100'000 + 150 + 50 + 0.5, SC_NS));
    REQUIRE(bench.finish() == TERN_ERROR_NONE);
  });
}

TEST_CASE("core: queues run side by side and meet by semaphores") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    // A ring of five queues passes a token round 20 times.
    constexpr unsigned kRounds = 20;
    for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
      Program program;
      const unsigned next = (q + 1) % TERN_QUEUE_COUNT;
      for (unsigned i = 1; i <= kRounds; ++i) {
        program.push_back(waits(updates(nop(), TERN_UPD_OP_INC, next), TERN_WAIT_COND_GE, q, i));
      }
      program.push_back(halt());
      bench.start(q, program);
    }
    bench.set_semaphore(0, 1);
    REQUIRE(bench.finish() == TERN_ERROR_NONE);
    CHECK(bench.semaphore(0) == kRounds + 1);
    for (unsigned q = 1; q < TERN_QUEUE_COUNT; ++q) CHECK(bench.semaphore(q) == kRounds);
  });
}

TEST_CASE("core: describe_stall names queue, instruction, condition and value") {
  CoreOptions options;
  options.describe = [](unsigned queue, unsigned index) {
    return "kernel.cpp:" + std::to_string(10 * queue + index) + ": sync";
  };
  CoreBench bench(test_core_config(), options);
  CoreBench::run(bench, [&] {
    CHECK(bench.core.describe_stall().empty());
    bench.start(TERN_QUEUE_SCALAR, {nop(), waits(nop(), TERN_WAIT_COND_GE, 42, 16), halt()});
    CHECK(bench.core.describe_stall() == "bench.core scalar: instruction 0 is being fetched");
    wait(sc_time(160, SC_NS));
    CHECK(bench.core.describe_stall() ==
          "bench.core scalar: instruction 0 (nop, kernel.cpp:20: sync) is in execution");
    wait(sc_time(1, sc_core::SC_US));
    bench.set_semaphore(42, 15);
    bench.start(TERN_QUEUE_SYNC, {waits(halt(), TERN_WAIT_COND_EQ, 1, 1)});
    wait(sc_time(1, sc_core::SC_US));
    CHECK(bench.core.describe_stall() ==
          "bench.core scalar: instruction 1 (nop, kernel.cpp:21: sync) waits for semaphore 42 >= "
          "16, which is 15\n"
          "bench.core sync: instruction 0 (halt, kernel.cpp:40: sync) waits for semaphore 1 == 1, "
          "which is 0");
  });
}
