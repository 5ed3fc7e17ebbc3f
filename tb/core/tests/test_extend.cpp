// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cstddef>
#include <cstring>

#include "systemc/core/merge_extension.h"
#include "tb/core/bench/core_bench.h"

using namespace tern;
using namespace tern::tb;

namespace {

constexpr std::size_t kBehind = sizeof(tern_instruction_t);  // detail of a fault in the extension

tern_instruction_t copy() {
  return elementwise(TERN_OPCODE_TENSOR_COPY, 1, {ap(place(0, 1024), 4), TERN_DTYPE_FP32},
                     {ap(place(0, 0), 4), TERN_DTYPE_FP32});
}

Operation with_registers(const tern_instruction_t& in, unsigned dst, unsigned src0, unsigned wait,
                         unsigned num) {
  Operation operation{in, {}};
  operation.extension.header.opcode = TERN_OPCODE_EXTEND;
  operation.extension.dst_reg = static_cast<std::uint8_t>(dst);
  operation.extension.src0_reg = static_cast<std::uint8_t>(src0);
  operation.extension.wait_reg = static_cast<std::uint8_t>(wait);
  operation.extension.num_reg = static_cast<std::uint8_t>(num);
  return operation;
}

}  // namespace

TEST_CASE("extend: registers are added to addresses and the wait value, replace the length") {
  ScalarRegisters registers;
  registers.set(0, 77);  // stays zero
  registers.set(1, 256);
  registers.set(2, static_cast<std::uint32_t>(-4));
  registers.set(63, 3);
  CHECK(registers[0] == 0);

  tern_instruction_t in = waits(copy(), TERN_WAIT_COND_GE, 5, 10);
  in.elementwise.src0.addr = place(32, 8, kPsum);
  Operation operation = with_registers(in, 1, 2, 63, 63);
  REQUIRE_FALSE(resolve_registers(operation, registers));
  const auto& out = operation.instruction.elementwise;
  CHECK(out.dst.addr == place(0, 1024 + 256));
  CHECK(out.src0.addr == place(32, 4, kPsum));
  CHECK(out.src1.addr == 0);
  CHECK(out.dst.num0 == 3);
  CHECK(out.src0.num0 == 3);
  CHECK(out.src1.num0 == 0);
  CHECK(out.header.wait_value == 13);
  const tern_instr_extend_t none{};
  CHECK(std::memcmp(&operation.extension, &none, sizeof none) == 0);
}

TEST_CASE("extend: a register that leads out of a field") {
  ScalarRegisters registers;
  registers.set(1, 0x1000000);
  registers.set(2, static_cast<std::uint32_t>(-5));
  registers.set(3, 65536);
  const auto refused = [&](const Operation& operation, unsigned code, std::size_t detail) {
    Operation copy = operation;
    const auto fault = resolve_registers(copy, registers);
    REQUIRE(fault);
    CHECK(fault->code == code);
    CHECK(fault->detail == detail);
  };
  using Elementwise = tern_instr_elementwise_t;
  refused(with_registers(copy(), 1, 0, 0, 0), TERN_ERROR_BAD_ACCESS_PATTERN,
          offsetof(Elementwise, dst));
  refused(with_registers(copy(), 0, 2, 0, 0), TERN_ERROR_BAD_ACCESS_PATTERN,
          offsetof(Elementwise, src0));
  for (const unsigned number : {3u, 4u}) {  // 65536 and 0 elements
    refused(with_registers(copy(), 0, 0, 0, number), TERN_ERROR_BAD_ACCESS_PATTERN,
            offsetof(Elementwise, dst) + offsetof(tern_ap_t, num0));
  }
  // Operands the instruction does not have.
  refused(with_registers(nop(), 1, 0, 0, 0), TERN_ERROR_ILLEGAL_FIELD,
          kBehind + offsetof(tern_instr_extend_t, dst_reg));
  refused(with_registers(nop(), 0, 0, 0, 1), TERN_ERROR_ILLEGAL_FIELD,
          kBehind + offsetof(tern_instr_extend_t, num_reg));
}

TEST_CASE("extend: outer dimensions reach the engine") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    bench.poke<float>(0, 0, {1, 2, 3, 4, 5, 6, 7, 8});
    bench.poke<float>(0, 1024, std::vector<float>(8));
    tern_instruction_t outer = extend();
    outer.extend.dst_outer = {2, 4, 0, 0};
    outer.extend.src0_outer = {2, 4, 0, 0};
    tern_instruction_t reversed = copy();
    reversed.elementwise.src0 = ap(place(0, 12), 4, -1);
    bench.execute(TERN_QUEUE_VECTOR,
                  {outer, updates(waits(reversed, TERN_WAIT_COND_EQ, 1, 0), TERN_UPD_OP_INC, 1)});
    CHECK(bench.peek<float>(0, 1024, 8) == std::vector<float>{4, 3, 2, 1, 8, 7, 6, 5});
    CHECK(bench.semaphore(1) == 1);
  });
}

TEST_CASE("extend: faults") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    const unsigned q = TERN_QUEUE_VECTOR;
    for (const auto& behind :
         {extend(), plain(TERN_OPCODE_REGISTER_ALU), plain(TERN_OPCODE_REGISTER_LOAD),
          plain(TERN_OPCODE_REGISTER_STORE), plain(TERN_OPCODE_BRANCH), plain(TERN_OPCODE_LOOP)}) {
      bench.fails(q, {nop(), extend(), behind, halt()}, TERN_ERROR_CONTROL_FLOW, 1);
    }
    bench.fails(q, {nop(), extend()}, TERN_ERROR_CONTROL_FLOW, 1);  // nothing follows it

    const auto field = [&](const tern_instruction_t& in) {
      return bench.fails(q, {nop(), in, copy(), halt()}, TERN_ERROR_ILLEGAL_FIELD, 1);
    };
    CHECK(field(waits(extend(), TERN_WAIT_COND_GE, 0, 0)) == 1);
    CHECK(field(waits(extend(), TERN_WAIT_COND_NONE, 1, 0)) == 2);
    CHECK(field(updates(extend(), TERN_UPD_OP_NONE, 1)) == 3);
    CHECK(field(waits(extend(), TERN_WAIT_COND_NONE, 0, 1)) == 4);
    CHECK(field(updates(extend(), TERN_UPD_OP_INC, 0)) == 8);
    CHECK(field(updates(extend(), TERN_UPD_OP_NONE, 0, 256)) == 11);
    for (unsigned byte = offsetof(tern_instr_extend_t, dst_reg); byte < 64; ++byte) {
      tern_instruction_t in = extend();
      in.bytes[byte] = 64;
      CHECK(field(in) == byte);
    }

    // Parts that the next instruction does not use: its own fault, byte + 64.
    tern_instruction_t in = extend();
    in.extend.flags = 64;
    CHECK(bench.fails(q, {in, copy(), halt()}, TERN_ERROR_ILLEGAL_FIELD, 1) ==
          kBehind + offsetof(tern_instr_extend_t, flags));
    in = extend();
    in.extend.src0_outer.num2 = 2;
    const auto load = load_stationary(ap(place(0, 0), 128), 128, 128);
    CHECK(bench.fails(TERN_QUEUE_TENSOR, {in, load, halt()}, TERN_ERROR_NOT_MODELLED, 1) ==
          kBehind + offsetof(tern_instr_extend_t, src0_outer));
  });
}
