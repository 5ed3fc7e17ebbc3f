// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "systemc/core/field_checker.h"

namespace tern {

// The checks of quantize_mx and dequantize_mx.
class MxChecker : public FieldChecker {
 public:
  using FieldChecker::FieldChecker;

  void quantize() const;
  void dequantize() const;

 private:
  void common(unsigned last_rule) const;
  void operand(const tern_ap_t& ap, std::size_t byte, unsigned dtype) const;
  void scales(const tern_ap_t& x4) const;
};

}  // namespace tern
