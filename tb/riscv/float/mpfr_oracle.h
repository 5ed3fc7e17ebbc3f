// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpfr.h>

#include <cstdint>

#include "tb/riscv/float/outcome.h"

namespace tern::tb {

// Results and flags from MPFR, for every rounding mode. An operation is computed once, with so many
// bits that rounding it again is rounding the exact value. The definition of the format then rounds
// it, with MPFR's functions to integers. NaN and invalid operands follow IEEE 754.
class RoundingOracle {
 public:
  RoundingOracle();
  ~RoundingOracle();
  RoundingOracle(const RoundingOracle&) = delete;
  RoundingOracle& operator=(const RoundingOracle&) = delete;

  // What rounded(), or rounded_to_integer(), gives from here on.
  template <typename Bits>
  void compute(Operation operation, const Operands<Bits>& operands);
  template <typename Bits>
  void take(Bits value);
  template <typename Int>
  void take_integer(Int value);

  template <typename Bits>
  Outcome rounded(riscv::Rounding rounding);
  template <typename Int>
  Outcome rounded_to_integer(riscv::Rounding rounding);

 private:
  // Loads an operand; true if it is a signalling NaN.
  template <typename Bits>
  bool load(mpfr_ptr to, Bits value);
  // One bit more below the inexact value, between it and its neighbour.
  void make_sticky(int ternary);

  static constexpr mpfr_prec_t kPrecision = 160;

  mpfr_t operands_[3];
  mpfr_t chopped_, value_;  // the value that is rounded
  mpfr_t scaled_, whole_;
  bool invalid_ = false, divided_by_zero_ = false;
  bool negative_zero_down_ = false;  // the sign of a zero, rounding down
};

}  // namespace tern::tb
