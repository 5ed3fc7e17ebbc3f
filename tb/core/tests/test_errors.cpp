// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sw/spec/generated/registers.h"
#include "tb/core/bench/core_bench.h"

using namespace tern;
using namespace tern::tb;
using sc_core::sc_time;

namespace {

tern_instruction_t good_load() {
  return load_stationary(ap(place(0, 0), 128), 128, 128);
}
tern_instruction_t good_multiply() {
  return multiply_moving(ap(place(0, 4096), 64), ap(place(0, 0, kPsum), 64), 128, 128);
}

}  // namespace

TEST_CASE("core errors: an illegal instruction stops its queue, what came before it completes") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    for (unsigned queue : {TERN_QUEUE_TENSOR, TERN_QUEUE_VECTOR, TERN_QUEUE_SCALAR,
                           TERN_QUEUE_GPSIMD, TERN_QUEUE_SYNC}) {
      bench.set_semaphore(0, 0);
      const std::uint32_t detail = bench.fails(queue,
                                               {updates(nop(), TERN_UPD_OP_INC, 0), plain(0x77),
                                                updates(nop(), TERN_UPD_OP_INC, 0), halt()},
                                               TERN_ERROR_ILLEGAL_OPCODE, 1);
      CHECK(detail == 0x77);
      CHECK(bench.semaphore(0) == 1);
      bench.execute(queue, {nop()});  // the queue can be used again
    }
  });
}

TEST_CASE("core errors: an instruction of another queue") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    CHECK(bench.fails(TERN_QUEUE_SYNC, {good_load(), halt()}, TERN_ERROR_ILLEGAL_OPCODE, 0) ==
          TERN_OPCODE_LOAD_STATIONARY);
    CHECK(bench.fails(TERN_QUEUE_TENSOR, {dma_trigger(0, 1), halt()}, TERN_ERROR_ILLEGAL_OPCODE,
                      0) == TERN_OPCODE_DMA_TRIGGER);
  });
}

TEST_CASE("core errors: a program without an end, without a beginning, and outside the memory") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    CHECK(bench.fails(TERN_QUEUE_SYNC, {nop(), nop()}, TERN_ERROR_ILLEGAL_OPCODE, 2) == 0);
    CHECK(bench.fails(TERN_QUEUE_SYNC, {}, TERN_ERROR_ILLEGAL_OPCODE, 0) == 0);

    const std::uint32_t regs = TERN_QUEUE_SYNC * TERN_REG_CORE_QUEUE_BASE_STRIDE;
    const auto run_at = [&](std::uint32_t base, std::uint32_t length) {
      REQUIRE(bench.write_register(regs + TERN_REG_CORE_QUEUE_BASE, base));
      REQUIRE(bench.write_register(regs + TERN_REG_CORE_QUEUE_LENGTH, length));
      REQUIRE(bench.write_register(regs + TERN_REG_CORE_QUEUE_START, 1));
      REQUIRE(bench.finish() == TERN_ERROR_BUS);
      const std::uint32_t detail = bench.read_register(TERN_REG_CORE_ERROR_DETAIL);
      wait(sc_time(1, sc_core::SC_US));
      REQUIRE(bench.write_register(TERN_REG_CORE_IRQ_CLEAR, 1));
      return detail;
    };
    CHECK(run_at(0x7FFFFFC0, 1) == 0x7FFFFFC0);
    CHECK(run_at(0x40020, 1) == 0x40020);  // not aligned
    CHECK(bench.read_register(TERN_REG_CORE_ERROR_CODE) == TERN_ERROR_NONE);

    // The second block is outside: the first one runs.
    Program program(64, updates(nop(), TERN_UPD_OP_INC, 5));
    std::memcpy(&bench.memory[CoreBench::kMemoryBytes - 64 * 64], program.data(), 64 * 64);
    CHECK(run_at(CoreBench::kMemoryBytes - 64 * 64, 65) == CoreBench::kMemoryBytes);
    CHECK(bench.semaphore(5) == 64);
  });
}

TEST_CASE("core errors: semaphores do not leave their range") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    for (unsigned queue : {TERN_QUEUE_TENSOR, TERN_QUEUE_VECTOR}) {
      bench.set_semaphore(7, 1);
      bench.set_semaphore(8, 0xFFFFFFFF);
      CHECK(bench.fails(
                queue,
                {nop(), updates(nop(), TERN_UPD_OP_SUB_IMM, 7, 2),
                 updates(nop(), TERN_UPD_OP_INC, 7), waits(nop(), TERN_WAIT_COND_EQ, 9, 1), halt()},
                TERN_ERROR_SEMAPHORE_RANGE, 1) == 7);
      CHECK(bench.semaphore(7) == 1);  // neither the failed update nor a later one
      CHECK(bench.fails(queue, {updates(nop(), TERN_UPD_OP_INC, 8), halt()},
                        TERN_ERROR_SEMAPHORE_RANGE, 0) == 8);
      CHECK(bench.semaphore(8) == 0xFFFFFFFF);
    }
  });
}

TEST_CASE("core errors: the first error wins, other queues continue") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    bench.start(TERN_QUEUE_SYNC, {nop(), nop(), nop(), plain(0x99), halt()});
    bench.start(TERN_QUEUE_GPSIMD, {plain(0x98), halt()});
    Program longer(50, updates(nop(), TERN_UPD_OP_INC, 1));
    longer.push_back(halt());
    bench.start(TERN_QUEUE_VECTOR, longer);
    REQUIRE(bench.finish() == TERN_ERROR_ILLEGAL_OPCODE);
    CHECK(bench.read_register(TERN_REG_CORE_CORE_STATUS) == (1 | 4));
    wait(sc_time(10, sc_core::SC_US));
    CHECK(bench.read_register(TERN_REG_CORE_ERROR_QUEUE) == TERN_QUEUE_GPSIMD);
    CHECK(bench.read_register(TERN_REG_CORE_ERROR_DETAIL) == 0x98);
    CHECK(bench.read_register(TERN_REG_CORE_ERROR_INDEX) == 0);
    CHECK(bench.semaphore(1) == 50);
    CHECK(bench.read_register(TERN_REG_CORE_QUEUE_PC +
                              TERN_QUEUE_SYNC * TERN_REG_CORE_QUEUE_PC_STRIDE) == 3);
    CHECK(bench.read_register(TERN_REG_CORE_CORE_STATUS) == 4);
  });
}

TEST_CASE("core errors: what the tensor engine rejects carries its status code") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    CHECK(bench.fails(TERN_QUEUE_TENSOR, {good_multiply(), halt()}, TERN_ERROR_TENSOR_ENGINE, 0) ==
          static_cast<unsigned>(TensorStatusCode::kNoStationary));
    auto misaligned = good_load();
    misaligned.load_stationary.src.addr += 1;
    CHECK(bench.fails(TERN_QUEUE_TENSOR, {misaligned, halt()}, TERN_ERROR_TENSOR_ENGINE, 0) ==
          static_cast<unsigned>(TensorStatusCode::kBadAlignment));
    auto other_tile = good_multiply();
    other_tile.multiply_moving.cols = 64;
    // Commands after the rejected one have no effect on semaphores.
    CHECK(bench.fails(
              TERN_QUEUE_TENSOR,
              {updates(good_load(), TERN_UPD_OP_INC, 0), updates(other_tile, TERN_UPD_OP_INC, 0),
               updates(good_multiply(), TERN_UPD_OP_INC, 0), waits(nop(), TERN_WAIT_COND_EQ, 9, 1),
               halt()},
              TERN_ERROR_TENSOR_ENGINE,
              1) == static_cast<unsigned>(TensorStatusCode::kNoStationary));
    CHECK(bench.semaphore(0) == 1);
    bench.execute(TERN_QUEUE_TENSOR, {good_load(), good_multiply()});
  });
}

TEST_CASE("core errors: a running queue cannot be started") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    bench.start(TERN_QUEUE_SYNC, {waits(halt(), TERN_WAIT_COND_EQ, 0, 1)});
    CHECK_FALSE(bench.write_register(
        TERN_REG_CORE_QUEUE_START + TERN_QUEUE_SYNC * TERN_REG_CORE_QUEUE_START_STRIDE, 1));
    bench.set_semaphore(0, 1);
    CHECK(bench.finish() == TERN_ERROR_NONE);
  });
}
