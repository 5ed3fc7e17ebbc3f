// SPDX-License-Identifier: Apache-2.0
// One function per instruction of the Vector and Scalar queues: checks, encoding, operands.
#include <algorithm>
#include <cstdint>
#include <limits>

#include "sw/kernels/builder/encoding.h"
#include "sw/kernels/builder/kernel_builder.h"
#include "sw/kernels/builder/limits.h"
#include "sw/kernels/builder/operand_checks.h"
#include "systemc/config/user_error.h"

namespace tern::kernels {

namespace {

[[noreturn]] void fail(SourceLine where, const std::string& name, const std::string& message) {
  throw UserError(where.text() + ": " + name + ": " + message);
}

}  // namespace

void KernelBuilder::check_view(const char* name, const Operand& operand, SourceLine where) const {
  const TileView& view = *operand.view;
  const std::string role = std::string(operand.role) + " " + shape_text(view);
  if (view.partitions < 1 || view.partition + view.partitions > kPartitions) {
    fail(where, name, role + ": leaves the 128 partitions");
  }
  if (!legal_start_partition(view.partition, view.partitions)) {
    fail(where, name,
         role + ": cannot start on partition " + std::to_string(view.partition) +
             " (more than 64 partitions start on 0, 33..64 on 0 or 64, up to 32 on "
             "0, 32, 64 or 96)");
  }
  constexpr std::uint32_t kMaxCount = std::numeric_limits<std::uint16_t>::max();
  if (view.num0 < 1 || view.num1 < 1 || view.num0 > kMaxCount || view.num1 > kMaxCount) {
    fail(where, name, role + ": expected 1..65535 elements in each free dimension");
  }
  const auto fits = [](std::int32_t step) { return step >= INT16_MIN && step <= INT16_MAX; };
  if (!fits(view.step0) || !fits(view.step1)) {
    fail(where, name, role + ": a step beyond 16 bits");
  }
  const Box box = access_of(view, operand.write).box;
  const std::uint64_t limit =
      view.space == Space::kSbuf ? chip_.core.sbuf_partition_bytes : kPsumPartitionBytes;
  if (box.x0 > box.x1 || box.x1 > limit) fail(where, name, role + ": leaves its partition");
  if (view.byte % numerics::dtype_size(view.dtype) != 0) {
    fail(where, name, role + ": not aligned to its elements");
  }
  if (operand.write && ((view.step0 == 0 && view.num0 > 1) || (view.step1 == 0 && view.num1 > 1))) {
    fail(where, name, role + ": written through a broadcast view");
  }
}

// Vector and Scalar compute with these formats; they reach one PSUM bank at a time and write FP32
// there.
void KernelBuilder::check_element_operand(const char* name, const Operand& operand,
                                          SourceLine where) const {
  check_view(name, operand, where);
  const TileView& view = *operand.view;
  const std::string role = std::string(operand.role) + " " + shape_text(view);
  if (!numerics::is_compute_dtype(view.dtype)) {
    fail(where, name, role + ": no arithmetic in " + std::string(numerics::dtype_name(view.dtype)));
  }
  if (view.space != Space::kPsum) return;
  const Box box = access_of(view, operand.write).box;
  if (box.x0 / kPsumBankBytes != (box.x1 - 1) / kPsumBankBytes) {
    fail(where, name, role + ": crosses from one PSUM bank (512 fp32) into the next");
  }
  if (operand.write && view.dtype != DType::kFp32) {
    fail(where, name,
         role + ": PSUM is written in fp32, got " + std::string(numerics::dtype_name(view.dtype)));
  }
}

void KernelBuilder::elementwise(unsigned queue, unsigned opcode, const char* name,
                                const TileView& dst, const TileView* src0, const TileView* src1,
                                bool src1_is_column, tern_instr_elementwise_t fields,
                                SourceLine where) {
  tern_instruction_t instruction{};
  instruction.elementwise = fields;
  instruction.header.opcode = static_cast<std::uint8_t>(opcode);
  auto& body = instruction.elementwise;
  check_element_operand(name, {&dst, true, "destination"}, where);
  std::vector<HazardMap::Access> accesses = {access_of(dst, true)};
  body.dst = pattern(dst);
  body.dst_dtype = code(dst.dtype);
  body.partitions = static_cast<std::uint8_t>(dst.partitions);
  const auto add_source = [&](const TileView& view, const char* role) {
    check_element_operand(name, {&view, false, role}, where);
    if (view.partitions != dst.partitions) {
      fail(where, name,
           std::string(role) + " " + shape_text(view) + ": the destination has " +
               std::to_string(dst.partitions) + " partitions");
    }
    accesses.push_back(access_of(view, false));
  };
  const bool reduces = opcode == TERN_OPCODE_TENSOR_REDUCE;
  if (src0 != nullptr) {
    add_source(*src0, "source");
    const std::uint64_t results = reduces ? src0->num1 : src0->elements();
    if (results != dst.elements()) {
      fail(where, name,
           "source " + shape_text(*src0) + " gives " + std::to_string(results) +
               " elements per partition, the destination " + shape_text(dst) + " takes " +
               std::to_string(dst.elements()));
    }
    body.src0 = pattern(*src0);
    body.src0_dtype = code(src0->dtype);
  }
  if (src1 != nullptr) {
    const char* role = src1_is_column ? "per-partition scalar" : "second source";
    add_source(*src1, role);
    if (src1_is_column) {
      if (src1->elements() != 1 || src1->dtype != DType::kFp32) {
        fail(where, name,
             std::string(role) + " " + shape_text(*src1) + ": expected [" +
                 std::to_string(dst.partitions) + ", 1] of fp32");
      }
    } else if (src1->elements() != dst.elements()) {
      fail(where, name,
           std::string(role) + " " + shape_text(*src1) + ": the destination is " + shape_text(dst));
    }
    body.src1 = pattern(*src1);
    body.src1_dtype = code(src1->dtype);
  }
  emit(queue, instruction, name, accesses, where);
}

void KernelBuilder::activation(const TileView& dst, Activation func, const TileView& src,
                               float scale, float bias, SourceLine where) {
  tern_instr_elementwise_t fields{};
  fields.op0 = static_cast<std::uint8_t>(func);
  fields.imm0 = scale;
  fields.imm1 = bias;
  elementwise(TERN_QUEUE_SCALAR, TERN_OPCODE_ACTIVATION, "activation", dst, &src, nullptr, false,
              fields, where);
}

void KernelBuilder::activation(const TileView& dst, Activation func, const TileView& src,
                               float scale, const TileView& bias, SourceLine where) {
  tern_instr_elementwise_t fields{};
  fields.op0 = static_cast<std::uint8_t>(func);
  fields.imm0 = scale;
  elementwise(TERN_QUEUE_SCALAR, TERN_OPCODE_ACTIVATION, "activation", dst, &src, &bias, true,
              fields, where);
}

void KernelBuilder::tensor_copy(const TileView& dst, const TileView& src, Engine engine,
                                SourceLine where) {
  elementwise(static_cast<unsigned>(engine), TERN_OPCODE_TENSOR_COPY, "tensor_copy", dst, &src,
              nullptr, false, {}, where);
}

void KernelBuilder::tensor_tensor(const TileView& dst, const TileView& src0, Alu op,
                                  const TileView& src1, SourceLine where) {
  if (op == Alu::kBypass) fail(where, "tensor_tensor", "expected an operation, got bypass");
  tern_instr_elementwise_t fields{};
  fields.op0 = static_cast<std::uint8_t>(op);
  elementwise(TERN_QUEUE_VECTOR, TERN_OPCODE_TENSOR_TENSOR, "tensor_tensor", dst, &src0, &src1,
              false, fields, where);
}

void KernelBuilder::tensor_scalar(const TileView& dst, const TileView& src, Alu op0, float scalar0,
                                  Alu op1, float scalar1, SourceLine where) {
  tern_instr_elementwise_t fields{};
  fields.op0 = static_cast<std::uint8_t>(op0);
  fields.op1 = static_cast<std::uint8_t>(op1);
  fields.imm0 = scalar0;
  fields.imm1 = scalar1;
  elementwise(TERN_QUEUE_VECTOR, TERN_OPCODE_TENSOR_SCALAR, "tensor_scalar", dst, &src, nullptr,
              false, fields, where);
}

void KernelBuilder::tensor_scalar(const TileView& dst, const TileView& src, Alu op0,
                                  const TileView& scalar0, Alu op1, float scalar1,
                                  SourceLine where) {
  tern_instr_elementwise_t fields{};
  fields.op0 = static_cast<std::uint8_t>(op0);
  fields.op1 = static_cast<std::uint8_t>(op1);
  fields.imm1 = scalar1;
  elementwise(TERN_QUEUE_VECTOR, TERN_OPCODE_TENSOR_SCALAR, "tensor_scalar", dst, &src, &scalar0,
              true, fields, where);
}

void KernelBuilder::tensor_reduce(const TileView& dst, Alu op, const TileView& src, bool negate,
                                  SourceLine where) {
  if (op != Alu::kAdd && op != Alu::kMax && op != Alu::kMin) {
    fail(where, "tensor_reduce", "expected add, max or min");
  }
  tern_instr_elementwise_t fields{};
  fields.op0 = static_cast<std::uint8_t>(op);
  fields.op1 = negate ? TERN_ALU_OP_SUBTRACT : TERN_ALU_OP_BYPASS;
  elementwise(TERN_QUEUE_VECTOR, TERN_OPCODE_TENSOR_REDUCE, "tensor_reduce", dst, &src, nullptr,
              false, fields, where);
}

void KernelBuilder::memset(const TileView& dst, float value, SourceLine where) {
  tern_instr_elementwise_t fields{};
  fields.imm0 = value;
  elementwise(TERN_QUEUE_VECTOR, TERN_OPCODE_MEMSET, "memset", dst, nullptr, nullptr, false, fields,
              where);
}

void KernelBuilder::reciprocal(const TileView& dst, const TileView& src, SourceLine where) {
  elementwise(TERN_QUEUE_VECTOR, TERN_OPCODE_RECIPROCAL, "reciprocal", dst, &src, nullptr, false,
              {}, where);
}

}  // namespace tern::kernels
