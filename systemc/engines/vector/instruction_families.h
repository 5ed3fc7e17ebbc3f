// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "systemc/engines/vector/engine_unit.h"

// The instructions of the Vector, Scalar and GpSimd engines, by family; semantics: the
// instruction's line in docs/spec/isa.yaml and docs/numerics.md, section 3.
namespace tern {

// tensor_ops.cpp
void run_tensor_copy(EngineUnit& unit, const Operation& operation);
void run_tensor_tensor(EngineUnit& unit, const Operation& operation);
void run_tensor_scalar(EngineUnit& unit, const Operation& operation);
void run_scalar_tensor_tensor(EngineUnit& unit, const Operation& operation);
void run_memset(EngineUnit& unit, const Operation& operation);
void run_reciprocal(EngineUnit& unit, const Operation& operation);

// reductions.cpp
void run_tensor_reduce(EngineUnit& unit, const Operation& operation);
void run_tensor_tensor_scan(EngineUnit& unit, const Operation& operation);
void run_tensor_scalar_cumulative(EngineUnit& unit, const Operation& operation);

// selections.cpp
void run_tensor_copy_predicated(EngineUnit& unit, const Operation& operation);
void run_select_reduce(EngineUnit& unit, const Operation& operation);
void run_range_select(EngineUnit& unit, const Operation& operation);

// exponential.cpp
void run_exponential(EngineUnit& unit, const Operation& operation);

// activations.cpp
void run_activation(EngineUnit& unit, const Operation& operation);
void run_activate2(EngineUnit& unit, const Operation& operation);

}  // namespace tern
