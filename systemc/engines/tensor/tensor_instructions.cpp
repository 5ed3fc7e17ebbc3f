// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstddef>

#include "sw/numerics/dtype.h"
#include "sw/spec/access_pattern.h"
#include "sw/spec/generated/formats.h"
#include "sw/spec/generated/tensor_shapes.h"
#include "sw/spec/tensor_modes.h"
#include "systemc/engines/instruction/field_checker.h"
#include "systemc/engines/instruction/operand_text.h"
#include "systemc/engines/tensor/tensor_command.h"
#include "systemc/engines/tensor/tensor_instructions.h"

// The instructions of the tensor queue: their checks and their traces. What depends on more than
// the instruction's own fields and the chip's features is left to the engine: shapes of tiles,
// alignment, scales, tags, a missing stationary.
namespace tern {

namespace {

using Load = tern_instr_load_stationary_t;
using Multiply = tern_instr_multiply_moving_t;
using Transpose = tern_instr_transpose_t;

constexpr unsigned kMaxRows = TERN_TENSOR_ROWS, kMaxCols = TERN_TENSOR_COLS,
                   kColumnGroup = kMaxCols / 4;
constexpr unsigned kQuadSlots = 4;

std::size_t size_of(unsigned dtype) {
  return numerics::dtype_size(static_cast<numerics::DType>(dtype));
}

bool is_four_bytes(unsigned dtype) {
  return dtype == TERN_DTYPE_FP32 || dtype == TERN_DTYPE_TF32;
}

class TensorChecker : public FieldChecker {
 public:
  using FieldChecker::FieldChecker;

  void load_stationary() const;
  void multiply_moving() const;
  void transpose() const;

 private:
  // The fields that load_stationary and multiply_moving share, at their own offsets.
  struct ModeFields {
    std::uint8_t dtype, mode, half, sparsity, tile_rows, tile_cols, col_start, scale_offset;
    std::size_t dtype_at, mode_at, half_at, sparsity_at, tile_rows_at, tile_cols_at, col_start_at,
        scale_offset_at;
  };

  void no_outer_dimensions() const;
  void shape(unsigned rows, std::size_t rows_at, unsigned cols, std::size_t cols_at) const;
  void mode(const ModeFields& fields) const;
  void operand_dtype(const ModeFields& fields) const;
  void feature(bool present, std::size_t byte) const {
    require(present, TERN_ERROR_NOT_MODELLED, byte);
  }
  void stationary(const tern_ap_t& src, std::size_t byte, unsigned dtype, unsigned rows,
                  unsigned cols, bool dense) const;
  void destination() const;
};

// Outer dimensions are the real chip's, not this array's; it has no other use for an extension.
void TensorChecker::no_outer_dimensions() const {
  const tern_outer_t& outer = extension().src0_outer;
  feature(outer.num2 <= 1 && outer.num3 <= 1,
          kExtensionByte + offsetof(tern_instr_extend_t, src0_outer));
  no_extension();
}

void TensorChecker::shape(unsigned rows, std::size_t rows_at, unsigned cols,
                          std::size_t cols_at) const {
  field(rows >= 1 && rows <= kMaxRows, rows_at);
  field(cols >= 1 && cols <= kMaxCols, cols_at);
}

void TensorChecker::operand_dtype(const ModeFields& f) const {
  require(tensor_mode_takes(f.mode, f.dtype), TERN_ERROR_BAD_DTYPE, f.dtype_at);
  feature(f.dtype != TERN_DTYPE_E4M3FN || limits().tensor.e4m3fn, f.dtype_at);
}

// Fields that the mode does not use are zero.
void TensorChecker::mode(const ModeFields& f) const {
  const bool dense = f.mode == TERN_TENSOR_MODE_DENSE;
  const bool sparse = f.mode == TERN_TENSOR_MODE_SPARSE;
  field(f.mode <= TERN_TENSOR_MODE_QUAD, f.mode_at);
  feature(f.mode != TERN_TENSOR_MODE_MX || limits().tensor.mx, f.mode_at);
  feature(f.mode != TERN_TENSOR_MODE_QUAD || limits().tensor.quad, f.mode_at);
  operand_dtype(f);
  field(f.half <= (f.dtype == TERN_DTYPE_FP32 ? 1 : 0), f.half_at);
  field(f.sparsity <= (sparse ? TERN_SPARSITY_S1_2 : 0), f.sparsity_at);
  field(f.tile_rows <= tensor_mode_tile_rows(f.mode), f.tile_rows_at);
  field(f.tile_cols <= tensor_mode_tile_cols(f.mode), f.tile_cols_at);
  field(dense ? f.col_start % kColumnGroup == 0 && f.col_start < kMaxCols : f.col_start == 0,
        f.col_start_at);
  field(is_mx(TensorMode{f.mode}) ? f.scale_offset % 4 == 0 && f.scale_offset <= 12
                                  : f.scale_offset == 0,
        f.scale_offset_at);
}

// [rows, cols] elements in SBUF, contiguous ones unless dense.
void TensorChecker::stationary(const tern_ap_t& raw, std::size_t byte, unsigned dtype,
                               unsigned rows, unsigned cols, bool dense) const {
  const AccessPattern src(raw);
  require(!src.psum, TERN_ERROR_FORBIDDEN_MEMORY, byte);
  const bool good =
      dense ? src.count() == cols : src.num0 == cols && src.contiguous() && src.num1 == 1;
  require(good, TERN_ERROR_BAD_ACCESS_PATTERN, byte);
  pattern(raw, byte, size_of(dtype), rows);
}

void TensorChecker::load_stationary() const {
  no_outer_dimensions();
  const Load& in = instruction().load_stationary;
  zeros_from(offsetof(Load, pad));
  field(in.reserved == 0, offsetof(Load, reserved));
  shape(in.rows, offsetof(Load, rows), in.cols, offsetof(Load, cols));
  mode({in.dtype, in.mode, in.half, in.sparsity, in.tile_rows, in.tile_cols, in.col_start,
        in.scale_offset, offsetof(Load, dtype), offsetof(Load, mode), offsetof(Load, half),
        offsetof(Load, sparsity), offsetof(Load, tile_rows), offsetof(Load, tile_cols),
        offsetof(Load, col_start), offsetof(Load, scale_offset)});
  field(in.plane == 0 || in.mode == TERN_TENSOR_MODE_DOUBLE_ROW, offsetof(Load, plane));
  field(in.aux == 0 || is_mx(TensorMode{in.mode}) || in.mode == TERN_TENSOR_MODE_SPARSE,
        offsetof(Load, aux));
  stationary(in.src, offsetof(Load, src), in.dtype, in.rows, in.cols,
             in.mode == TERN_TENSOR_MODE_DENSE);
}

void TensorChecker::multiply_moving() const {
  no_outer_dimensions();
  const Multiply& in = instruction().multiply_moving;
  const AccessPattern src(in.src);
  zeros_from(offsetof(Multiply, pad));
  zeros(offsetof(Multiply, reserved), offsetof(Multiply, reserved) + sizeof in.reserved);
  shape(in.rows, offsetof(Multiply, rows), in.cols, offsetof(Multiply, cols));
  field(in.accumulate <= 1, offsetof(Multiply, accumulate));
  mode({in.dtype, in.mode, in.half, in.sparsity, in.tile_rows, in.tile_cols, in.col_start,
        in.scale_offset, offsetof(Multiply, dtype), offsetof(Multiply, mode),
        offsetof(Multiply, half), offsetof(Multiply, sparsity), offsetof(Multiply, tile_rows),
        offsetof(Multiply, tile_cols), offsetof(Multiply, col_start),
        offsetof(Multiply, scale_offset)});
  const bool planes = in.mode == TERN_TENSOR_MODE_DOUBLE_ROW || in.mode == TERN_TENSOR_MODE_SPARSE;
  field(in.plane == 0 || planes, offsetof(Multiply, plane));
  field(in.aux == 0 || is_mx(TensorMode{in.mode}), offsetof(Multiply, aux));
  require(!src.psum, TERN_ERROR_FORBIDDEN_MEMORY, offsetof(Multiply, src));
  pattern(in.src, offsetof(Multiply, src), size_of(in.dtype), in.rows);
  destination();
}

// N contiguous elements of PSUM. A chip whose products have at most one bank of columns keeps them
// inside a bank.
void TensorChecker::destination() const {
  const Multiply& in = instruction().multiply_moving;
  const AccessPattern src(in.src), dst(in.dst);
  constexpr std::size_t kAt = offsetof(Multiply, dst);
  const bool bf16 = in.dst_dtype == TERN_DTYPE_BF16;
  require(bf16 || in.dst_dtype == TERN_DTYPE_FP32, TERN_ERROR_BAD_DTYPE,
          offsetof(Multiply, dst_dtype));
  feature(!bf16 || limits().tensor.bf16_result, offsetof(Multiply, dst_dtype));
  field(in.rounding <= (bf16 ? TERN_ROUNDING_STOCHASTIC : TERN_ROUNDING_NEAREST),
        offsetof(Multiply, rounding));
  require(dst.psum, TERN_ERROR_FORBIDDEN_MEMORY, kAt);
  const std::size_t size = size_of(in.dst_dtype);
  pattern(in.dst, kAt, size, in.cols);
  const std::uint64_t columns = src.count();
  require(columns <= std::uint64_t{limits().tensor.max_moving} * (bf16 ? 2 : 1),
          TERN_ERROR_BAD_ACCESS_PATTERN, offsetof(Multiply, src));
  bool good = dst.partition == in.col_start && dst.byte % size == 0 && dst.contiguous() &&
              dst.count() == columns;
  if (in.mode == TERN_TENSOR_MODE_QUAD) {
    good = good && dst.byte + size * columns <= limits().psum_bytes / kQuadSlots;
  }
  const std::uint64_t bank = limits().psum_bank_bytes;
  if (4 * limits().tensor.max_moving <= bank) {
    good = good && dst.byte % bank + size * columns <= bank;
  }
  require(good, TERN_ERROR_BAD_ACCESS_PATTERN, kAt);
}

void TensorChecker::transpose() const {
  no_outer_dimensions();
  const Transpose& in = instruction().transpose;
  const AccessPattern dst(in.dst);
  zeros_from(offsetof(Transpose, pad));
  shape(in.rows, offsetof(Transpose, rows), in.cols, offsetof(Transpose, cols));
  require(tensor_transpose_takes(in.dtype), TERN_ERROR_BAD_DTYPE, offsetof(Transpose, dtype));
  feature(in.dtype != TERN_DTYPE_E4M3FN || limits().tensor.e4m3fn, offsetof(Transpose, dtype));
  stationary(in.src, offsetof(Transpose, src), in.dtype, in.rows, in.cols, true);
  require(dst.psum, TERN_ERROR_FORBIDDEN_MEMORY, offsetof(Transpose, dst));
  const std::size_t size = is_four_bytes(in.dtype) ? 4 : 2;
  pattern(in.dst, offsetof(Transpose, dst), size, in.cols);
  const bool good =
      dst.partition == 0 && dst.byte % size == 0 && dst.contiguous() && dst.count() == in.rows;
  require(good, TERN_ERROR_BAD_ACCESS_PATTERN, offsetof(Transpose, dst));
}

// Format and mode; a tile of its own only where there is one.
template <typename Instruction>
std::string mode_args(const Instruction& in) {
  static constexpr const char* kModes[] = {"dense", "sparse", "double_row", "mx", "quad"};
  std::string text = fmt::format(R"(,"format":"{}","mode":"{}")", format_name(in.dtype),
                                 in.mode < 5 ? kModes[in.mode] : "?");
  if (in.tile_rows != 0 || in.tile_cols != 0) {
    text += fmt::format(R"(,"rows":"{}..{}","columns":"{}..{}")", AccessPattern(in.src).partition,
                        AccessPattern(in.src).partition + in.rows - 1, in.col_start,
                        in.col_start + in.cols - 1);
  }
  return text;
}

void check_load_stationary(const CheckInput& input) {
  TensorChecker(input).load_stationary();
}

std::string describe_load_stationary(const Operation& operation, unsigned index) {
  const auto& in = operation.instruction.load_stationary;
  return fmt::format(R"({{"index":{},"K":{},"M":{},"src":"{}"{}}})", index, in.rows, in.cols,
                     place(in.src), mode_args(in));
}

void check_multiply_moving(const CheckInput& input) {
  TensorChecker(input).multiply_moving();
}

std::string describe_multiply_moving(const Operation& operation, unsigned index) {
  const auto& in = operation.instruction.multiply_moving;
  return fmt::format(R"({{"index":{},"K":{},"M":{},"N":{},"src":"{}","dst":"{}","accumulate":{}{},)"
                     R"("result":"{}"}})",
                     index, in.rows, in.cols, AccessPattern(in.src).count(), place(in.src),
                     place(in.dst), in.accumulate, mode_args(in), format_name(in.dst_dtype));
}

void check_transpose(const CheckInput& input) {
  TensorChecker(input).transpose();
}

std::string describe_transpose(const Operation& operation, unsigned index) {
  const auto& in = operation.instruction.transpose;
  return fmt::format(R"({{"index":{},"K":{},"M":{},"src":"{}","dst":"{}","format":"{}"}})", index,
                     in.rows, in.cols, place(in.src), place(in.dst), format_name(in.dtype));
}

constexpr InstructionRow tensor_row(unsigned opcode, void (*check)(const CheckInput&),
                                    decltype(InstructionRow::describe) describe,
                                    decltype(InstructionRow::command) command) {
  InstructionRow row{opcode, check, describe};
  row.command = command;
  return row;
}

constexpr InstructionRow kRows[] = {
    tensor_row(TERN_OPCODE_LOAD_STATIONARY, check_load_stationary, describe_load_stationary,
               load_command),
    tensor_row(TERN_OPCODE_MULTIPLY_MOVING, check_multiply_moving, describe_multiply_moving,
               multiply_command),
    tensor_row(TERN_OPCODE_TRANSPOSE, check_transpose, describe_transpose, transpose_command),
};

}  // namespace

InstructionRows tensor_instructions() {
  return kRows;
}

}  // namespace tern
