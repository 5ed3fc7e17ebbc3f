// SPDX-License-Identifier: Apache-2.0
// custom_op on a core: time, parallel processors, errors that leave the rest alone.
#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "inspect_blob.h"
#include "misbehave_blob.h"
#include "sw/spec/generated/registers.h"
#include "tb/core/bench/core_bench.h"
#include "tb/gpsimd/programs/misbehaviour.h"
#include "tb/gpsimd/sbuf_memory.h"
#include "timed_blob.h"

using namespace tern;
using namespace tern::tb;
using sc_core::SC_NS;
using sc_core::sc_time;

namespace {

constexpr std::uint32_t kFile = 0x200000;  // in the bench's memory

tern_instruction_t custom_op(CoreBench& bench, const std::vector<std::uint8_t>& file,
                             unsigned processors, std::vector<std::uint32_t> arguments) {
  std::copy(file.begin(), file.end(), bench.memory.begin() + kFile);
  tern_instruction_t in = plain(TERN_OPCODE_CUSTOM_OP);
  in.custom_op.code_lo = kFile;
  in.custom_op.code_bytes = static_cast<std::uint32_t>(file.size());
  in.custom_op.cores = static_cast<std::uint8_t>(processors);
  std::copy(arguments.begin(), arguments.end(), in.custom_op.args);
  return in;
}

std::uint32_t word(CoreBench& bench, unsigned partition, std::uint32_t byte = 0) {
  return bench.peek<std::uint32_t>(partition, byte, 1)[0];
}

}  // namespace

TEST_CASE("custom_op: complete when the slowest processor has ended") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    // The cycles of the program alone, with the bench's costs.
    SbufMemory sbuf;
    gpsimd::Processor alone(base::ElfFile(gpsimd_blob::timed()), sbuf.window(),
                            test_core_config().gpsimd_programs, {});
    const auto file = gpsimd_blob::timed();
    const double cycles = static_cast<double>(alone.run(0, {500}).cycles);
    const sc_time start = sc_core::sc_time_stamp();
    bench.start(TERN_QUEUE_GPSIMD,
                {updates(custom_op(bench, file, 0xff, {500}), TERN_UPD_OP_INC, 0),
                 updates(nop(), TERN_UPD_OP_INC, 0), halt()});
    // Fetch 150 ns, reading the file 50 ns, 150 cycles of start; latency 100 cycles.
    const double end = 150 + 50 + 150 + cycles;
    CHECK(bench.when(0, 1) - start == sc_time(end + 100, SC_NS));
    CHECK(bench.when(0, 2) - start == sc_time(end + 64 + 100, SC_NS));
    CHECK(bench.finish() == TERN_ERROR_NONE);
  });
}

TEST_CASE("custom_op: each selected processor works on its own partitions") {
  std::vector<std::string> log;
  CoreOptions options;
  options.program_log = [&](const std::string& line) { log.push_back(line); };
  CoreBench bench(test_core_config(), options);
  CoreBench::run(bench, [&] {
    for (unsigned p = 0; p < 128; ++p) bench.poke<std::uint32_t>(p, 256, {0xabcd});
    bench.execute(TERN_QUEUE_GPSIMD,
                  {custom_op(bench, gpsimd_blob::inspect(), 0b10000010, {11, 22})});
    for (const unsigned number : {1u, 7u}) {
      CHECK(bench.peek<std::uint32_t>(number * 16, 0, 10) ==
            std::vector<std::uint32_t>{11, 22, 0, 0, 0, 0, 0, 0, number, 256 * 1024});
    }
    for (unsigned p = 0; p < 128; ++p) {
      const bool selected = p / 16 == 1 || p / 16 == 7;
      REQUIRE(word(bench, p, 256) == (selected ? p % 16 : 0xabcd));
    }
    REQUIRE(log.size() == 4);
    CHECK(log[0] == "core0 gpsimd processor 1: processor1");
    CHECK(log[3] == "core0 gpsimd processor 7: minus-2147483648");
  });
}

TEST_CASE("custom_op: an error names processor, reason and address, other queues continue") {
  using namespace tern_tb;
  CoreBench bench;
  CoreBench::run(bench, [&] {
    const auto file = gpsimd_blob::misbehave();
    struct Case {
      Misbehaviour what;
      unsigned reason;
      std::uint32_t value;
    };
    for (const Case& c : {Case{kStrayStore, TERN_PROGRAM_FAULT_STORE, 0x20400000},
                          Case{kEndless, TERN_PROGRAM_FAULT_LIMIT, 1'000'000},
                          Case{kStatus, TERN_PROGRAM_FAULT_EXIT, 42}}) {
      bench.set_semaphore(0, 0);
      bench.set_semaphore(1, 0);
      const auto in = custom_op(bench, file, 0b00111000, {static_cast<std::uint32_t>(c.what), 4});
      // Vector waits beyond the failure and then still works.
      bench.start(TERN_QUEUE_VECTOR,
                  {waits(elementwise(TERN_OPCODE_MEMSET, 128,
                                     {ap(place(0, 64), 4), TERN_DTYPE_FP32}, {}, {}, 0, 0, 2.5f),
                         TERN_WAIT_COND_EQ, 1, 1),
                   updates(nop(), TERN_UPD_OP_INC, 1), halt()});
      bench.start(TERN_QUEUE_GPSIMD, {updates(nop(), TERN_UPD_OP_INC, 0), in,
                                      updates(nop(), TERN_UPD_OP_INC, 0), halt()});
      REQUIRE(bench.finish() == TERN_ERROR_CUSTOM_OP);
      CHECK(bench.read_register(TERN_REG_CORE_ERROR_QUEUE) == TERN_QUEUE_GPSIMD);
      CHECK(bench.read_register(TERN_REG_CORE_ERROR_INDEX) == 1);
      CHECK(bench.read_register(TERN_REG_CORE_ERROR_PROCESSOR) == 4);
      CHECK(bench.read_register(TERN_REG_CORE_ERROR_REASON) == c.reason);
      CHECK(bench.read_register(TERN_REG_CORE_ERROR_VALUE) == c.value);
      const std::uint32_t pc = bench.read_register(TERN_REG_CORE_ERROR_DETAIL);
      CHECK(pc >= TERN_GPSIMD_LOCAL_BASE);
      CHECK(pc < TERN_GPSIMD_LOCAL_BASE + TERN_GPSIMD_LOCAL_STRIDE);
      CHECK(bench.semaphore(0) == 1);
      // What was done before stays: processor 3 has ended, 4 has begun, 5 has not.
      CHECK(word(bench, 3 * 16) == 0x600d0003);
      CHECK(word(bench, 4 * 16) == 0x600d0004);
      CHECK(word(bench, 5 * 16) == 0);
      bench.set_semaphore(1, 1);
      bench.when(1, 2);
      CHECK(bench.peek<float>(100, 64, 1)[0] == 2.5f);
      REQUIRE(bench.write_register(TERN_REG_CORE_IRQ_CLEAR, 1));
      wait(sc_time(1, SC_NS));
    }
    // And the queue can be used again.
    bench.execute(TERN_QUEUE_GPSIMD, {custom_op(bench, file, 0x20, {kStatus, 0})});
    CHECK(word(bench, 5 * 16) == 0x600d0005);
  });
}

TEST_CASE("custom_op: a failure shows after the cycles it took") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    const sc_time start = sc_core::sc_time_stamp();
    bench.start(TERN_QUEUE_GPSIMD,
                {custom_op(bench, gpsimd_blob::misbehave(), 1, {tern_tb::kEndless, 8}), halt()});
    REQUIRE(bench.finish() == TERN_ERROR_CUSTOM_OP);
    const sc_time took = sc_core::sc_time_stamp() - start;
    CHECK(took > sc_time(1'000'000, SC_NS));
    CHECK(took < sc_time(1'001'000, SC_NS));
  });
}

TEST_CASE("custom_op: files and fields that it refuses") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    auto file = gpsimd_blob::inspect();
    file[18] = 62;  // another machine's
    CHECK(bench.fails(TERN_QUEUE_GPSIMD, {custom_op(bench, file, 1, {}), halt()},
                      TERN_ERROR_CUSTOM_OP, 0) == 0);
    const auto good = custom_op(bench, gpsimd_blob::inspect(), 1, {});
    auto in = good;
    in.custom_op.code_hi = 1;
    CHECK(bench.fails(TERN_QUEUE_GPSIMD, {in, halt()}, TERN_ERROR_BUS, 0) == kFile);
    in = good;
    in.custom_op.cores = 0;
    CHECK(bench.fails(TERN_QUEUE_GPSIMD, {in, halt()}, TERN_ERROR_ILLEGAL_FIELD, 0) == 24);
    in = good;
    in.custom_op.reserved[1] = 1;
    CHECK(bench.fails(TERN_QUEUE_GPSIMD, {in, halt()}, TERN_ERROR_ILLEGAL_FIELD, 0) == 26);
    for (const std::uint32_t bytes : {0u, (1u << 24) + 1}) {
      in = good;
      in.custom_op.code_bytes = bytes;
      CHECK(bench.fails(TERN_QUEUE_GPSIMD, {in, halt()}, TERN_ERROR_ILLEGAL_FIELD, 0) == 20);
    }
    CHECK(bench.fails(TERN_QUEUE_VECTOR, {good, halt()}, TERN_ERROR_ILLEGAL_OPCODE, 0) ==
          TERN_OPCODE_CUSTOM_OP);
    bench.execute(TERN_QUEUE_GPSIMD, {good});
  });
}
