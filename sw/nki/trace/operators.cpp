// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/trace/operators.h"

#include <utility>

#include "sw/nki/trace/nki_error.h"
#include "sw/numerics/activation.h"

namespace tern::nki {

namespace {

constexpr std::pair<std::string_view, Alu> kAlu[] = {
    {"add", Alu::kAdd},
    {"subtract", Alu::kSubtract},
    {"multiply", Alu::kMultiply},
    {"maximum", Alu::kMax},
    {"minimum", Alu::kMin},
    {"equal", Alu::kIsEq},
    {"not_equal", Alu::kIsNe},
    {"greater_equal", Alu::kIsGe},
    {"greater", Alu::kIsGt},
    {"less_equal", Alu::kIsLe},
    {"less", Alu::kIsLt},
    {"abs_max", Alu::kAbsMax},
    {"abs_min", Alu::kAbsMin},
    {"logical_and", Alu::kLogicalAnd},
    {"logical_or", Alu::kLogicalOr},
    {"logical_xor", Alu::kLogicalXor},
    {"power", Alu::kPower},
    {"abs", Alu::kAbs},
    {"square", Alu::kSquare},
    {"relu", Alu::kRelu},
    {"rsqrt", Alu::kRsqrt},
    {"reciprocal", Alu::kReciprocal},
    {"invert", Alu::kBitNot},
    {"bitwise_and", Alu::kBitAnd},
    {"bitwise_or", Alu::kBitOr},
    {"bitwise_xor", Alu::kBitXor},
    {"left_shift", Alu::kShiftLeft},
    {"right_shift", Alu::kShiftRight},
    {"bypass", Alu::kBypass},
};

}  // namespace

Alu alu_from(std::string_view name) {
  for (const auto& [known, op] : kAlu) {
    if (name == known) return op;
  }
  throw NkiError("operator '" + std::string(name) + "' is not supported by the engines",
                 NkiError::Kind::kNotSupported);
}

Activation activation_from(std::string_view name) {
  if (name == "copy") return Activation::kIdentity;
  for (unsigned f = 0; f < numerics::kActFunctions; ++f) {
    const auto function = static_cast<Activation>(f);
    if (name == numerics::act_function_name(function)) return function;
  }
  throw NkiError(
      "activation function '" + std::string(name) + "' is not supported by the scalar engine",
      NkiError::Kind::kNotSupported);
}

std::optional<Engine> engine_from(std::string_view name) {
  if (name == "unknown") return std::nullopt;
  if (name == "tensor") return Engine::kTensor;
  if (name == "vector") return Engine::kVector;
  if (name == "scalar") return Engine::kScalar;
  if (name == "gpsimd") return Engine::kGpsimd;
  throw NkiError("engine '" + std::string(name) +
                 "': expected unknown, tensor, vector, scalar or "
                 "gpsimd");
}

}  // namespace tern::nki
