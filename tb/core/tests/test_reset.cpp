// SPDX-License-Identifier: Apache-2.0
// Resets of a queue and of a core, in any moment: what was under way leaves no trace in semaphores,
// and the next program runs as on a core that has just begun.
#include <catch2/catch.hpp>
#include <cstring>
#include <functional>
#include <random>

#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/registers.h"
#include "tb/common/seed.h"
#include "tb/core/bench/core_bench.h"

using namespace tern;
using namespace tern::tb;
using sc_core::SC_NS;
using sc_core::sc_time;

namespace {

constexpr unsigned kRing = 2;
constexpr std::uint32_t kFrom = 0x100000, kTo = 0x200000, kTx = 0x8000, kRx = 0x9000;

std::uint32_t queue_status(CoreBench& bench, unsigned queue) {
  return bench.read_register(TERN_REG_CORE_QUEUE_STATUS +
                             queue * TERN_REG_CORE_QUEUE_STATUS_STRIDE);
}

bool reset_queue(CoreBench& bench, unsigned queue) {
  return bench.write_register(TERN_REG_CORE_QUEUE_RESET + queue * TERN_REG_CORE_QUEUE_RESET_STRIDE,
                              1);
}

bool is_resetting(CoreBench& bench) {
  return (bench.read_register(TERN_REG_CORE_CORE_STATUS) &
          TERN_REG_CORE_CORE_STATUS_RESETTING_MASK) != 0;
}

void reset_core(CoreBench& bench) {
  REQUIRE(bench.write_register(TERN_REG_CORE_CORE_RESET, 1));
  CHECK(is_resetting(bench));
  unsigned steps = 0;
  for (; is_resetting(bench) && steps < 1000; ++steps) wait(sc_time(100, SC_NS));
  CHECK(steps < 1000);
}

// Sixteen pieces of 4 KiB on ring kRing of engine 0; semaphore 7 has no part in it.
void start_transfer(CoreBench& bench) {
  for (unsigned i = 0; i < 16; ++i) {
    const std::uint32_t control =
        4096u | 1u << TERN_DESC_RING_ID_LSB | 1u << TERN_DESC_FIRST_LSB | 1u << TERN_DESC_LAST_LSB;
    const std::uint64_t tx[2] = {control, kFrom + 4096 * i}, rx[2] = {control, kTo + 4096 * i};
    std::memcpy(&bench.memory[kTx + 16 * i], tx, sizeof tx);
    std::memcpy(&bench.memory[kRx + 16 * i], rx, sizeof rx);
  }
  const auto set = [&](std::uint64_t reg, std::uint32_t value) {
    REQUIRE(bench.access(true, TERN_CORE_DMA_BASE + reg + kRing * 0x40, &value, 4) ==
            tlm::TLM_OK_RESPONSE);
  };
  set(TERN_REG_DMA_RING_TX_BASE, kTx);
  set(TERN_REG_DMA_RING_RX_BASE, kRx);
  set(TERN_REG_DMA_RING_SIZE, 32);
  set(TERN_REG_DMA_RING_TAIL, 16);
}

std::uint32_t ring_status(CoreBench& bench) {
  std::uint32_t status = 0;
  bench.access(false, TERN_CORE_DMA_BASE + TERN_REG_DMA_RING_STATUS + kRing * 0x40, &status, 4);
  return status;
}

// A long program of Vector that counts in semaphore 5 and writes SBUF.
Program busy(unsigned count) {
  Program program;
  for (unsigned i = 0; i < count; ++i) {
    program.push_back(
        updates(elementwise(TERN_OPCODE_MEMSET, 128, {ap(place(0, 64), 100), TERN_DTYPE_FP32}, {},
                            {}, 0, 0, static_cast<float>(i)),
                TERN_UPD_OP_INC, 5));
  }
  program.push_back(halt());
  return program;
}

// Every engine and a transfer; two queues wait forever.
void start_everything(CoreBench& bench) {
  start_transfer(bench);
  bench.start(TERN_QUEUE_VECTOR, busy(40));
  bench.start(TERN_QUEUE_SCALAR, busy(10));
  bench.start(TERN_QUEUE_SYNC, {waits(nop(), TERN_WAIT_COND_EQ, 9, 1), halt()});
  bench.start(TERN_QUEUE_TENSOR,
              {load_stationary(ap(place(0, 1024), 128), 128, 128),
               multiply_moving(ap(place(0, 2048), 128), ap(place(0, 0, kPsum), 128), 128, 128),
               waits(nop(), TERN_WAIT_COND_EQ, 10, 1), halt()});
}

// What the next program does and when it ends, from a start at a whole microsecond.
struct Trace {
  std::vector<double> times;
  std::vector<float> values;
  bool operator==(const Trace& other) const {
    return times == other.times && values == other.values;
  }
};
Trace next_program(CoreBench& bench) {
  const sc_time grid(1, sc_core::SC_US);
  const sc_time start = grid * (std::ceil(sc_core::sc_time_stamp() / grid) + 1);
  wait(start - sc_core::sc_time_stamp());
  Trace trace;
  start_transfer(bench);
  bench.start(TERN_QUEUE_VECTOR, busy(3));
  bench.start(TERN_QUEUE_SCALAR,
              {waits(updates(nop(), TERN_UPD_OP_INC, 6), TERN_WAIT_COND_EQ, 5, 2), halt()});
  for (unsigned n = 1; n <= 3; ++n)
    trace.times.push_back((bench.when(5, n) - start).to_seconds() * 1e15);
  trace.times.push_back((bench.when(6, 1) - start).to_seconds() * 1e15);
  CHECK(bench.finish() == TERN_ERROR_NONE);
  while (ring_status(bench) == TERN_REG_DMA_RING_STATUS_ACTIVE) wait(sc_time(10, SC_NS));
  trace.times.push_back((sc_core::sc_time_stamp() - start).to_seconds() * 1e15);
  trace.values = bench.peek<float>(100, 64, 1);
  trace.values.push_back(static_cast<float>(bench.memory[kTo + 16 * 4096 - 1]));
  return trace;
}

void fill(CoreBench& bench) {
  for (unsigned i = 0; i < 16 * 4096; ++i)
    bench.memory[kFrom + i] = static_cast<std::uint8_t>(i * 7 + i / 4096);
}

}  // namespace

TEST_CASE("reset: a queue that waits forever stops at once, the others continue") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    bench.start(TERN_QUEUE_SYNC, {waits(nop(), TERN_WAIT_COND_EQ, 9, 1), halt()});
    bench.start(TERN_QUEUE_VECTOR, busy(20));
    wait(sc_time(700, SC_NS));
    REQUIRE(reset_queue(bench, TERN_QUEUE_SYNC));
    CHECK(queue_status(bench, TERN_QUEUE_SYNC) == TERN_REG_CORE_QUEUE_STATUS_STOPPING);
    wait(sc_time(1, SC_NS));
    CHECK(queue_status(bench, TERN_QUEUE_SYNC) == TERN_REG_CORE_QUEUE_STATUS_IDLE);
    // It no longer holds back the interrupt.
    CHECK(bench.finish() == TERN_ERROR_NONE);
    CHECK(bench.semaphore(5) == 20);
    bench.set_semaphore(9, 1);
    bench.start(TERN_QUEUE_SYNC, {waits(nop(), TERN_WAIT_COND_EQ, 9, 1), halt()});
    CHECK(bench.finish() == TERN_ERROR_NONE);
    REQUIRE(reset_queue(bench, TERN_QUEUE_SYNC));  // of a halted one
    CHECK(queue_status(bench, TERN_QUEUE_SYNC) == TERN_REG_CORE_QUEUE_STATUS_IDLE);
  });
}

TEST_CASE("reset: what a queue had issued changes no semaphore, and it can be started when idle") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    bench.start(TERN_QUEUE_VECTOR, busy(40));
    bench.when(5, 3);
    REQUIRE(reset_queue(bench, TERN_QUEUE_VECTOR));
    CHECK_FALSE(bench.write_register(
        TERN_REG_CORE_QUEUE_START + TERN_REG_CORE_QUEUE_START_STRIDE * TERN_QUEUE_VECTOR, 1));
    unsigned steps = 0;
    while (queue_status(bench, TERN_QUEUE_VECTOR) != TERN_REG_CORE_QUEUE_STATUS_IDLE) {
      wait(sc_time(10, SC_NS));
      REQUIRE(++steps < 1000);
    }
    CHECK(steps > 0);
    CHECK(bench.semaphore(5) == 3);
    CHECK(bench.read_register(TERN_REG_CORE_CORE_STATUS) == 0);
    bench.set_semaphore(5, 0);
    bench.start(TERN_QUEUE_VECTOR, busy(4));
    CHECK(bench.finish() == TERN_ERROR_NONE);
    CHECK(bench.semaphore(5) == 4);
  });
}

TEST_CASE("reset: the very first instruction leaves no trace either") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    bench.start(TERN_QUEUE_VECTOR, busy(1));
    wait(sc_time(200, SC_NS));
    CHECK(bench.core.queue(TERN_QUEUE_VECTOR).executed_instructions() == 1);
    REQUIRE(bench.semaphore(5) == 0);
    REQUIRE(reset_queue(bench, TERN_QUEUE_VECTOR));
    wait(sc_time(10, sc_core::SC_US));
    CHECK(bench.semaphore(5) == 0);
    CHECK(bench.peek<float>(0, 64, 1)[0] == 0.0f);
  });
}

TEST_CASE("reset: a queue in error") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    tern_instruction_t bad = nop();
    bad.header.opcode = 0xee;
    bench.start(TERN_QUEUE_SCALAR, {bad});
    CHECK(bench.finish() == TERN_ERROR_ILLEGAL_OPCODE);
    REQUIRE(reset_queue(bench, TERN_QUEUE_SCALAR));
    CHECK(queue_status(bench, TERN_QUEUE_SCALAR) == TERN_REG_CORE_QUEUE_STATUS_IDLE);
    REQUIRE(bench.write_register(TERN_REG_CORE_IRQ_CLEAR, 1));
    bench.execute(TERN_QUEUE_SCALAR, {nop()});
  });
}

TEST_CASE("reset: a core in any moment runs the next program as a new one") {
  Trace expected;
  {
    CoreBench fresh(test_core_config(), {}, nullptr, bench_name());
    CoreBench::run(fresh, [&] {
      fill(fresh);
      expected = next_program(fresh);
      // And what remains is the same core, again and again.
      std::mt19937_64 random(test_seed());
      for (unsigned round = 0; round < 40; ++round) {
        const unsigned cut = static_cast<unsigned>(random() % 4000);
        INFO("seed " << test_seed() << ", round " << round << ", reset after " << cut << " ns");
        reset_core(fresh);
        start_everything(fresh);
        wait(sc_time(cut, SC_NS));
        reset_core(fresh);
        REQUIRE(fresh.read_register(TERN_REG_CORE_CORE_STATUS) == 0);
        REQUIRE_FALSE(fresh.irq.read());
        for (unsigned s = 0; s < 256; ++s) REQUIRE(fresh.semaphore(s) == 0);
        REQUIRE(ring_status(fresh) == TERN_REG_DMA_RING_STATUS_ABORTED);
        std::fill_n(&fresh.memory[kTo], 16 * 4096, std::uint8_t{0});
        const Trace seen = next_program(fresh);
        REQUIRE(seen.times == expected.times);
        REQUIRE(seen.values == expected.values);
      }
    });
  }
}

TEST_CASE("reset: nothing is written after it") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    fill(bench);
    start_everything(bench);
    wait(sc_time(600, SC_NS));
    reset_core(bench);
    const std::vector<std::uint8_t> memory = bench.memory;
    const std::vector<float> sbuf = bench.peek<float>(3, 64, 100);
    wait(sc_time(100, sc_core::SC_US));
    CHECK(memory == bench.memory);
    CHECK(sbuf == bench.peek<float>(3, 64, 100));
    CHECK(memory[kTo + 16 * 4096 - 1] == 0);  // it had not come so far
    for (unsigned s = 0; s < 256; ++s) REQUIRE(bench.semaphore(s) == 0);
  });
}

TEST_CASE("reset: a core that resets starts no queue, and a second reset joins the first") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    start_everything(bench);
    wait(sc_time(300, SC_NS));
    REQUIRE(bench.write_register(TERN_REG_CORE_CORE_RESET, 1));
    REQUIRE(bench.write_register(TERN_REG_CORE_CORE_RESET, 1));
    REQUIRE(bench.write_register(TERN_REG_CORE_CORE_RESET, 0));
    CHECK_FALSE(bench.write_register(TERN_REG_CORE_CORE_RESET, 2));
    CHECK_FALSE(bench.write_register(TERN_REG_CORE_QUEUE_START, 1));
    wait(sc_time(50, sc_core::SC_US));
    CHECK(bench.read_register(TERN_REG_CORE_CORE_STATUS) == 0);
    bench.execute(TERN_QUEUE_SYNC, {nop()});
  });
}
