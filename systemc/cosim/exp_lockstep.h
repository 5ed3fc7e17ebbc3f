// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "systemc/engines/exp/exp_unit.h"

namespace tern {

// Runs every request on two exponential units, the reference first, and stops with a RunError at
// the first element, sum or cycle count that differs. Results are those of the second one.
class ExpLockstep : public ExpUnit {
 public:
  ExpLockstep(std::unique_ptr<ExpUnit> reference, std::unique_ptr<ExpUnit> device);
  std::uint64_t run(const ExpRequest& request) override;

  std::uint64_t elements_compared() const { return elements_compared_; }

 private:
  void compare(const ExpRequest& reference, const ExpRequest& device) const;
  [[noreturn]] void fail(const ExpRequest& request, const std::string& what) const;

  std::unique_ptr<ExpUnit> reference_, device_;
  std::vector<std::uint8_t> result_;  // of the reference
  std::vector<float> sums_;
  std::uint64_t requests_ = 0, elements_compared_ = 0;
};

}  // namespace tern
