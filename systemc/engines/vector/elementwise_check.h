// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/spec/access_pattern.h"
#include "systemc/engines/instruction/field_checker.h"

namespace tern {

// The parts of the `extend` before it that an instruction uses; the others must be zero.
enum ExtensionPart : unsigned {
  kPartDstOuter = 1u << 0,
  kPartSrc0Outer = 1u << 1,
  kPartSrc1Outer = 1u << 2,
  kPartScalar0 = 1u << 3,
  kPartScalar1 = 1u << 4,
  kPartReduce = 1u << 5,  // command, operator and column
  kPartCarry = 1u << 10,  // command and column: a running result in the accumulators
  kPartReverse0 = 1u << 6,
  kPartReverse1 = 1u << 7,
  kPartStochastic = 1u << 8,
  kPartImm2 = 1u << 9,
};

// Parts that belong together.
constexpr unsigned kOuters = kPartDstOuter | kPartSrc0Outer;
constexpr unsigned kTwoTiles = kOuters | kPartSrc1Outer;
constexpr unsigned kRounded = kOuters | kPartStochastic;

// The common parts of the checks of the Vector, Scalar and GpSimd engines' instructions, mainly
// those with three access patterns. A fault in the extension names its byte plus 64.
class ElementwiseChecker : public FieldChecker {
 public:
  using FieldChecker::FieldChecker;

  const tern_instr_elementwise_t& in() const { return instruction().elementwise; }

  // partitions, reserved, and the parts of the extension.
  void begin(unsigned parts) const;

  // The three operands: memory the engine reaches, format, alignment, range in 4-D.
  AccessPattern dst() const;
  AccessPattern src0() const;
  AccessPattern src1() const;
  // The destination, if the instruction wrote this many partitions.
  AccessPattern dst_of(unsigned partitions) const;
  void no_dst() const;
  void no_src0() const;
  void no_src1() const;
  // src1 as one FP32 scalar per partition, or unused. Not together with the extension's column
  // `flag`, which has the same meaning.
  void src1_column(unsigned flag) const;
  void dst_type(bool good) const;
  void src0_type(bool good) const;
  void src1_type(bool good) const;
  // dst has this many elements.
  void results(std::uint64_t count) const;
  void results_as_src0() const { results(src0().count()); }
  void src1_as_src0() const;

  // Operators: a float operation of this engine.
  void two_operand(unsigned op, std::size_t byte) const;  // tile with tile
  void with_scalar(unsigned op, std::size_t byte) const;  // the unary ones too
  void reverse_needs_two(unsigned flag, unsigned op) const;
  // A bit operation: Vector only, on elements of one size.
  void bitwise() const;
  void bypass(unsigned op, std::size_t byte) const { field(op == TERN_ALU_OP_BYPASS, byte); }
  void no_operators() const;

  void no_immediates() const { no_imm0(), no_imm1(); }
  void no_imm0() const;
  void no_imm1() const;
  // An integer from an FP32 field.
  void integer(float value, double low, double high, std::size_t byte) const;

  // GpSimd: whole cores of partitions; operands of its cores are in the same partitions.
  void whole_cores() const;
  void together(const AccessPattern& a, const AccessPattern& b, std::size_t byte) const;

  // An operand of the formats shuffle and affine.
  AccessPattern other_operand(const tern_ap_t& ap, const tern_outer_t& outer, std::size_t byte,
                              std::size_t outer_byte, unsigned dtype, std::size_t dtype_byte,
                              unsigned partitions) const;

 private:
  AccessPattern operand(const tern_ap_t& ap, std::size_t byte, const tern_outer_t& outer,
                        std::size_t outer_byte, unsigned dtype, std::size_t dtype_byte,
                        unsigned partitions) const;
  void unused_operand(std::size_t byte, unsigned dtype, std::size_t dtype_byte) const;
  void column(std::uint32_t address, std::size_t byte) const;
  void flag_column(bool used, std::uint32_t address, std::size_t byte) const;
  void reduction(unsigned parts) const;
};

}  // namespace tern
