// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "sw/kernels/builder/builder_elements.h"

namespace tern::kernels {

// Selections, reductions and scans.
class SelectionCalls : public ElementCalls {
 public:
  using ElementCalls::ElementCalls;

  // Vector engine: dst = src where predicate is not zero (`reverse`: where it is zero); the other
  // elements keep their values.
  void tensor_copy_predicated(const TileView& dst, const TileView& src, const TileView& predicate,
                              bool reverse = false, SourceLine where = SourceLine::here());
  // Vector engine: one element of dst for the `dimensions` inner dimensions of src, in element
  // order, negated if requested; [P, a, b, c] with two reduced gives [P, a].
  void tensor_reduce(const TileView& dst, Alu op, const TileView& src, bool negate = false,
                     unsigned dimensions = 1, SourceLine where = SourceLine::here());
  // Vector engine: dst[i] = (src0[i] op0 dst[i-1]) op1 src1[i], dst[-1] = initial, in FP32 along
  // all elements of a partition.
  void tensor_tensor_scan(const TileView& dst, const TileView& src0, Alu op0, const TileView& src1,
                          Alu op1, const ScalarOperand& initial = 0.0f, bool reverse0 = false,
                          bool reverse1 = false, SourceLine where = SourceLine::here());
  // Vector engine: dst[i] = dst[i-1] op1 (src[i] op0 scalar), dst[-1] = initial; op1 one of add,
  // subtract, multiply, max, min. The accumulators receive the last result with kResetReduce, and
  // with kReduce, which begins with what they hold in place of `initial`.
  void tensor_scalar_cumulative(const TileView& dst, const TileView& src, Alu op0,
                                const ScalarOperand& scalar, Alu op1,
                                const ScalarOperand& initial = 0.0f, bool reverse0 = false,
                                ReduceCommand command = ReduceCommand::kIdle,
                                SourceLine where = SourceLine::here());
  // Vector engine: dst = predicate is not zero (`reverse`: is zero) ? src : otherwise; column, if
  // given: the largest result. With kReduce the accumulators go on, also without a column; without
  // a command they are new.
  void select_reduce(const TileView& dst, const TileView& src, const TileView& predicate,
                     const ScalarOperand& otherwise, std::optional<TileView> max_column = {},
                     bool reverse = false, std::optional<ReduceCommand> command = {},
                     SourceLine where = SourceLine::here());
  // Vector engine, trn3: dst[i] = (first + i op0 bound0) and (first + i op1 bound1) ? src[i] : the
  // most negative FP32; operations is_eq .. is_lt.
  void range_select(const TileView& dst, const TileView& src, Alu op0, const ScalarOperand& bound0,
                    Alu op1, const ScalarOperand& bound1, float first = 0.0f,
                    std::optional<TileView> max_column = {},
                    std::optional<ReduceCommand> command = {},
                    SourceLine where = SourceLine::here());

 protected:
  void vector_transpose(const TileView& dst, const TileView& source, Engine engine,
                        SourceLine where);
};

}  // namespace tern::kernels
