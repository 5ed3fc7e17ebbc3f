// SPDX-License-Identifier: Apache-2.0
// Events: one bit each, next to the semaphores. Set and cleared by instructions and registers,
// waited for by instructions.
#include <catch2/catch.hpp>

#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/registers.h"
#include "tb/core/bench/core_bench.h"

using namespace tern;
using namespace tern::tb;
using sc_core::SC_NS;
using sc_core::sc_time;

namespace {

constexpr unsigned kAllQueues[] = {TERN_QUEUE_TENSOR, TERN_QUEUE_VECTOR, TERN_QUEUE_SCALAR,
                                   TERN_QUEUE_GPSIMD, TERN_QUEUE_SYNC};

std::uint32_t event(CoreBench& bench, unsigned index) {
  return bench.read_register(TERN_REG_CORE_EVENT_READ + 4 * index);
}
bool set(CoreBench& bench, unsigned index, std::uint32_t data = 1) {
  return bench.write_register(TERN_REG_CORE_EVENT_SET + 4 * index, data);
}
bool clear(CoreBench& bench, unsigned index, std::uint32_t data = 1) {
  return bench.write_register(TERN_REG_CORE_EVENT_CLEAR + 4 * index, data);
}
void clear_interrupt(CoreBench& bench) {
  REQUIRE(bench.write_register(TERN_REG_CORE_IRQ_CLEAR, 1));
}

}  // namespace

TEST_CASE("core events: by registers, one bit each, apart from the semaphores") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    for (unsigned index : {0u, 7u, 255u}) {
      CHECK(event(bench, index) == 0);
      CHECK_FALSE(clear(bench, index));  // it is
      CHECK(set(bench, index));
      CHECK_FALSE(set(bench, index));
      CHECK(event(bench, index) == 1);
      CHECK(bench.semaphore(index) == 0);
      CHECK(event(bench, index ^ 1) == 0);
      CHECK_FALSE(clear(bench, index, 0));
      CHECK_FALSE(clear(bench, index, 2));
      CHECK(event(bench, index) == 1);
      CHECK(clear(bench, index));
      CHECK_FALSE(set(bench, index, 0));
      CHECK_FALSE(set(bench, index, 3));
      CHECK(event(bench, index) == 0);
    }
    bench.set_semaphore(7, 5);
    CHECK(event(bench, 7) == 0);
  });
}

TEST_CASE("core events: instructions of every queue wait for, set and clear them") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    for (unsigned queue : kAllQueues) {
      bench.set_semaphore(40, 1);  // the semaphore of this number has no part in it
      bench.start(
          queue,
          {updates(waits(nop(), TERN_WAIT_COND_EVENT, 40, 1), TERN_UPD_OP_CLEAR_EVENT, 40),
           updates(waits(nop(), TERN_WAIT_COND_EVENT, 40, 0), TERN_UPD_OP_SET_EVENT, 41), halt()});
      wait(sc_time(500, SC_NS));
      CHECK(bench.read_register(TERN_REG_CORE_QUEUE_WAIT + queue * 0x100) ==
            (40 | TERN_WAIT_COND_EVENT << TERN_REG_CORE_QUEUE_WAIT_CONDITION_LSB));
      CHECK(bench.read_register(TERN_REG_CORE_QUEUE_WAIT_VALUE + queue * 0x100) == 1);
      CHECK(bench.core.describe_stall().find("waits for event 40 == 1, which is 0") !=
            std::string::npos);
      CHECK(event(bench, 41) == 0);
      CHECK(set(bench, 40));
      REQUIRE(bench.finish() == TERN_ERROR_NONE);
      CHECK(event(bench, 40) == 0);
      CHECK(event(bench, 41) == 1);
      CHECK(clear(bench, 41));
      clear_interrupt(bench);
    }
  });
}

TEST_CASE("core events: a queue sees a change as late as that of a semaphore") {
  CoreConfig config = test_core_config();
  config.semaphore_latency_ns = 30;
  CoreBench bench(config);
  // The same two queues with a semaphore and with an event.
  const auto gap = [&](const tern_instruction_t& first, const tern_instruction_t& second) {
    bench.set_semaphore(1, 0);
    bench.set_semaphore(2, 0);
    bench.start(TERN_QUEUE_SYNC, {second, halt()});
    bench.start(TERN_QUEUE_VECTOR, {first, updates(nop(), TERN_UPD_OP_INC, 1), halt()});
    const sc_time at = bench.when(1, 1), then = bench.when(2, 1);
    REQUIRE(bench.finish() == TERN_ERROR_NONE);
    clear_interrupt(bench);
    return then - at;
  };
  CoreBench::run(bench, [&] {
    const auto reports = [](tern_instruction_t in) { return updates(in, TERN_UPD_OP_INC, 2); };
    const sc_time by_semaphore =
        gap(updates(nop(), TERN_UPD_OP_INC, 9), reports(waits(nop(), TERN_WAIT_COND_EQ, 9, 1)));
    const sc_time by_event = gap(updates(nop(), TERN_UPD_OP_SET_EVENT, 9),
                                 reports(waits(nop(), TERN_WAIT_COND_EVENT, 9, 1)));
    CHECK(by_event == by_semaphore);
  });
}

TEST_CASE("core events: setting a set one and clearing a clear one are errors") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    CHECK(bench.fails(TERN_QUEUE_VECTOR,
                      {updates(nop(), TERN_UPD_OP_SET_EVENT, 9),
                       updates(nop(), TERN_UPD_OP_SET_EVENT, 9), halt()},
                      TERN_ERROR_EVENT_REPEATED, 1) == 9);
    CHECK(event(bench, 9) == 1);
    CHECK(bench.fails(TERN_QUEUE_TENSOR, {updates(nop(), TERN_UPD_OP_CLEAR_EVENT, 250), halt()},
                      TERN_ERROR_EVENT_REPEATED, 0) == 250);
    CHECK(event(bench, 250) == 0);
  });
}

TEST_CASE("core events: a reset of the core clears them, one of a queue does not") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    CHECK(set(bench, 3));
    CHECK(set(bench, 255));
    REQUIRE(bench.write_register(TERN_REG_CORE_QUEUE_RESET, 1));
    wait(sc_time(1, sc_core::SC_US));
    CHECK(event(bench, 3) == 1);
    REQUIRE(bench.write_register(TERN_REG_CORE_CORE_RESET, 1));
    wait(sc_time(1, sc_core::SC_US));
    CHECK(event(bench, 3) == 0);
    CHECK(event(bench, 255) == 0);
    CHECK(set(bench, 3));
  });
}
