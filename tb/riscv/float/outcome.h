// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "systemc/riscv/float/soft_float.h"

namespace tern::tb {

// What a computation gives: the bits of a number, an integer or a truth value, and fflags.
struct Outcome {
  std::uint64_t bits = 0;
  std::uint8_t flags = 0;

  bool operator==(const Outcome& other) const { return bits == other.bits && flags == other.flags; }
  bool operator!=(const Outcome& other) const { return !(*this == other); }
};

enum class Operation { kAdd, kSub, kMul, kDiv, kSqrt, kFma };
constexpr Operation kOperations[] = {Operation::kAdd, Operation::kSub,  Operation::kMul,
                                     Operation::kDiv, Operation::kSqrt, Operation::kFma};

template <typename Bits>
struct Operands {
  Bits a, b, c;  // as many as the operation has
};

enum class Relation { kEqual, kLess, kLessEqual };
constexpr Relation kRelations[] = {Relation::kEqual, Relation::kLess, Relation::kLessEqual};

constexpr riscv::Rounding kRoundings[] = {
    riscv::Rounding::kNearestEven, riscv::Rounding::kTowardZero, riscv::Rounding::kDown,
    riscv::Rounding::kUp, riscv::Rounding::kNearestMaxMagnitude};

// The width in bits of what an integer type or a format stores.
template <typename Word>
constexpr unsigned kWidth = 8 * sizeof(Word);

const char* name_of(Operation operation);
const char* name_of(riscv::Rounding rounding);
// "0x3F800000 NX UF".
std::string text_of(const Outcome& outcome, unsigned width);

}  // namespace tern::tb
