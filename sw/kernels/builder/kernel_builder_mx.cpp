// SPDX-License-Identifier: Apache-2.0
// The MX conversions of the vector queue.
#include "sw/base/user_error.h"
#include "sw/kernels/builder/builder_mx.h"
#include "sw/kernels/builder/program/encoding.h"
#include "sw/kernels/builder/tensor/operand_checks.h"

namespace tern::kernels {

namespace {

constexpr unsigned kSlots = 4, kQuadrant = TERN_LIMIT_QUADRANT, kLastOffset = 12;

std::string text(const TileView& view) {
  return shape_text(view) + " of " + std::string(numerics::dtype_name(view.dtype));
}

// Throws for one instruction of the caller's line.
class Checks {
 public:
  Checks(SourceLine where, std::string name) : where_(where), name_(std::move(name)) {}

  void require(bool condition, const std::string& message) const {
    if (!condition) throw UserError(where_.text() + ": " + name_ + ": " + message);
  }

  // x4 elements on whole quadrants, and the other operand with `factor` times as many elements.
  void shapes(const TileView& x4, const TileView& other, const char* role, unsigned factor) const {
    require(x4.space == Space::kSbuf && other.space == Space::kSbuf, "expected tiles in SBUF");
    require(x4.partitions % kQuadrant == 0,
            "x4 " + text(x4) + ": expected a multiple of 32 partitions");
    require(other.partitions == x4.partitions && other.elements() == factor * x4.elements(),
            std::string(role) + " " + text(other) + ": expected [" + std::to_string(x4.partitions) +
                ", " + std::to_string(factor * x4.elements()) + "] next to x4 " + text(x4));
  }

  void scales(const TileView& scales, const TileView& x4, unsigned offset) const {
    require(scales.dtype == DType::kE8m0, "scales " + text(scales) + ": expected e8m0");
    require(scales.space == Space::kSbuf && scales.partition == x4.partition &&
                scales.partitions == x4.partitions && scales.elements() == x4.elements(),
            "scales " + text(scales) + " on partition " + std::to_string(scales.partition) +
                ": expected [" + std::to_string(x4.partitions) + ", " +
                std::to_string(x4.elements()) + "] in SBUF on partition " +
                std::to_string(x4.partition) + " as the x4 elements");
    require(offset % kSlots == 0 && offset <= kLastOffset,
            "scale offset " + std::to_string(offset) + ": expected 0, 4, 8 or 12");
  }

 private:
  SourceLine where_;
  std::string name_;
};

tern_instruction_t encode(unsigned opcode, const TileView& dst, const TileView& src) {
  tern_instruction_t instruction{};
  instruction.header.opcode = static_cast<std::uint8_t>(opcode);
  auto& fields = instruction.elementwise;
  fields.dst = pattern(dst);
  fields.dst_dtype = code(dst.dtype);
  fields.src0 = pattern(src);
  fields.src0_dtype = code(src.dtype);
  fields.partitions = static_cast<std::uint8_t>(dst.partitions);
  return instruction;
}

void encode_scales(tern_instruction_t* instruction, TileView scales, unsigned offset) {
  scales.partition += offset;
  instruction->elementwise.src1 = pattern(scales);
  instruction->elementwise.src1_dtype = code(scales.dtype);
}

}  // namespace

void MxCalls::quantize_mx(const TileView& dst, const TileView& scales, const TileView& src,
                          MxRule rule, unsigned offset, SourceLine where) {
  const char* name = "quantize_mx";
  const Checks checks(where, name);
  checks.require(chip_.core.tensor.mx, "chip '" + chip_.name + "' has no MX formats");
  check_view(name, dst, true, "destination", where);
  check_view(name, src, false, "source", where);
  check_view(name, scales, true, "scales", where);
  checks.require(numerics::is_fp8_x4(dst.dtype),
                 "destination " + text(dst) + ": expected e4m3fn_x4 or e5m2_x4");
  checks.require(src.dtype == DType::kBf16 || src.dtype == DType::kFp16,
                 "source " + text(src) + ": expected bf16 or fp16");
  checks.shapes(dst, src, "source", kSlots);
  checks.scales(scales, dst, offset);
  tern_instruction_t instruction = encode(TERN_OPCODE_QUANTIZE_MX, dst, src);
  encode_scales(&instruction, scales, offset);
  instruction.elementwise.op0 = static_cast<std::uint8_t>(rule);
  std::vector<HazardMap::Access> accesses = accesses_of(mx(dst, scales, offset));
  for (HazardMap::Access& access : accesses) access.write = true;
  accesses.push_back(access_of(src, false));
  emit(TERN_QUEUE_VECTOR, instruction, name, accesses, where);
}

void MxCalls::dequantize_mx(const TileView& dst, const TileView& src, const TileView& scales,
                            unsigned offset, SourceLine where) {
  const char* name = "dequantize_mx";
  const Checks checks(where, name);
  checks.require(chip_.core.tensor.mx, "chip '" + chip_.name + "' has no MX formats");
  check_view(name, dst, true, "destination", where);
  check_view(name, src, false, "source", where);
  check_view(name, scales, false, "scales", where);
  checks.require(dst.dtype == DType::kBf16 || dst.dtype == DType::kFp32,
                 "destination " + text(dst) + ": expected bf16 or fp32");
  checks.require(numerics::is_fp8_x4(src.dtype) || src.dtype == DType::kE2m1X4,
                 "source " + text(src) + ": expected e4m3fn_x4, e5m2_x4 or e2m1_x4");
  checks.shapes(src, dst, "destination", kSlots);
  checks.scales(scales, src, offset);
  tern_instruction_t instruction = encode(TERN_OPCODE_DEQUANTIZE_MX, dst, src);
  encode_scales(&instruction, scales, offset);
  std::vector<HazardMap::Access> accesses = accesses_of(mx(src, scales, offset));
  accesses.push_back(access_of(dst, true));
  emit(TERN_QUEUE_VECTOR, instruction, name, accesses, where);
}

void MxCalls::expand_fp4(const TileView& dst, const TileView& src, SourceLine where) {
  const char* name = "dequantize_mx";
  const Checks checks(where, name);
  checks.require(chip_.core.tensor.mx, "chip '" + chip_.name + "' has no MX formats");
  check_view(name, dst, true, "destination", where);
  check_view(name, src, false, "source", where);
  checks.require(src.dtype == DType::kE2m1X4 && dst.dtype == DType::kE4m3FnX4,
                 "source " + text(src) + ", destination " + text(dst) +
                     ": without scales only e2m1_x4 becomes e4m3fn_x4");
  checks.shapes(src, dst, "destination", 1);
  emit(TERN_QUEUE_VECTOR, encode(TERN_OPCODE_DEQUANTIZE_MX, dst, src), name,
       {access_of(src, false), access_of(dst, true)}, where);
}

}  // namespace tern::kernels
