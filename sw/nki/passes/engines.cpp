// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "sw/nki/passes/cost.h"
#include "sw/nki/passes/passes.h"

namespace tern::nki {

namespace {

bool in_psum(const Instruction& instruction) {
  return std::any_of(instruction.operands.begin(), instruction.operands.end(),
                     [](const Operand& o) { return o.view.storage().memory == Memory::kPsum; });
}

bool wide_integers(const Instruction& instruction) {
  return std::all_of(instruction.operands.begin(), instruction.operands.end(),
                     [](const Operand& o) {
                       const DType dtype = o.view.type()->dtype;
                       return dtype == DType::kInt32 || dtype == DType::kUint32;
                     });
}

// 32-bit integers are exact on GpSimd alone.
Engine of_tensor_tensor(const Instruction& instruction) {
  const Alu op = instruction.options.op0;
  const bool exact = op == Alu::kAdd || op == Alu::kSubtract || op == Alu::kMultiply;
  return exact && wide_integers(instruction) && !in_psum(instruction) ? Engine::kGpsimd
                                                                      : Engine::kVector;
}

// On GpSimd alone.
bool has_power(const Options& options) {
  return options.op0 == Alu::kPower || options.op1 == Alu::kPower;
}

Engine of_transpose(const Instruction& instruction) {
  const bool tensor = instruction.at("dst").storage().memory == Memory::kPsum &&
                      instruction.at("data").storage().memory == Memory::kSbuf;
  return tensor ? Engine::kTensor : Engine::kVector;
}

// The Scalar engine before Trainium3 has multiply, add, and both in this order.
bool scalar_has(const Instruction& instruction, const ChipConfig& chip) {
  const Options& options = instruction.options;
  if (instruction.find("reduce_res") != nullptr || instruction.moves()) return false;
  if (std::string_view(instruction.signature->name) == "tensor_copy") return true;
  if (kernels::is_bitwise(options.op0)) return false;
  if (chip.core.scalar_features.all_operators) return true;
  if (options.op0 == Alu::kMultiply) return options.op1 == Alu::kAdd || options.op1 == Alu::kBypass;
  return options.op0 == Alu::kAdd && options.op1 == Alu::kBypass;
}

// Both compute the same bits.
Engine scalar_or_vector(const Instruction& instruction, const ChipConfig& chip) {
  if (!scalar_has(instruction, chip)) return Engine::kVector;
  const double on_scalar = copy_rate(instruction, Engine::kScalar, chip);
  return copy_rate(instruction, Engine::kVector, chip) > on_scalar ? Engine::kVector
                                                                   : Engine::kScalar;
}

Engine only_engine(unsigned engines) {
  if ((engines & kOnVector) != 0) return Engine::kVector;
  if ((engines & kOnScalar) != 0) return Engine::kScalar;
  if ((engines & kOnGpsimd) != 0) return Engine::kGpsimd;
  return Engine::kTensor;
}

}  // namespace

void choose_engines(Kernel& kernel, const CompileOptions& /*options*/) {
  for (Instruction& instruction : kernel.instructions) {
    if (instruction.options.engine || instruction.signature->engines == kOnDma) continue;
    if (instruction.is_control()) continue;
    const std::string_view name = instruction.signature->name;
    if (has_power(instruction.options) && (name == "tensor_tensor" || name == "tensor_scalar")) {
      instruction.options.engine = Engine::kGpsimd;
    } else if (name == "tensor_tensor") {
      instruction.options.engine = of_tensor_tensor(instruction);
    } else if (kernel.old_style && (name == "tensor_copy" || name == "tensor_scalar")) {
      instruction.options.engine = scalar_or_vector(instruction, kernel.chip());
    } else if (name == "nc_transpose") {
      instruction.options.engine = of_transpose(instruction);
    } else {
      instruction.options.engine = only_engine(instruction.signature->engines);
    }
  }
}

}  // namespace tern::nki
