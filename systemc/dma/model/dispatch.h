// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "systemc/dma/model/source.h"
#include "systemc/dma/model/target.h"

namespace tern::dma::model {

// rtl/dma/README.md, "Dispatch": the arbiter chooses a ring, its packet goes to source and target.
class Dispatcher {
 public:
  Dispatcher(State& state, SourceUnit& source, TargetUnit& target)
      : state_(state), source_(source), target_(target) {}
  void run(std::uint64_t cycle);

 private:
  State& state_;
  SourceUnit& source_;
  TargetUnit& target_;
};

}  // namespace tern::dma::model
