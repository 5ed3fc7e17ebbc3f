// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <verilated.h>

namespace tern::cosim {

// The context of a model. In a build with random initial values (preset rtl-random) its state and
// what is unknown (X) is random, from the seed $TERN_RTL_SEED; or all ones, if that is "ones".
class StartContext : public VerilatedContext {
 public:
  StartContext();
  bool random() const { return random_; }  // or all ones

 private:
  bool random_ = false;
};

}  // namespace tern::cosim
