// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "systemc/core/field_checker.h"

namespace tern {

// The instructions that start transfers.
class DmaChecker : public FieldChecker {
 public:
  using FieldChecker::FieldChecker;

  void trigger() const;
  void copy() const;
  void indirect() const;
};

}  // namespace tern
