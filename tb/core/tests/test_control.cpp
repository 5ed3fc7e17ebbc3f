// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "sw/spec/generated/registers.h"
#include "tb/core/bench/core_bench.h"

using namespace tern;
using namespace tern::tb;
using sc_core::SC_NS;
using sc_core::sc_time;
using sc_core::sc_time_stamp;

namespace {

constexpr unsigned kSync = TERN_QUEUE_SYNC, kVector = TERN_QUEUE_VECTOR;

tern_instruction_t extend_by(unsigned dst, unsigned src0 = 0, unsigned wait = 0, unsigned num = 0) {
  tern_instruction_t in = extend();
  in.extend.dst_reg = static_cast<std::uint8_t>(dst);
  in.extend.src0_reg = static_cast<std::uint8_t>(src0);
  in.extend.wait_reg = static_cast<std::uint8_t>(wait);
  in.extend.num_reg = static_cast<std::uint8_t>(num);
  return in;
}

tern_instruction_t store(unsigned reg, std::uint32_t byte) {
  return register_memory(TERN_OPCODE_REGISTER_STORE, reg, place(0, byte));
}

// Nanoseconds from semaphore 1 becoming 1 to semaphore 2 becoming 1, around some instructions of
// the sync queue (1 GHz, 64 cycles per instruction).
double duration(CoreBench& bench, const Program& middle) {
  bench.set_semaphore(1, 0);
  bench.set_semaphore(2, 0);
  Program program{updates(nop(), TERN_UPD_OP_INC, 1)};
  program.insert(program.end(), middle.begin(), middle.end());
  program.push_back(updates(nop(), TERN_UPD_OP_INC, 2));
  program.push_back(halt());
  bench.start(kSync, program);
  const sc_time begin = bench.when(1, 1), end = bench.when(2, 1);
  REQUIRE(bench.finish() == TERN_ERROR_NONE);
  REQUIRE(bench.write_register(TERN_REG_CORE_IRQ_CLEAR, 1));
  wait(sc_time(1, SC_NS));
  return (end - begin).to_seconds() * 1e9;
}

}  // namespace

TEST_CASE("control: registers are zero at the start, register 0 always") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    bench.poke<std::uint32_t>(0, 0, {1, 2, 3});
    bench.execute(kSync, {store(7, 0), set_register(7, 5), store(7, 4), store(0, 8)});
    CHECK(bench.peek<std::uint32_t>(0, 0, 3) == std::vector<std::uint32_t>{0, 5, 0});
    bench.execute(kSync, {store(7, 4)});
    CHECK(bench.peek<std::uint32_t>(0, 4, 1) == std::vector<std::uint32_t>{0});
  });
}

TEST_CASE("control: time of control instructions, and none of the iterations of a loop") {
  CoreConfig config = test_core_config();
  config.control = {80, 100};
  CoreBench bench(config);
  CoreBench::run(bench, [&] {
    const double one = duration(bench, {});
    CHECK(one == Approx(64));  // the interval of the nop
    // The sequencer works ahead while the engine is busy: 80 instead of 64 for one, 160 for two.
    CHECK(duration(bench, {set_register(1, 1)}) == Approx(80));
    CHECK(duration(bench, {set_register(1, 1), set_register(1, 1)}) == Approx(160));
    // What touches SBUF or semaphores does not.
    CHECK(duration(bench, {store(1, 0)}) == Approx(64 + 180));
    CHECK(duration(bench, {updates(set_register(1, 1), TERN_UPD_OP_INC, 9)}) == Approx(64 + 80));
    // 80 for the loop itself after the first nop.
    CHECK(duration(bench, {loop(1, 10), nop()}) == Approx(80 + 10 * 64));
    CHECK(duration(bench, {loop(2, 10), set_register(1, 1), nop()}) ==
          Approx(80 + 80 + 9 * 80 + 64));
    CHECK(duration(bench, {loop(1, 0), nop()}) == Approx(80));
  });
}

TEST_CASE("control: eight loops inside one another, a ninth is an error") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    const auto nested = [](unsigned depth) {
      Program program{loop(depth, 2)};
      for (unsigned d = 1; d < depth; ++d) program.push_back(loop(depth - d, 2));
      program.push_back(register_alu(TERN_REGISTER_OP_ADD, 1, 1, 0, 1));
      program.push_back(store(1, 0));
      program.push_back(halt());
      return program;
    };
    Program eight = nested(8);
    eight.pop_back();
    bench.execute(kSync, eight);
    CHECK(bench.peek<std::uint32_t>(0, 0, 1)[0] == 256);
    CHECK(bench.fails(kSync, nested(9), TERN_ERROR_CONTROL_FLOW, 8) ==
          TERN_CONTROL_FAULT_LOOP_DEPTH);
  });
}

TEST_CASE("control: faults name their location and their reason") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    const auto flow = [&](const Program& program, unsigned index) {
      return bench.fails(kSync, program, TERN_ERROR_CONTROL_FLOW, index);
    };
    const unsigned always = TERN_BRANCH_COND_ALWAYS;
    CHECK(flow({nop(), branch(always, -2), halt()}, 1) == TERN_CONTROL_FAULT_BRANCH_PROGRAM);
    CHECK(flow({nop(), branch(always, 2), halt()}, 1) == TERN_CONTROL_FAULT_BRANCH_PROGRAM);
    CHECK(flow({nop(), branch(always, INT32_MIN), halt()}, 1) == TERN_CONTROL_FAULT_BRANCH_PROGRAM);
    // Out of a body: before it, onto the loop itself, onto its end; of the inner one counts.
    CHECK(flow({nop(), loop(2, 1), nop(), branch(always, -3), halt()}, 3) ==
          TERN_CONTROL_FAULT_BRANCH_LOOP);
    CHECK(flow({loop(2, 1), nop(), branch(always, -2), halt()}, 2) ==
          TERN_CONTROL_FAULT_BRANCH_LOOP);
    CHECK(flow({loop(1, 1), branch(always, 1), halt()}, 1) == TERN_CONTROL_FAULT_BRANCH_LOOP);
    CHECK(flow({loop(3, 1), loop(1, 1), branch(always, 1), nop(), halt()}, 2) ==
          TERN_CONTROL_FAULT_BRANCH_LOOP);
    CHECK(flow({loop(2, 1), halt()}, 0) == TERN_CONTROL_FAULT_LOOP_BODY);
    CHECK(flow({loop(UINT32_MAX, 1), halt()}, 0) == TERN_CONTROL_FAULT_LOOP_BODY);
    CHECK(flow({loop(2, 1), loop(2, 0), nop(), halt()}, 1) == TERN_CONTROL_FAULT_LOOP_BODY);
    CHECK(flow({loop(1, 1), extend(), nop(), halt()}, 1) == TERN_CONTROL_FAULT_EXTEND);

    const auto field = [&](tern_instruction_t in, std::size_t byte, unsigned value) {
      in.bytes[byte] = static_cast<std::uint8_t>(value);
      CHECK(bench.fails(kSync, {in, halt()}, TERN_ERROR_ILLEGAL_FIELD, 0) == byte);
    };
    using Alu = tern_instr_register_alu_t;
    field(set_register(1, 0), offsetof(Alu, dst), 0);
    field(set_register(1, 0), offsetof(Alu, dst), 64);
    field(set_register(1, 0), offsetof(Alu, a), 64);
    field(set_register(1, 0), offsetof(Alu, b), 64);
    field(set_register(1, 0), offsetof(Alu, op), TERN_REGISTER_OP_MAX + 1);
    field(set_register(1, 0), offsetof(Alu, pad), 1);
    using Loop = tern_instr_loop_t;
    field(loop(0, 1), offsetof(Loop, length), 0);
    field(loop(1, 1), offsetof(Loop, counter), 64);
    field(loop(1, 1), offsetof(Loop, count_reg), 64);
    field(loop(1, 1), offsetof(Loop, start_reg), 64);
    field(loop(1, 1), 63, 1);
    using Branch = tern_instr_branch_t;
    field(branch(0, 1), offsetof(Branch, cond), TERN_BRANCH_COND_GEU + 1);
    field(branch(0, 1), offsetof(Branch, a), 64);
    field(branch(0, 1), offsetof(Branch, b), 64);
    field(branch(0, 1), offsetof(Branch, reserved), 1);

    using Memory = tern_instr_register_memory_t;
    const auto load = [](std::uint32_t addr, unsigned addr_reg = 0) {
      return register_memory(TERN_OPCODE_REGISTER_LOAD, 1, addr, addr_reg);
    };
    field(load(0), offsetof(Memory, reg), 0);
    field(load(0), offsetof(Memory, reg), 64);
    field(load(0), offsetof(Memory, addr_reg), 64);
    field(load(0), offsetof(Memory, reserved), 1);
    CHECK(bench.fails(kSync, {load(place(0, 0, kPsum)), halt()}, TERN_ERROR_FORBIDDEN_MEMORY, 0) ==
          offsetof(Memory, addr));
    for (const int byte : {-4, 2, 256 * 1024}) {
      CHECK(bench.fails(kSync,
                        {set_register(1, static_cast<std::uint32_t>(byte)), load(0, 1), halt()},
                        TERN_ERROR_BAD_ACCESS_PATTERN, 1) == offsetof(Memory, addr));
    }
  });
}

TEST_CASE("control: an endless loop of control instructions is an error, not a hang") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    const unsigned always = TERN_BRANCH_COND_ALWAYS;
    for (const Program& program :
         {Program{nop(), branch(always, 0), halt()},
          Program{nop(), set_register(1, 1), branch(always, -1), halt()},
          Program{nop(), loop(1, UINT32_MAX), set_register(1, 1), halt()}}) {
      bench.start(kSync, program);
      wait(sc_time(100, sc_core::SC_MS), bench.irq.posedge_event());
      REQUIRE(bench.finish() == TERN_ERROR_CONTROL_FLOW);
      CHECK(bench.read_register(TERN_REG_CORE_ERROR_DETAIL) == TERN_CONTROL_FAULT_ENDLESS);
      CHECK(bench.read_register(TERN_REG_CORE_ERROR_INDEX) >= 1);
      REQUIRE(bench.write_register(TERN_REG_CORE_IRQ_CLEAR, 1));
      wait(sc_time(1, SC_NS));
    }
  });
}

TEST_CASE("control: a loop's body is fetched once, as long as it fits") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    // 600 instructions: 10 blocks, then 1100: 18 blocks, which do not all stay.
    const auto fetches = [&](unsigned body, unsigned iterations) {
      Program program{loop(body, iterations)};
      program.resize(1 + body, nop());
      const unsigned before = bench.fetches;
      bench.execute(TERN_QUEUE_TENSOR, program);
      return bench.fetches - before;
    };
    CHECK(fetches(600, 5) == 10);
    CHECK(fetches(1100, 1) == 18);
    CHECK(fetches(1100, 3) > 18 + 2);
  });
}

TEST_CASE("control: a far jump costs the latency of a first fetch") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    Program near{branch(TERN_BRANCH_COND_ALWAYS, 1)};
    Program far{branch(TERN_BRANCH_COND_ALWAYS, 301)};
    far.resize(301, nop());
    // 100 ns and 50 ns of the memory, from the time of the branch on.
    CHECK(duration(bench, far) - duration(bench, near) == Approx(150 + 16 - 64).margin(65));
    CHECK(duration(bench, near) == Approx(64));
  });
}

TEST_CASE("control: a loop over tiles with addresses, length and wait value from registers") {
  constexpr unsigned kTiles = 12, kColumns = 16;
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::vector<float> values(kTiles * kColumns);
    std::iota(values.begin(), values.end(), 1.0f);
    bench.poke(0, 0, values);
    bench.poke<float>(0, 8192, std::vector<float>(kTiles * kColumns));
    // dst runs backwards; 10 of 16 columns; the producer counts on semaphore 3.
    const auto copy =
        elementwise(TERN_OPCODE_TENSOR_COPY, 1, {ap(place(0, 8192), kColumns), TERN_DTYPE_FP32},
                    {ap(place(0, 0), kColumns), TERN_DTYPE_FP32});
    const int step = 4 * kColumns;
    tern_instruction_t tiles = loop(4, 0, 1);
    tiles.loop.count_reg = 9;
    tiles.loop.step = step;
    Program consumer{set_register(9, kTiles), set_register(2, step * (kTiles - 1)),
                     set_register(4, 10), tiles};
    consumer.push_back(extend_by(2, 1, 3, 4));
    consumer.push_back(updates(waits(copy, TERN_WAIT_COND_GE, 3, 1), TERN_UPD_OP_INC, 4));
    consumer.push_back(register_alu(TERN_REGISTER_OP_SUBTRACT, 2, 2, 0, step));
    consumer.push_back(register_alu(TERN_REGISTER_OP_ADD, 3, 3, 0, 1));
    consumer.push_back(halt());
    bench.start(kVector, consumer);
    bench.start(kSync, {loop(1, kTiles), updates(nop(), TERN_UPD_OP_INC, 3), halt()});
    REQUIRE(bench.finish() == TERN_ERROR_NONE);
    CHECK(bench.semaphore(4) == kTiles);
    const auto out = bench.peek<float>(0, 8192, kTiles * kColumns);
    for (unsigned tile = 0; tile < kTiles; ++tile) {
      for (unsigned c = 0; c < kColumns; ++c) {
        const float expected = c < 10 ? values[tile * kColumns + c] : 0;
        REQUIRE(out[(kTiles - 1 - tile) * kColumns + c] == expected);
      }
    }
  });
}

TEST_CASE("control: short loops on the tensor queue") {
  constexpr unsigned kTurns =
      300;  // more than there are tags; one instruction in flight many times
  CoreBench bench;
  CoreBench::run(bench, [&] {
    for (unsigned p = 0; p < 128; ++p) {
      std::vector<std::uint16_t> row(128);
      row[p] = 0x3F80;  // identity
      bench.poke(p, 0, row);
      bench.poke<std::uint16_t>(p, 1024, std::vector<std::uint16_t>(8, 0x3F80));
    }
    const auto load = load_stationary(ap(place(0, 0), 128), 128, 128);
    const auto clear =
        multiply_moving(ap(place(0, 1024), 8), ap(place(0, 0, kPsum), 8), 128, 128, false);
    const auto add =
        multiply_moving(ap(place(0, 1024), 8), ap(place(0, 0, kPsum), 8), 128, 128, true);
    bench.execute(TERN_QUEUE_TENSOR, {load, clear, loop(1, kTurns - 1), add});
    CHECK(bench.peek_psum(77, 0, 8) == std::vector<float>(8, kTurns));
    CHECK(bench.core.tensor_counters().multiply_moving == kTurns);

    // An error in an iteration: the ones before it count, the ones after it have no effect.
    const auto behind = multiply_moving(ap(place(0, 1024), 8), ap(place(0, 0, kPsum), 8), 128, 64);
    bench.set_semaphore(5, 0);
    CHECK(bench.fails(TERN_QUEUE_TENSOR,
                      {load, loop(1, 5), updates(add, TERN_UPD_OP_INC, 5), behind, loop(1, 5),
                       updates(add, TERN_UPD_OP_INC, 5), halt()},
                      TERN_ERROR_TENSOR_ENGINE, 3) != 0);
    CHECK(bench.semaphore(5) == 5);
  });
}

TEST_CASE("control: updates at read come at the end of the interval") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    auto in = updates(nop(), TERN_UPD_OP_INC, 1);
    in.header.upd_when = TERN_UPD_WHEN_READ;
    bench.set_semaphore(1, 0);
    bench.set_semaphore(2, 0);
    bench.start(kVector, {in, updates(nop(), TERN_UPD_OP_INC, 2), halt()});
    const sc_time read = bench.when(1, 1), complete = bench.when(2, 1);
    // The second nop: 64 more cycles of interval, 100 of latency.
    CHECK((complete - read).to_seconds() * 1e9 == Approx(164));
    CHECK(bench.finish() == TERN_ERROR_NONE);
  });
}

TEST_CASE("control: updates at read on the tensor queue") {
  CoreBench bench;  // 2 GHz
  CoreBench::run(bench, [&] {
    const auto at_read = [](tern_instruction_t in, unsigned semaphore) {
      in = updates(in, TERN_UPD_OP_INC, semaphore);
      in.header.upd_when = TERN_UPD_WHEN_READ;
      return in;
    };
    const auto load = load_stationary(ap(place(0, 0), 128), 128, 128);
    const auto move =
        multiply_moving(ap(place(0, 1024), 512), ap(place(0, 0, kPsum), 512), 128, 128);
    bench.start(TERN_QUEUE_TENSOR, {updates(nop(), TERN_UPD_OP_INC, 1), at_read(load, 2),
                                    at_read(move, 3), updates(nop(), TERN_UPD_OP_INC, 5), halt()});
    // The nop retires one cycle after its push; the load is pushed in that cycle: a.
    const sc_time a = bench.when(1, 1), cycle(500, sc_core::SC_PS);
    const auto cycles = [&](const sc_time& t) { return std::llround((t - a) / cycle); };
    const auto loaded = cycles(bench.when(2, 1)), moved = cycles(bench.when(3, 1));
    const auto complete = cycles(bench.when(5, 1));
    // s = a + 1; 32 groups, the last row 127 later, one cycle of transit.
    CHECK(loaded == 1 + 32 + 127 + 1);
    // t = s + L + 1; 512 columns, the last four rows 124 later.
    CHECK(moved == 1 + 32 + 1 + 512 + 124 + 1);
    CHECK(complete == 1 + 32 + 1 + 512 + 130);  // the cycle of the multiply's status
    REQUIRE(bench.finish() == TERN_ERROR_NONE);
    REQUIRE(bench.write_register(TERN_REG_CORE_IRQ_CLEAR, 1));
    wait(sc_time(1, SC_NS));

    // A rejected command reads nothing, and those after it have no effect.
    bench.set_semaphore(2, 0);
    const auto other = multiply_moving(ap(place(0, 1024), 8), ap(place(0, 0, kPsum), 8), 128, 64);
    bench.fails(TERN_QUEUE_TENSOR, {at_read(load, 2), at_read(other, 2), halt()},
                TERN_ERROR_TENSOR_ENGINE, 1);
    CHECK(bench.semaphore(2) == 1);
  });
}

TEST_CASE("control: four engines work at the same time, each with its own clock") {
  CoreConfig config = test_core_config();
  config.vector.clock_ghz = 2;
  config.scalar.clock_ghz = 0.5;
  CoreBench bench(config);
  CoreBench::run(bench, [&] {
    const auto copy = [](unsigned byte) {
      return elementwise(TERN_OPCODE_TENSOR_COPY, 128, {ap(place(0, byte), 1000), TERN_DTYPE_FP32},
                         {ap(place(0, byte + 4096), 1000), TERN_DTYPE_FP32});
    };
    const auto work = [&](unsigned queue) -> Program {
      if (queue == TERN_QUEUE_TENSOR) {
        return {load_stationary(ap(place(0, 0), 128), 128, 128), loop(1, 10),
                multiply_moving(ap(place(0, 1024), 512), ap(place(0, 0, kPsum), 512), 128, 128),
                halt()};
      }
      return {loop(1, 5), copy(8192 * queue), halt()};
    };
    const std::vector<unsigned> queues{TERN_QUEUE_TENSOR, TERN_QUEUE_VECTOR, TERN_QUEUE_SCALAR,
                                       TERN_QUEUE_GPSIMD};
    const auto run = [&](const std::vector<unsigned>& chosen) {
      const sc_time begin = sc_time_stamp();
      for (const unsigned queue : chosen) bench.start(queue, work(queue));
      REQUIRE(bench.finish() == TERN_ERROR_NONE);
      const sc_time end = sc_time_stamp();
      REQUIRE(bench.write_register(TERN_REG_CORE_IRQ_CLEAR, 1));
      wait(sc_time(1, sc_core::SC_US));
      return (end - begin).to_seconds() * 1e9;
    };
    std::vector<double> alone;
    double sum = 0;
    for (const unsigned queue : queues) {
      alone.push_back(run({queue}));
      sum += alone.back();
    }
    // The longest one alone: no queue waits for another.
    const double together = run(queues);
    CHECK(together == Approx(*std::max_element(alone.begin(), alone.end())).margin(1));
    CHECK(together < 0.7 * sum);
    CHECK(alone[2] > 3 * alone[1]);  // the slower clock
  });
}
