// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

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

// 32-bit integers are exact on GpSimd alone, which also has the power.
Engine of_tensor_tensor(const Instruction& instruction) {
  const Alu op = instruction.options.op0;
  if (op == Alu::kPower) return Engine::kGpsimd;
  const bool exact = op == Alu::kAdd || op == Alu::kSubtract || op == Alu::kMultiply;
  return exact && wide_integers(instruction) && !in_psum(instruction) ? Engine::kGpsimd
                                                                      : Engine::kVector;
}

Engine of_tensor_scalar(const Instruction& instruction) {
  const Options& options = instruction.options;
  const bool power = options.op0 == Alu::kPower || options.op1 == Alu::kPower;
  return power ? Engine::kGpsimd : Engine::kVector;
}

Engine of_transpose(const Instruction& instruction) {
  const bool tensor = instruction.at("dst").storage().memory == Memory::kPsum &&
                      instruction.at("data").storage().memory == Memory::kSbuf;
  return tensor ? Engine::kTensor : Engine::kVector;
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
    if (name == "tensor_tensor") {
      instruction.options.engine = of_tensor_tensor(instruction);
    } else if (name == "tensor_scalar") {
      instruction.options.engine = of_tensor_scalar(instruction);
    } else if (name == "nc_transpose") {
      instruction.options.engine = of_transpose(instruction);
    } else {
      instruction.options.engine = only_engine(instruction.signature->engines);
    }
  }
}

}  // namespace tern::nki
