// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "systemc/cosim/exp_rtl.h"

namespace tern::cosim {

// ExpPipeline::offer for a Verilated unit of any number of partitions, whose data are at its ports.
template <class Model>
ExpPipeline::Step offer_to(Model& model, const ExpPipeline::Group* group, bool take) {
  model.clk_i = 0;
  model.valid_i = group != nullptr;
  model.ready_i = take;
  if (group != nullptr) {
    model.first_i = group->first;
    model.last_i = group->last;
    model.count_i = static_cast<std::uint8_t>(group->count);
    model.sum_i = group->sum;
    model.load_i = group->load;
    model.src_i = static_cast<std::uint8_t>(group->source_type);
    model.dst_i = static_cast<std::uint8_t>(group->result_type);
  }
  model.eval();
  ExpPipeline::Step step;
  step.accepted = group != nullptr && model.ready_o != 0;
  step.valid = model.valid_o != 0;
  step.delivered = take && step.valid;
  step.last = model.last_o != 0;
  return step;
}

}  // namespace tern::cosim
