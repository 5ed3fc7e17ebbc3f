// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/exp_factory.h"

#include <utility>

#include "systemc/cosim/exp_lockstep.h"
#include "systemc/cosim/exp_task.h"

namespace tern {

ExpFactory make_exp_factory(const std::shared_ptr<ExpStatistics>& statistics,
                            std::shared_ptr<base::ThreadTeam> threads, const WaveOfBlock& wave) {
  return [statistics, threads = std::move(threads), wave](
             Backend backend, const std::string& core) -> std::unique_ptr<ExpUnit> {
    if (backend == Backend::kModel) return make_exp_model();
    auto rtl = std::make_unique<ExpRtl>(wave ? wave(core + ".exp") : WaveOptions());
    statistics->units.push_back(rtl.get());
    std::unique_ptr<ExpUnit> unit = std::move(rtl);
    if (backend != Backend::kRtl)
      unit = std::make_unique<ExpLockstep>(make_exp_model(), std::move(unit));
    if (threads == nullptr || wave) return unit;
    return std::make_unique<ExpTask>(threads, std::move(unit));
  };
}

}  // namespace tern
