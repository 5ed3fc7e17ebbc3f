// SPDX-License-Identifier: Apache-2.0
// Who runs a processor's hart in its place: nothing changes, and all of the processor can be seen.
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <random>

#include "misbehave_blob.h"
#include "sw/spec/generated/address_map.h"
#include "systemc/gpsimd/processor.h"
#include "systemc/riscv/hart.h"
#include "tb/common/seed.h"
#include "tb/gpsimd/programs/misbehaviour.h"
#include "tb/gpsimd/sbuf_memory.h"
#include "timed_blob.h"

namespace tern::tb {

namespace {

using base::ElfFile;
using gpsimd::Processor;
using gpsimd::ProgramResult;

const GpsimdProgramConfig kCosts{150, 3, 8, 1'000'000};

// Looks at the program at random moments.
struct Runner : gpsimd::ProgramRunner {
  riscv::Stop run(gpsimd::RunningProgram& program, std::uint64_t cycles) override {
    if (look) look(program);
    ++calls;
    return program.hart().run(std::min<std::uint64_t>(cycles, 1 + random() % 20));
  }
  void ended(bool fault) override {
    ++ends;
    faults += fault ? 1 : 0;
  }
  std::function<void(gpsimd::RunningProgram&)> look;
  unsigned calls = 0, ends = 0, faults = 0;
  std::mt19937_64 random{test_seed()};
};

}  // namespace

TEST_CASE("gpsimd runner: cycles, results and faults are those of a run without it") {
  SbufMemory plain, watched;
  Runner runner;
  Processor a(ElfFile(gpsimd_blob::timed()), plain.window(), kCosts, {});
  Processor b(ElfFile(gpsimd_blob::timed()), watched.window(), kCosts, {}, &runner);
  for (const unsigned number : {0u, 5u}) {
    const ProgramResult without = a.run(number, {300}), with = b.run(number, {300});
    CHECK(with.cycles == without.cycles);
    CHECK(with.fault.reason == TERN_PROGRAM_FAULT_NONE);
  }
  CHECK(plain.bytes() == watched.bytes());
  CHECK(runner.calls > 50);
  CHECK(runner.ends == 2);
  CHECK(runner.faults == 0);

  Processor c(ElfFile(gpsimd_blob::misbehave()), plain.window(), kCosts, {});
  Processor d(ElfFile(gpsimd_blob::misbehave()), watched.window(), kCosts, {}, &runner);
  for (unsigned what = tern_tb::kStrayLoad; what <= tern_tb::kAbort; ++what) {
    CAPTURE(what);
    const ProgramResult without = c.run(1, {what, 8}), with = d.run(1, {what, 8});
    CHECK(with.fault.reason == without.fault.reason);
    if (what == tern_tb::kEndless) {  // the limit is looked at more often
      CHECK(with.cycles > kCosts.limit_cycles);
      CHECK(with.cycles <= without.cycles);
      continue;
    }
    CHECK(with.cycles == without.cycles);
    CHECK(with.fault.pc == without.fault.pc);
    CHECK(with.fault.value == without.fault.value);
  }
  CHECK(runner.ends == 2 + tern_tb::kAbort + 1);
  CHECK(runner.faults == tern_tb::kAbort + 1);
  CHECK(plain.bytes() == watched.bytes());
}

TEST_CASE("gpsimd runner: memory and registers of the processor can be seen, memory written") {
  SbufMemory sbuf;
  Runner runner;
  Processor processor(ElfFile(gpsimd_blob::timed()), sbuf.window(), kCosts, {}, &runner);
  const std::uint64_t plain =
      Processor(ElfFile(gpsimd_blob::timed()), sbuf.window(), kCosts, {}).run(3, {5}).cycles;
  unsigned looks = 0;
  runner.look = [&](gpsimd::RunningProgram& program) {
    ++looks;
    CHECK(program.processor() == 3);
    CHECK(program.hart_config().xlen == 32);
    const auto word = [&](std::uint64_t address) {
      std::uint32_t value = 0;
      CHECK(program.peek(address, &value, sizeof value));
      return value;
    };
    CHECK(word(TERN_GPSIMD_REGISTERS_BASE + TERN_REG_GPSIMD_PROCESSOR) == 3);
    CHECK(word(TERN_GPSIMD_REGISTERS_BASE + TERN_REG_GPSIMD_ARGUMENT) == 5);
    CHECK(word(TERN_GPSIMD_REGISTERS_BASE + TERN_REG_GPSIMD_CYCLE) == program.hart().cycles());
    const std::uint32_t mark = 0x1000 + looks;
    const std::uint64_t place = TERN_GPSIMD_PARTITION_BASE + 7 * TERN_GPSIMD_PARTITION_STRIDE + 64;
    CHECK(program.poke(place, &mark, sizeof mark));
    CHECK(word(place) == mark);
    CHECK(sbuf.words(3 * 16 + 7, 64, 1)[0] == mark);
    std::uint32_t value = 0;
    for (const std::uint64_t nothing :
         {std::uint64_t{0}, std::uint64_t{TERN_GPSIMD_PARTITION_BASE} + 8192 - 2,
          std::uint64_t{0x30000000}, ~std::uint64_t{0} - 1}) {
      CHECK_FALSE(program.peek(nothing, &value, sizeof value));
      CHECK_FALSE(program.poke(nothing, &value, sizeof value));
    }
    CHECK_FALSE(program.poke(TERN_GPSIMD_REGISTERS_BASE, &value, sizeof value));
  };
  CHECK(processor.run(3, {5}).cycles == plain);
  CHECK(looks > 3);
}

}  // namespace tern::tb
