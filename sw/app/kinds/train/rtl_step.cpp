// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/train/rtl_step.h"

#include <fmt/format.h>

#include <cstring>
#include <string>

#include "sw/numerics/dtype.h"

namespace tern::app {

RtlStep compare_step(std::uint64_t step, const std::vector<train::StateTensor>& tensors,
                     const StepDone& model, const StepDone& rtl) {
  RtlStep result;
  result.step = step;
  result.model_cycles = model.result.tensor_cycles;
  result.rtl_cycles = rtl.result.tensor_cycles;
  result.model_us = model.result.simulated_us;
  result.rtl_us = rtl.result.simulated_us;
  const auto compare = [&](const std::string& place, std::uint32_t got, std::uint32_t want) {
    result.words += 1;
    if (got == want || result.mismatches++ > 0) return;
    result.first_difference = fmt::format("{} = 0x{:08x}, expected 0x{:08x}", place, got, want);
  };
  std::uint32_t losses[2];
  std::memcpy(&losses[0], &rtl.result.loss, sizeof losses[0]);
  std::memcpy(&losses[1], &model.result.loss, sizeof losses[1]);
  compare("loss", losses[0], losses[1]);
  compare("number correct", rtl.result.correct, model.result.correct);
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    const std::size_t size = numerics::dtype_size(tensors[t].dtype);
    for (std::size_t at = 0; at < model.state[t].size(); at += size) {
      std::uint32_t words[2] = {};
      std::memcpy(&words[0], &rtl.state[t][at], size);
      std::memcpy(&words[1], &model.state[t][at], size);
      const std::size_t i = at / size;
      if (words[0] == words[1]) {
        result.words += 1;
        continue;
      }
      compare(fmt::format("{}[{}, {}]", tensors[t].name, i / tensors[t].columns,
                          i % tensors[t].columns),
              words[0], words[1]);
    }
  }
  return result;
}

}  // namespace tern::app
