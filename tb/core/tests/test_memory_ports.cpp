// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tb/core/bench/core_bench.h"

using namespace tern;
using namespace tern::tb;
using sc_core::SC_NS;
using sc_core::sc_time;

namespace {

constexpr unsigned kFp32 = TERN_DTYPE_FP32, kBf16 = TERN_DTYPE_BF16;

tern_instruction_t copy(const Operand& dst, const Operand& src, unsigned semaphore) {
  return updates(elementwise(TERN_OPCODE_TENSOR_COPY, 128, dst, src), TERN_UPD_OP_INC, semaphore);
}
Operand psum(unsigned bank, unsigned n) {
  return {ap(place(0, bank * 2048, kPsum), n), kFp32};
}
Operand sbuf(unsigned byte, unsigned n, unsigned dtype = kFp32) {
  return {ap(place(0, byte), n), dtype};
}

// Starts two programs at once; the times from there to the ends of their instructions, without
// fetch and latency.
struct Ends {  // the second one is visible only after the first
  double first, second;
};
Ends run_both(CoreBench& bench, unsigned queue0, const tern_instruction_t& in0, unsigned queue1,
              const tern_instruction_t& in1) {
  bench.set_semaphore(0, 0);
  bench.set_semaphore(1, 0);
  wait(sc_time(10, sc_core::SC_US));
  const sc_time start = sc_core::sc_time_stamp();
  bench.start(queue0, {in0, halt()});
  bench.start(queue1, {in1, halt()});
  Ends ends{};
  ends.first = (bench.when(0, 1) - start).to_seconds() * 1e9 - 250;
  ends.second = (bench.when(1, 1) - start).to_seconds() * 1e9 - 250;
  REQUIRE(bench.finish() == TERN_ERROR_NONE);
  return ends;
}

}  // namespace

TEST_CASE(
    "ports: Vector and Scalar reach different PSUM banks at full rate, one bank alternately") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    const auto both = [&](unsigned bank0, unsigned bank1) {
      return run_both(bench, TERN_QUEUE_VECTOR, copy(sbuf(0, 500), psum(bank0, 500), 0),
                      TERN_QUEUE_SCALAR, copy(sbuf(4096, 500), psum(bank1, 500), 1));
    };
    const Ends apart = both(2, 5);
    CHECK(apart.first == Approx(500).margin(1));
    CHECK(apart.second == Approx(500).margin(1));
    const Ends together = both(3, 3);
    CHECK(together.first == Approx(500).margin(1));
    CHECK(together.second == Approx(1000).margin(2));
    // A destination counts as well; so does an operand that reaches into the next bank.
    const Ends written = run_both(bench, TERN_QUEUE_SCALAR, copy(psum(0, 500), sbuf(0, 500), 0),
                                  TERN_QUEUE_VECTOR, copy(sbuf(4096, 600), psum(0, 600), 1));
    CHECK(written.second == Approx(1100).margin(2));
    Operand across = psum(0, 500);
    across.pattern.addr += 1024;
    const Ends next = run_both(bench, TERN_QUEUE_VECTOR, copy(sbuf(0, 500), across, 0),
                               TERN_QUEUE_SCALAR, copy(sbuf(4096, 500), psum(1, 500), 1));
    CHECK(next.second == Approx(1000).margin(2));
  });
}

TEST_CASE("ports: GpSimd waits for Vector's performance modes, Vector goes without them") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    const auto halves = copy(sbuf(0, 2000, kBf16), sbuf(8192, 2000, kBf16), 0);
    const auto words = copy(sbuf(0, 500), psum(0, 500), 0);
    const auto gpsimd = copy(sbuf(16384, 300), sbuf(20480, 300), 1);
    // Vector first, at four elements a cycle: GpSimd starts when it ends.
    const Ends fast = run_both(bench, TERN_QUEUE_VECTOR, halves, TERN_QUEUE_GPSIMD, gpsimd);
    CHECK(fast.first == Approx(500).margin(1));
    CHECK(fast.second == Approx(800).margin(2));
    // At one element a cycle they do not collide.
    const auto longer = copy(sbuf(16384, 800), sbuf(20480, 800), 1);
    const Ends slow = run_both(bench, TERN_QUEUE_VECTOR, words, TERN_QUEUE_GPSIMD, longer);
    CHECK(slow.first == Approx(500).margin(1));
    CHECK(slow.second == Approx(800).margin(1));
    // GpSimd first: Vector runs at one element a cycle.
    auto first = gpsimd, second = halves;
    first.header.upd_sem = 0;
    second.header.upd_sem = 1;
    const Ends plain = run_both(bench, TERN_QUEUE_GPSIMD, first, TERN_QUEUE_VECTOR, second);
    CHECK(plain.first == Approx(300).margin(1));
    CHECK(plain.second == Approx(2000).margin(1));
  });
}
