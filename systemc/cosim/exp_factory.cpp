// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/exp_factory.h"

#include "systemc/cosim/exp_lockstep.h"
#include "systemc/cosim/exp_rtl.h"

namespace tern {

std::uint64_t ExpStatistics::results() const {
  std::uint64_t sum = 0;
  for (const ExpRtl* unit : units) sum += unit->results();
  return sum;
}

std::uint64_t ExpStatistics::cycles() const {
  std::uint64_t sum = 0;
  for (const ExpRtl* unit : units) sum += unit->cycles();
  return sum;
}

std::uint64_t ExpStatistics::model_cycles() const {
  std::uint64_t sum = 0;
  for (const ExpRtl* unit : units) sum += unit->model_cycles();
  return sum;
}

double ExpStatistics::seconds() const {
  double sum = 0;
  for (const ExpRtl* unit : units) sum += unit->seconds();
  return sum;
}

ExpFactory make_exp_factory(const std::shared_ptr<ExpStatistics>& statistics) {
  return [statistics](Backend backend) -> std::unique_ptr<ExpUnit> {
    if (backend == Backend::kModel) return make_exp_model();
    auto rtl = std::make_unique<ExpRtl>();
    statistics->units.push_back(rtl.get());
    if (backend == Backend::kRtl) return rtl;
    return std::make_unique<ExpLockstep>(make_exp_model(), std::move(rtl));
  };
}

}  // namespace tern
