// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <optional>

#include "sw/kernels/builder/builder_collectives.h"
#include "sw/kernels/builder/element/element_plan.h"
#include "sw/kernels/builder/program/instruction_options.h"
#include "sw/kernels/builder/program/operations.h"
#include "sw/kernels/builder/tensor/products.h"

namespace tern::kernels {

// Element-wise instructions.
class ElementCalls : public CollectiveCalls {
 public:
  using CollectiveCalls::CollectiveCalls;

  // Element-wise instructions. Unless noted otherwise, every operand has the same number of
  // partitions and of elements on each, in patterns of up to four dimensions. Sources are widened
  // to FP32; results are rounded once to the format of the destination. A ScalarOperand is a number
  // or an FP32 column [P, 1].

  // Scalar engine: dst = func(src * scale + bias).
  void activation(const TileView& dst, Activation func, const TileView& src,
                  const ActivationOptions& options = {}, SourceLine where = SourceLine::here());
  void activation(const TileView& dst, Activation func, const TileView& src, float scale,
                  const ScalarOperand& bias = 0.0f, SourceLine where = SourceLine::here());
  // The same, and column = reduction of the results along the free axis: add, or another of
  // Reduce.
  void activation_reduce(const TileView& dst, Activation func, const TileView& src, Alu reduce_op,
                         const TileView& column, const ActivationOptions& options = {},
                         SourceLine where = SourceLine::here());
  // Scalar engine: dst = (src op0 scalar0) op1 scalar1, for multiply then add or subtract, or one
  // of multiply, add, subtract, bypass.
  void activate2(const TileView& dst, const TileView& src, Alu op0, const ScalarOperand& scalar0,
                 Alu op1 = Alu::kBypass, const ScalarOperand& scalar1 = 0.0f,
                 const ScalarOptions& options = {}, SourceLine where = SourceLine::here());
  // Vector engine, trn3: dst = exp(src - max), four elements per cycle. Sources and results in
  // floating point. `sum` (add) is that of the results before their conversion.
  void exponential(const TileView& dst, const TileView& src, const ScalarOperand& max = 0.0f,
                   const std::optional<Reduce>& sum = {}, SourceLine where = SourceLine::here());

  // Vector, Scalar or GpSimd engine: dst = src, converted.
  void tensor_copy(const TileView& dst, const TileView& src, Engine engine = Engine::kVector,
                   SourceLine where = SourceLine::here());
  // Vector or GpSimd engine: dst = src0 op src1. int32 add, subtract and multiply are exact modulo
  // 2^32 on GpSimd; bit operations take elements of one size and run on Vector.
  void tensor_tensor(const TileView& dst, const TileView& src0, Alu op, const TileView& src1,
                     Engine engine = Engine::kVector, SourceLine where = SourceLine::here());
  // Vector, Scalar or GpSimd engine: dst = (src op0 scalar0) op1 scalar1.
  void tensor_scalar(const TileView& dst, const TileView& src, Alu op0,
                     const ScalarOperand& scalar0, Alu op1 = Alu::kBypass,
                     const ScalarOperand& scalar1 = 0.0f, const ScalarOptions& options = {},
                     SourceLine where = SourceLine::here());
  // Vector engine: the same, and column = reduction of the results along the free axis.
  void tensor_scalar_reduce(const TileView& dst, const TileView& src, Alu op0,
                            const ScalarOperand& scalar0, Alu reduce_op, const TileView& column,
                            SourceLine where = SourceLine::here());
  // Vector engine: dst = (src0 op0 scalar0) op1 src1.
  void scalar_tensor_tensor(const TileView& dst, const TileView& src0, Alu op0,
                            const ScalarOperand& scalar0, Alu op1, const TileView& src1,
                            bool reverse0 = false, bool reverse1 = false,
                            SourceLine where = SourceLine::here());
  // Vector or GpSimd engine: dst = value.
  void memset(const TileView& dst, const ScalarOperand& value, Engine engine = Engine::kVector,
              SourceLine where = SourceLine::here());
  // Vector engine: dst = 1 / src, correctly rounded.
  void reciprocal(const TileView& dst, const TileView& src, SourceLine where = SourceLine::here());
  // How the element-wise instructions that follow round to bf16, fp16 and FP8, until it is called
  // again: to nearest, or stochastically with their engine's generators.
  void element_rounding(Rounding rounding) { rounding_ = rounding; }

 protected:
  using BuilderCore::emit;
  void emit(const ElementPlan& plan, const char* name, SourceLine where);
  void check_view(const char* name, const TileView& view, bool write, const char* role,
                  SourceLine where) const;
  ElementPlan plan(Engine engine, unsigned opcode, const char* name,
                   std::initializer_list<Engine> engines, SourceLine where) const;

  Rounding rounding_ = Rounding::kNearest;
};

}  // namespace tern::kernels
