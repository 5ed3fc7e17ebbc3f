// SPDX-License-Identifier: Apache-2.0
// Programs that deadlock: recognised when it happens, explained for their author.
#include <catch2/catch.hpp>

#include "sw/base/user_error.h"
#include "sw/kernels/builder/kernel_builder.h"
#include "sw/runtime/control_paths.h"
#include "tb/core/bench/program.h"
#include "tb/runtime/platform.h"

namespace tern::tb {

namespace {

using Catch::Contains;
using kernels::KernelBuilder;
using numerics::DType;

tern_instruction_t step(unsigned wait, std::uint32_t value, unsigned update) {
  return updates(waits(nop(), TERN_WAIT_COND_GE, wait, value), TERN_UPD_OP_INC, update);
}

// The source of instruction i of a queue is "QUEUE.cpp:i".
Executable program_of(const std::array<Program, TERN_QUEUE_COUNT>& queues) {
  static const char* const kNames[] = {"tensor", "vector", "scalar", "gpsimd", "sync"};
  Executable program;
  program.name = "stuck";
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
    program.queues[q] = queues[q];
    for (std::size_t i = 0; i < queues[q].size(); ++i)
      program.origins[q].push_back(std::string(kNames[q]) + ".cpp:" + std::to_string(i));
  }
  return program;
}

std::string failure(Platform& platform, const Executable& executable, double limit = 10,
                    const runtime::Runtime::Bindings& bindings = {}, unsigned core = 0) {
  auto program = platform.runtime.load(executable, bindings, core);
  try {
    platform.runtime.run(program, limit);
  } catch (const RunError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("deadlock: three queues in a cycle") {
  Platform platform;
  platform.run([&] {
    const Executable program = program_of({{
        {},
        {step(0, 0, 9), step(10, 1, 11), halt()},
        {nop(), nop(), step(11, 1, 12), halt()},
        {step(12, 1, 10), halt()},
        {waits(halt(), TERN_WAIT_COND_EQ, 10, 1)},
    }});
    const std::string message = failure(platform, program);
    INFO(message);
    CHECK_THAT(message, Contains("program 'stuck' on core 0 is deadlocked: at "));
    CHECK_THAT(message,
               Contains("  vector queue, instruction 1 (nop), from vector.cpp:1\n"
                        "    waits for semaphore 10 >= 1, it is 0\n"
                        "    which would be changed by gpsimd queue, instruction 0 (nop), from "
                        "gpsimd.cpp:0, when it has executed\n"));
    CHECK_THAT(message, Contains("  sync queue, instruction 0 (halt), from sync.cpp:0\n"
                                 "    waits for semaphore 10 == 1, it is 0\n"));
    CHECK_THAT(message,
               Contains("\n  cycle: vector waits for gpsimd waits for scalar waits for vector"));
    CHECK(sc_core::sc_time_stamp() < sc_core::sc_time(100, sc_core::SC_US));
  });
}

TEST_CASE("deadlock: a queue that waits for itself, one that waits for nothing") {
  Platform platform;
  platform.run([&] {
    const std::string message = failure(
        platform,
        program_of({{{waits(nop(), TERN_WAIT_COND_GT, 1, 4), updates(nop(), TERN_UPD_OP_INC, 1),
                      updates(nop(), TERN_UPD_OP_DEC, 1), halt()},
                     {step(0, 0, 2), waits(nop(), TERN_WAIT_COND_GE, 2, 2), halt()},
                     {waits(halt(), TERN_WAIT_COND_NE, 3, 0)},
                     {},
                     {}}}));
    INFO(message);
    // The decrement would not help.
    CHECK_THAT(message, Contains("  tensor queue, instruction 0 (nop), from tensor.cpp:0\n"
                                 "    waits for semaphore 1 > 4, it is 0\n"
                                 "    which would be changed by tensor queue, instruction 1 (nop), "
                                 "from tensor.cpp:1, still ahead\n"
                                 "  vector"));
    CHECK_THAT(message, Contains("cycle: tensor waits for tensor: itself"));
    CHECK_THAT(message, Contains("waits for semaphore 2 >= 2, it is 1\n"
                                 "    which nothing will change: instructions that do are all "
                                 "past (1 of the vector queue)"));
    CHECK_THAT(message, Contains("waits for semaphore 3 != 0, it is 0\n"
                                 "    which nothing will change: no instruction and no DMA "
                                 "descriptor of the program does"));
  });
}

TEST_CASE("deadlock: registers take part in what is awaited") {
  Platform platform;
  platform.run([&] {
    tern_instruction_t extended = extend();
    extended.extend.wait_reg = 5;
    const std::string message =
        failure(platform, program_of({{{},
                                       {loop(3, 4, 5, 7), nop(), extended,
                                        waits(nop(), TERN_WAIT_COND_EQ, 8, 1), halt()},
                                       {},
                                       {},
                                       {}}}));
    INFO(message);
    CHECK_THAT(message, Contains("vector queue, instruction 3 (nop), from vector.cpp:3\n"
                                 "    waits for semaphore 8 == 8, it is 0"));
  });
}

TEST_CASE("deadlock: transfers that nothing starts, and that a waiting queue would start") {
  Platform platform;
  platform.run([&] {
    KernelBuilder kb("stuck", platform.config);
    const auto x = kb.input("x", DType::kFp32, {128, 64});
    const auto tile = kb.sbuf_tile("t", 128, 64, DType::kFp32);
    kb.dma_load(tile, x.view(0, 128, 0, 64));
    kb.tensor_scalar(tile, tile, kernels::Alu::kAdd, 1.0f);
    const Executable good = kb.finish();
    const runtime::Buffer buffer = platform.runtime.allocate("x", 128 * 64 * 4);
    for (const bool removed : {true, false}) {
      Executable bad = good;
      for (auto& queue : bad.queues) {
        for (auto& in : queue) {
          if (in.header.opcode != TERN_OPCODE_DMA_TRIGGER) continue;
          if (removed) {
            in.header.opcode = TERN_OPCODE_NOP;
            std::fill(std::begin(in.bytes) + sizeof(tern_header_t), std::end(in.bytes), 0);
          } else {
            in = waits(in, TERN_WAIT_COND_GE, 250, 1);
          }
        }
      }
      const std::string message = failure(platform, bad, 10, {{"x", &buffer}}, removed ? 0 : 1);
      INFO(message);
      CHECK_THAT(message,
                 Contains("which would be changed by 16 DMA descriptors of ring 0: 0 done, "
                          "16 not released (engines 0..15)"));
      if (removed) {
        CHECK_THAT(message, Contains("and no dma_trigger of ring 0 is ahead"));
      } else {
        CHECK_THAT(message, Contains("released by ") && Contains("(dma_trigger), from "));
        CHECK_THAT(message, Contains("waits for semaphore 250 >= 1, it is 0\n"
                                     "    which nothing will change"));
      }
    }
  });
}

TEST_CASE("deadlock: work without an end is not one, its limit names the location") {
  Platform platform;
  platform.run([&] {
    const std::string message = failure(
        platform, program_of({{{}, {loop(1, 0xFFFFFFFF), nop(), halt()}, {}, {}, {}}}), 1e-3);
    CHECK_THAT(message, Contains("did not end within 1 ms of simulated time; vector queue, "
                                 "instruction 1 (nop), from vector.cpp:1"));
    const std::string control =
        failure(platform, program_of({{{}, {}, {}, {}, {nop(), branch(0, 0), halt()}}}), 10, {}, 1);
    CHECK_THAT(control, Contains("sync queue, instruction 1 (branch), from sync.cpp:1: an endless "
                                 "loop: 1048576 control instructions in a row"));
  });
}

TEST_CASE("runtime: after a deadlock, a time-out or an error, a reset core runs another program") {
  Platform platform;
  platform.run([&] {
    const Executable good =
        program_of({{{}, {step(0, 0, 9), halt()}, {step(9, 1, 9), halt()}, {}, {}}});
    const Executable stuck =
        program_of({{{}, {waits(halt(), TERN_WAIT_COND_EQ, 9, 5)}, {}, {}, {}}});
    const Executable endless = program_of({{{}, {loop(1, 0xFFFFFFFF), nop(), halt()}, {}, {}, {}}});
    tern_instruction_t bad = nop();
    bad.header.opcode = 0xee;
    const Executable wrong =
        program_of({{{}, {bad, halt()}, {waits(halt(), TERN_WAIT_COND_EQ, 9, 5)}, {}, {}}});
    CHECK(failure(platform, good) == "no error");
    auto loaded = platform.runtime.load(good, {}, 0);
    const double seconds = platform.runtime.run(loaded).seconds();
    for (const Executable* program : {&stuck, &endless, &wrong}) {
      CHECK(failure(platform, *program, 1e-4) != "no error");
      platform.runtime.reset(0);
      // The same program as before, in the same time.
      CHECK(platform.runtime.run(loaded).seconds() == Approx(seconds).epsilon(1e-3));
      CHECK(failure(platform, good, 10, {}, 1) == "no error");  // the other core has no part in it
    }
    CHECK_THROWS_WITH(platform.runtime.reset(99), Contains("core 99"));
  });
}

TEST_CASE("deadlock: instructions counted and still ahead with loops and branches") {
  const unsigned always = TERN_BRANCH_COND_ALWAYS, eq = TERN_BRANCH_COND_EQ;
  const auto ahead = [](const Program& program, std::uint32_t pc) {
    std::string text;
    for (const bool reached : runtime::still_ahead(program, pc)) text += reached ? 'x' : '.';
    return text;
  };
  CHECK(ahead({nop(), nop(), halt(), nop()}, 1) == ".xx.");
  CHECK(ahead({nop(), loop(2, 3), nop(), nop(), halt()}, 3) == "..xxx");
  CHECK(ahead({loop(3, 2), nop(), loop(1, 2), nop(), halt()}, 3) == ".xxxx");
  CHECK(ahead({loop(1, 2), nop(), nop(), halt()}, 2) == "..xx");
  CHECK(ahead({nop(), branch(always, 2), nop(), halt()}, 0) == "xx.x");
  CHECK(ahead({nop(), nop(), branch(eq, -1), halt()}, 2) == ".xxx");

  // A branch into a body, from outside and from the body around it; not one inside a body.
  CHECK(runtime::branch_into_loop({branch(eq, 2), loop(2, 3), nop(), nop(), halt()}) == 0u);
  CHECK(runtime::branch_into_loop({loop(3, 2), loop(1, 2), nop(), branch(eq, -1), halt()}) == 3u);
  CHECK(runtime::branch_into_loop({loop(1, 2), nop(), branch(eq, -1), halt()}) == 2u);
  CHECK_FALSE(runtime::branch_into_loop({loop(2, 3), nop(), branch(eq, -1), halt()}));
  CHECK_FALSE(runtime::branch_into_loop({branch(eq, 4), loop(2, 3), nop(), nop(), halt()}));
  CHECK_FALSE(runtime::branch_into_loop({branch(eq, 1), loop(2, 3), nop(), nop(), halt()}));

  Platform platform;
  platform.run([&] {
    const auto bad = program_of({{{}, {branch(eq, 2), loop(1, 5), nop(), halt()}, {}, {}, {}}});
    CHECK_THROWS_WITH(platform.runtime.load(bad, {}),
                      "program 'stuck': vector queue, instruction 0 (branch), from vector.cpp:0: "
                      "leads into the body of a loop");
    auto program = platform.runtime.load(
        program_of({{{}, {loop(2, 5), extend(), nop(), halt()}, {}, {}, {}}}), {});
    CHECK(platform.runtime.run(program).instructions[TERN_QUEUE_VECTOR] == 1 + 5 * 2 + 1);
  });
}

}  // namespace tern::tb
