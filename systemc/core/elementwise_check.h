// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/spec/access_pattern.h"
#include "systemc/core/field_checker.h"

namespace tern {

// What an instruction makes of the `extend` in front of it; parts it does not use must be zero.
enum ExtensionPart : unsigned {
  kPartDstOuter = 1u << 0,
  kPartSrc0Outer = 1u << 1,
  kPartSrc1Outer = 1u << 2,
  kPartScalar0 = 1u << 3,
  kPartScalar1 = 1u << 4,
  kPartReduce = 1u << 5,  // command, operator and column
  kPartCarry = 1u << 10,  // command and column: the accumulators carry a running result on
  kPartReverse0 = 1u << 6,
  kPartReverse1 = 1u << 7,
  kPartStochastic = 1u << 8,
  kPartImm2 = 1u << 9,
};

// The element-wise instructions of the Vector, Scalar and GpSimd engines, and what checks of other
// instructions of theirs are built from. A fault in the extension names its byte plus 64.
class ElementwiseChecker : public FieldChecker {
 public:
  ElementwiseChecker(const Operation& operation, unsigned queue, const CoreLimits& limits)
      : FieldChecker(operation, limits), queue_(queue) {}

  void exponential() const;
  void activation() const;
  void activate2() const;
  void tensor_copy() const;
  void tensor_tensor() const;
  void tensor_scalar() const;
  void scalar_tensor_tensor() const;
  void tensor_reduce() const;
  void tensor_tensor_scan() const;
  void tensor_scalar_cumulative() const;
  void tensor_copy_predicated() const;
  void select_reduce() const;
  void range_select() const;
  void memset() const;
  void reciprocal() const;

 protected:
  // partitions, reserved, and the parts of the extension.
  void begin(unsigned parts) const;

  // The three operands: memory the engine reaches, format, alignment, place in 4-D.
  AccessPattern dst() const;
  AccessPattern src0() const;
  AccessPattern src1() const;
  void no_src0() const;
  void no_src1() const;
  // src1 as one FP32 scalar per partition, or unused. Not together with the extension's column
  // `flag`, which has the same meaning.
  void src1_column(unsigned flag) const;
  // dst has this many elements.
  void results(std::uint64_t count) const;
  void results_as_src0() const { results(src0().count()); }

  // Operators: a float operation that this engine has.
  void two_operand(unsigned op, std::size_t byte) const;  // tile with tile
  void with_scalar(unsigned op, std::size_t byte) const;  // the unary ones too
  // A bit operation: Vector only, on elements of one size.
  void bitwise() const;
  void src1_as_src0() const;
  void bypass(unsigned op, std::size_t byte) const { field(op == TERN_ALU_OP_BYPASS, byte); }

  const unsigned queue_;

 private:
  AccessPattern operand(const tern_ap_t& ap, std::size_t byte, const tern_outer_t& outer,
                        std::size_t outer_byte, unsigned dtype, std::size_t dtype_byte) const;
  void unused_operand(std::size_t byte, unsigned dtype, std::size_t dtype_byte) const;
  void column(std::uint32_t address, std::size_t byte) const;
  void flag_column(bool used, std::uint32_t address, std::size_t byte) const;
  void reduction(unsigned parts) const;
  void max_only() const;
  void scalar_engine_operators() const;
  void reverse_needs_two(unsigned flag, unsigned op) const;
};

}  // namespace tern
