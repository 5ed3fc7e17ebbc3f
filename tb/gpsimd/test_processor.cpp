// SPDX-License-Identifier: Apache-2.0
// One processor: what programs find, what they cost, and how they are stopped.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "inspect_blob.h"
#include "misbehave_blob.h"
#include "systemc/gpsimd/processor.h"
#include "tb/gpsimd/programs/misbehaviour.h"
#include "tb/gpsimd/sbuf_memory.h"
#include "timed_blob.h"

namespace tern::tb {

namespace {

using base::ElfFile;
using gpsimd::Processor;
using gpsimd::ProgramResult;

GpsimdProgramConfig costs() {
  GpsimdProgramConfig config;
  config.start_cycles = 150;
  config.local_load_cycles = 3;
  config.sbuf_load_cycles = 8;
  config.limit_cycles = 100'000'000;
  return config;
}

}  // namespace

TEST_CASE("gpsimd processor: arguments, partitions, constructors, libraries, log") {
  SbufMemory sbuf;
  std::vector<std::string> log;
  Processor processor(ElfFile(gpsimd_blob::inspect()), sbuf.window(), costs(),
                      [&](unsigned number, const std::string& line) {
                        log.push_back(std::to_string(number) + ": " + line);
                      });
  for (const unsigned number : {3u, 0u, 7u, 7u}) {
    log.clear();
    const ProgramResult result = processor.run(number, {1, 2, 3, 4, 5, 6, 7, 0xffffffff});
    CHECK(result.fault.reason == TERN_PROGRAM_FAULT_NONE);
    const std::vector<std::uint32_t> words = sbuf.words(number * 16, 0, 18);
    CHECK(std::vector<std::uint32_t>(words.begin(), words.begin() + 13) ==
          std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6, 7, 0xffffffff, number, 8192, 100 + number,
                                     0x1234, 0});
    float root = 0, power = 0;
    std::memcpy(&root, &words[13], 4);
    std::memcpy(&power, &words[14], 4);
    CHECK(root == std::sqrt(2.0f));
    CHECK(power == Approx(std::exp(0.5)).epsilon(1e-6));
    CHECK(words[15] == 1);  // malloc
    CHECK(words[16] == 1);  // too much for it
    CHECK(words[17] == 0x3f80);
    for (unsigned i = 0; i < 16; ++i) CHECK(sbuf.words(number * 16 + i, 256, 1)[0] == i);
    CHECK(log ==
          std::vector<std::string>{std::to_string(number) + ": processor" + std::to_string(number),
                                   std::to_string(number) + ": minus-2147483648"});
  }
  // Partitions of processors that have not run are untouched.
  CHECK(sbuf.words(16, 0, 4) == std::vector<std::uint32_t>(4));
}

TEST_CASE("gpsimd processor: what a loop costs") {
  SbufMemory sbuf;
  Processor processor(ElfFile(gpsimd_blob::timed()), sbuf.window(), costs(), {});
  const auto cycles = [&](std::uint32_t iterations) {
    return processor.run(2, {iterations}).cycles;
  };
  // Five single cycles, a local load of 3 and one from SBUF of 8.
  CHECK(cycles(1001) - cycles(1) == 1000 * (5 + 3 + 8));
  const std::uint32_t counted = sbuf.words(33, 0, 1)[0];
  cycles(1001);
  CHECK(sbuf.words(33, 0, 1)[0] - counted == 1000 * (5 + 3 + 8));
}

TEST_CASE("gpsimd processor: every misbehaviour is stopped and named") {
  using namespace tern_tb;
  struct Case {
    Misbehaviour what;
    unsigned reason;
    std::uint32_t value;
    const char* function;
    std::uint32_t word;  // 0: any; else the instruction at the pc
  };
  const Case cases[] = {
      {kStrayLoad, TERN_PROGRAM_FAULT_LOAD, 0x30000000, "stray_load", 0},
      {kStrayStore, TERN_PROGRAM_FAULT_STORE, 0x20400000, "stray_store", 0},
      {kNullPointer, TERN_PROGRAM_FAULT_LOAD, 0, "null_pointer", 0},
      {kMisaligned, TERN_PROGRAM_FAULT_MISALIGNED, 0, "misaligned", 0x0002a023},
      {kWriteCode, TERN_PROGRAM_FAULT_PROTECTED, 0, "write_code", 0},
      {kWildJump, TERN_PROGRAM_FAULT_JUMP, 0x20000000, "", 0},
      {kIllegal, TERN_PROGRAM_FAULT_ILLEGAL, 0xffffffff, "illegal", 0xffffffff},
      {kBreakpoint, TERN_PROGRAM_FAULT_BREAKPOINT, 0x00100073, "breakpoint", 0x00100073},
      {kStackOverflow, TERN_PROGRAM_FAULT_PROTECTED, 0, "", 0},
      {kWait, TERN_PROGRAM_FAULT_STOPPED, 0x10500073, "wait_for_interrupt", 0x10500073},
      {kOddRegister, TERN_PROGRAM_FAULT_REGISTER, 0x10000000, "odd_register", 0},
      {kEnvironmentCall, TERN_PROGRAM_FAULT_ILLEGAL, 0x73, "environment_call", 0x73},
      {kStatus, TERN_PROGRAM_FAULT_EXIT, 42, "", 0},
      {kAbort, TERN_PROGRAM_FAULT_BREAKPOINT, 0x00100073, "abort", 0x00100073},
  };
  const ElfFile program(gpsimd_blob::misbehave());
  const auto word_at = [&](std::uint32_t pc) {
    for (const auto& segment : program.segments()) {
      if (pc < segment.address || pc - segment.address + 4 > segment.contents.size()) continue;
      std::uint32_t word = 0;
      std::memcpy(&word, &segment.contents[pc - segment.address], 4);
      return word;
    }
    return 0u;
  };
  SbufMemory sbuf;
  for (const Case& c : cases) {
    Processor processor(program, sbuf.window(), costs(), {});
    const auto fault = processor.run(1, {static_cast<std::uint32_t>(c.what), 8}).fault;
    INFO("case " << c.what << ", pc " << std::hex << fault.pc << " in "
                 << program.symbol_at(fault.pc) << ", instruction " << word_at(fault.pc)
                 << ", value " << fault.value);
    CHECK(fault.reason == c.reason);
    if (c.value != 0) CHECK(fault.value == c.value);
    CHECK_THAT(program.symbol_at(fault.pc), Catch::Contains(c.function));
    if (c.word != 0) CHECK(word_at(fault.pc) == c.word);
    const unsigned opcode = word_at(fault.pc) & 0x7f;
    if (c.reason == TERN_PROGRAM_FAULT_LOAD) CHECK(opcode == 0x03);
    if (c.reason == TERN_PROGRAM_FAULT_STORE) CHECK(opcode == 0x23);
    if (c.reason == TERN_PROGRAM_FAULT_PROTECTED) CHECK(opcode == 0x23);
    if (c.reason == TERN_PROGRAM_FAULT_JUMP) CHECK((opcode == 0x67 || opcode == 0x6f));
    CHECK(sbuf.words(16, 0, 1)[0] == 0x600d0001);  // what was done before it stays
  }
}

TEST_CASE("gpsimd processor: an endless loop ends at the limit") {
  SbufMemory sbuf;
  Processor processor(ElfFile(gpsimd_blob::misbehave()), sbuf.window(), costs(), {});
  const ProgramResult result = processor.run(0, {tern_tb::kEndless, 8});
  CHECK(result.fault.reason == TERN_PROGRAM_FAULT_LIMIT);
  CHECK(result.fault.value == 100'000'000);
  CHECK(result.cycles > 100'000'000);
  CHECK(result.cycles < 100'000'100);
  CHECK(ElfFile(gpsimd_blob::misbehave()).symbol_at(result.fault.pc) ==
        "(anonymous namespace)::endless");
}

TEST_CASE("gpsimd processor: a compressed instruction is none of its") {
  std::vector<std::uint8_t> file = gpsimd_blob::misbehave();
  const auto word = [&](std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, &file[at], 4);
    return value;
  };
  const std::uint32_t entry = word(24);
  std::size_t header = word(28);  // of the segment that holds the entry
  while (entry < word(header + 8) || entry - word(header + 8) >= word(header + 16)) header += 32;
  const std::uint32_t jump = 0x0000a001;  // c.j to itself
  std::memcpy(&file[word(header + 4) + entry - word(header + 8)], &jump, 4);
  SbufMemory sbuf;
  Processor processor(ElfFile(file), sbuf.window(), costs(), {});
  const ProgramResult result = processor.run(0, {tern_tb::kEndless, 8});
  CHECK(result.fault.reason == TERN_PROGRAM_FAULT_ILLEGAL);
  CHECK(result.fault.pc == entry);
}

}  // namespace tern::tb
