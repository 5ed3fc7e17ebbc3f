// SPDX-License-Identifier: Apache-2.0
// Events on a chip: set by DMA descriptors, zero at the start of each run, named where a program
// is deadlocked.
#include <catch2/catch.hpp>

#include "sw/base/user_error.h"
#include "sw/spec/descriptor_pack.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/registers.h"
#include "tb/core/bench/program.h"
#include "tb/runtime/platform.h"

namespace tern::tb {

namespace {

using Catch::Contains;

constexpr unsigned kRing = 3, kEngine = 5, kEvent = 77;

// A descriptor that writes a register of the core.
DescriptorPair writes_register(std::uint64_t reg, std::uint64_t value) {
  DescriptorOperation operation;
  operation.op = TERN_DMA_OP_IMMEDIATE;
  DescriptorPair pair;
  pair.source = {DmaAddress::Space::kValue, 0, value};
  pair.destination = {DmaAddress::Space::kCore, 0, TERN_CORE_REGS_BASE + reg};
  pair.bytes = 4;
  pair.destination_word = operation.word();
  pair.first = pair.last = true;
  return pair;
}

// Sync starts the ring of one descriptor, which sets kEvent; Vector waits for it.
Executable set_by_dma(bool triggered, std::uint64_t reg = TERN_REG_CORE_EVENT_SET + 4 * kEvent) {
  Executable program;
  program.name = "event";
  tern_instruction_t trigger = dma_trigger(kRing, 0);
  trigger.dma_trigger.count[kEngine] = 1;
  program.queues[TERN_QUEUE_VECTOR] = {
      waits(updates(nop(), TERN_UPD_OP_SET_EVENT, 200), TERN_WAIT_COND_EVENT, kEvent, 1), halt()};
  if (triggered) program.queues[TERN_QUEUE_SYNC] = {trigger, halt()};
  program.rings[kRing][kEngine] = {writes_register(reg, 1)};
  return program;
}

std::string failure(Platform& platform, runtime::Program& program) {
  try {
    platform.runtime.run(program, 1e-3);
  } catch (const RunError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("events: a DMA descriptor sets one, and each run begins with all of its own clear") {
  Platform platform;
  platform.run([&] {
    auto program = platform.runtime.load(set_by_dma(true), {}, 0);
    const sc_core::sc_time first = platform.runtime.run(program).end;
    const sc_core::sc_time second = platform.runtime.run(program).end;  // not refused
    CHECK(second > first);
    std::uint32_t value = 0;
    const std::uint64_t read = TERN_CORE_BASE + TERN_CORE_REGS_BASE + TERN_REG_CORE_EVENT_READ;
    for (const unsigned event : {kEvent, 200u}) {
      REQUIRE(platform.port.peek32(read + 4 * std::uint64_t{event}, &value));
      CHECK(value == 1);
    }
  });
}

TEST_CASE("events: a descriptor that sets a set one stops its ring") {
  Platform platform;
  platform.run([&] {
    Executable program = set_by_dma(true);
    program.queues[TERN_QUEUE_SYNC][0].dma_trigger.count[kEngine] = 2;
    program.rings[kRing][kEngine].push_back(program.rings[kRing][kEngine][0]);
    program.queues[TERN_QUEUE_VECTOR] = {waits(nop(), TERN_WAIT_COND_EVENT, kEvent, 1),
                                         waits(halt(), TERN_WAIT_COND_EVENT, kEvent, 0)};
    auto loaded = platform.runtime.load(program, {}, 0);
    CHECK_THAT(failure(platform, loaded), Contains("DMA engine 5, ring 3: stopped"));
  });
}

TEST_CASE("events: a deadlock names the event and who would have changed it") {
  Platform platform;
  platform.run([&] {
    auto never = platform.runtime.load(set_by_dma(false), {}, 0);
    const std::string message = failure(platform, never);
    INFO(message);
    CHECK_THAT(message, Contains("waits for event 77 == 1, it is 0\n"
                                 "    which would be changed by 1 DMA descriptors of ring 3"));
    platform.runtime.reset(0);

    Executable crossed = set_by_dma(false);
    crossed.rings.clear();
    crossed.queues[TERN_QUEUE_SCALAR] = {
        waits(updates(nop(), TERN_UPD_OP_SET_EVENT, kEvent), TERN_WAIT_COND_EVENT, 200, 1), halt()};
    crossed.queues[TERN_QUEUE_SYNC] = {
        waits(updates(nop(), TERN_UPD_OP_INC, kEvent), TERN_WAIT_COND_EVENT, 9, 1), halt()};
    auto cycle = platform.runtime.load(crossed, {}, 0);
    const std::string both = failure(platform, cycle);
    INFO(both);
    CHECK_THAT(both, Contains("which would be changed by scalar queue, instruction 0 (nop)"));
    CHECK_THAT(both, Contains("cycle: vector waits for scalar waits for vector"));
    // An increment of the semaphore of the same number is no change of the event.
    CHECK_THAT(both, Contains("waits for event 9 == 1, it is 0\n"
                              "    which nothing will change: no instruction and no DMA"));
    CHECK_THAT(both, !Contains("changed by sync queue"));
  });
}

}  // namespace tern::tb
