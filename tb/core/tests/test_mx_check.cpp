// SPDX-License-Identifier: Apache-2.0
// What the core refuses in quantize_mx and dequantize_mx.
#include <catch2/catch.hpp>
#include <functional>

#include "systemc/core/instruction_check.h"
#include "tb/core/bench/program.h"

using namespace tern;
using namespace tern::tb;

namespace {

using Change = std::function<void(tern_instr_elementwise_t&)>;
constexpr unsigned kSbufBytes = 16000;

std::optional<InstructionFault> check(tern_instruction_t in, const Change& change, bool mx = true,
                                      unsigned queue = TERN_QUEUE_VECTOR) {
  change(in.elementwise);
  CoreLimits limits;
  limits.sbuf_bytes = kSbufBytes;
  limits.tensor.mx = mx;
  return check_instruction(in, queue, limits);
}
void refused(const tern_instruction_t& in, unsigned code, unsigned detail, const Change& change) {
  const auto fault = check(in, change);
  REQUIRE(fault.has_value());
  CHECK(fault->code == code);
  CHECK(fault->detail == detail);
}
void taken(const tern_instruction_t& in, const Change& change) {
  CHECK_FALSE(check(in, change).has_value());
}
void nothing(tern_instr_elementwise_t&) {}

// Byte positions of the fields: docs/reference/isa.md.
constexpr unsigned kDst = 12, kSrc0 = 24, kSrc1 = 36, kOp0 = 48, kOp1 = 49, kDstType = 50,
                   kSrc0Type = 51, kSrc1Type = 52, kPartitions = 53, kReserved = 54, kImm0 = 56;

tern_instruction_t quantize() {
  return elementwise(TERN_OPCODE_QUANTIZE_MX, 64, {ap(place(64, 512), 16), TERN_DTYPE_E4M3FN_X4},
                     {ap(place(0, 0), 64), TERN_DTYPE_BF16},
                     {ap(place(64 + 4, 1024), 16), TERN_DTYPE_E8M0}, TERN_MX_RULE_OCP);
}
tern_instruction_t dequantize() {
  return elementwise(TERN_OPCODE_DEQUANTIZE_MX, 128, {ap(place(0, 512), 64), TERN_DTYPE_FP32},
                     {ap(place(0, 0), 16), TERN_DTYPE_E5M2_X4},
                     {ap(place(12, 1024), 16), TERN_DTYPE_E8M0});
}
tern_instruction_t expand() {
  return elementwise(TERN_OPCODE_DEQUANTIZE_MX, 32, {ap(place(96, 512), 16), TERN_DTYPE_E4M3FN_X4},
                     {ap(place(32, 0), 16), TERN_DTYPE_E2M1_X4});
}

}  // namespace

TEST_CASE("MX instructions: what is taken") {
  taken(quantize(), nothing);
  taken(quantize(), [](auto& in) { in.dst_dtype = TERN_DTYPE_E5M2_X4; });
  taken(quantize(), [](auto& in) { in.src0_dtype = TERN_DTYPE_FP16; });
  taken(quantize(), [](auto& in) { in.op0 = TERN_MX_RULE_AWS; });
  taken(quantize(), [](auto& in) { in.src1.addr = place(64 + 12, kSbufBytes - 16); });
  taken(dequantize(), nothing);
  taken(dequantize(), [](auto& in) { in.dst_dtype = TERN_DTYPE_BF16; });
  taken(dequantize(), [](auto& in) { in.src0_dtype = TERN_DTYPE_E2M1_X4; });
  taken(expand(), nothing);
}

TEST_CASE("MX instructions: only on the Vector queue, only on chips with MX") {
  for (const auto& in : {quantize(), dequantize(), expand()}) {
    const auto queue = check(in, nothing, true, TERN_QUEUE_SCALAR);
    REQUIRE(queue.has_value());
    CHECK(queue->code == TERN_ERROR_ILLEGAL_OPCODE);
    const auto chip = check(in, nothing, false);
    REQUIRE(chip.has_value());
    CHECK(chip->code == TERN_ERROR_NOT_MODELLED);
    CHECK(chip->detail == 0);
  }
}

TEST_CASE("MX instructions: plain fields") {
  for (const auto& in : {quantize(), dequantize(), expand()}) {
    for (const unsigned partitions : {0u, 8u, 33u, 160u}) {
      refused(in, TERN_ERROR_ILLEGAL_FIELD, kPartitions,
              [=](auto& e) { e.partitions = static_cast<std::uint8_t>(partitions); });
    }
    refused(in, TERN_ERROR_ILLEGAL_FIELD, kOp0, [](auto& e) { e.op0 = 2; });
    refused(in, TERN_ERROR_ILLEGAL_FIELD, kOp1, [](auto& e) { e.op1 = 1; });
    refused(in, TERN_ERROR_ILLEGAL_FIELD, kReserved, [](auto& e) { e.reserved = 1; });
    refused(in, TERN_ERROR_ILLEGAL_FIELD, kImm0 + 3, [](auto& e) { e.imm0 = 2; });
    refused(in, TERN_ERROR_ILLEGAL_FIELD, kImm0 + 7, [](auto& e) { e.imm1 = -0.0f; });
  }
  refused(dequantize(), TERN_ERROR_ILLEGAL_FIELD, kOp0, [](auto& e) { e.op0 = 1; });
}

TEST_CASE("MX instructions: formats") {
  const unsigned wrong[] = {TERN_DTYPE_NONE,
                            TERN_DTYPE_UINT8,
                            TERN_DTYPE_E4M3,
                            TERN_DTYPE_E4M3FN,
                            TERN_DTYPE_E2M1,
                            19,
                            255};
  for (const unsigned dtype : wrong) {
    const auto code = static_cast<std::uint8_t>(dtype);
    for (const auto& in : {quantize(), dequantize(), expand()}) {
      refused(in, TERN_ERROR_BAD_DTYPE, kDstType, [=](auto& e) { e.dst_dtype = code; });
      refused(in, TERN_ERROR_BAD_DTYPE, kSrc0Type, [=](auto& e) { e.src0_dtype = code; });
      if (in.elementwise.src1_dtype == TERN_DTYPE_NONE) continue;
      refused(in, TERN_ERROR_BAD_DTYPE, kSrc1Type, [=](auto& e) { e.src1_dtype = code; });
    }
  }
  // E2M1 comes from the host, FP32 is no source, FP16 no result.
  refused(quantize(), TERN_ERROR_BAD_DTYPE, kDstType,
          [](auto& e) { e.dst_dtype = TERN_DTYPE_E2M1_X4; });
  refused(quantize(), TERN_ERROR_BAD_DTYPE, kSrc0Type,
          [](auto& e) { e.src0_dtype = TERN_DTYPE_FP32; });
  refused(dequantize(), TERN_ERROR_BAD_DTYPE, kDstType,
          [](auto& e) { e.dst_dtype = TERN_DTYPE_FP16; });
  // Only FP4 expands, and without scales; FP8 always has scales.
  refused(dequantize(), TERN_ERROR_BAD_DTYPE, kDstType,
          [](auto& e) { e.dst_dtype = TERN_DTYPE_E4M3FN_X4; });
  refused(expand(), TERN_ERROR_BAD_DTYPE, kSrc1Type,
          [](auto& e) { e.src1_dtype = TERN_DTYPE_E8M0; });
  refused(expand(), TERN_ERROR_ILLEGAL_FIELD, kSrc1 + 4, [](auto& e) { e.src1.num0 = 1; });
  for (const auto& in : {quantize(), dequantize()}) {
    refused(in, TERN_ERROR_BAD_DTYPE, kSrc1Type, [](auto& e) { e.src1_dtype = TERN_DTYPE_NONE; });
  }
}

TEST_CASE("MX instructions: positions and counts") {
  for (const auto& in : {quantize(), dequantize(), expand()}) {
    refused(in, TERN_ERROR_FORBIDDEN_MEMORY, kDst, [](auto& e) { e.dst.addr |= kPsum; });
    refused(in, TERN_ERROR_FORBIDDEN_MEMORY, kSrc0, [](auto& e) { e.src0.addr |= kPsum; });
    refused(in, TERN_ERROR_BAD_ACCESS_PATTERN, kDst, [](auto& e) { e.dst.addr += 1; });
    refused(in, TERN_ERROR_BAD_ACCESS_PATTERN, kSrc0, [](auto& e) { e.src0.addr += 1; });
    refused(in, TERN_ERROR_BAD_ACCESS_PATTERN, kSrc0,
            [](auto& e) { e.src0.addr += kSbufBytes - 4; });
    refused(in, TERN_ERROR_BAD_ACCESS_PATTERN, kDst, [](auto& e) { e.dst.num0 -= 1; });
    refused(in, TERN_ERROR_BAD_ACCESS_PATTERN, kDst, [](auto& e) { e.src0.num0 += 1; });
    refused(in, TERN_ERROR_BAD_ACCESS_PATTERN, kDst, [](auto& e) { e.dst.addr += 8u << 24; });
    if (in.elementwise.src1_dtype == TERN_DTYPE_NONE) continue;
    const auto bad_scales = [&](const Change& change) {
      refused(in, TERN_ERROR_BAD_ACCESS_PATTERN, kSrc1, change);
    };
    refused(in, TERN_ERROR_FORBIDDEN_MEMORY, kSrc1, [](auto& e) { e.src1.addr |= kPsum; });
    bad_scales([](auto& e) { e.src1.addr += 2u << 24; });   // not a multiple of 4
    bad_scales([](auto& e) { e.src1.addr += 16u << 24; });  // beyond 12
    bad_scales([](auto& e) {
      e.src1.addr &= 0xFFFFFF | 15u << 24;
      e.src1.addr |= 32u << 24;
    });
    bad_scales([](auto& e) { e.src1.addr += kSbufBytes - 1024 - 15; });
    bad_scales([](auto& e) { e.src1.num0 -= 1; });
    bad_scales([](auto& e) { e.src1.step0 = -100; });
  }
}
