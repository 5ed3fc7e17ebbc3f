// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/exp_factory.h"

#include "systemc/cosim/exp_lockstep.h"

namespace tern {

ExpFactory make_exp_factory(const std::shared_ptr<ExpStatistics>& statistics,
                            const WaveOfBlock& wave) {
  return [statistics, wave](Backend backend, const std::string& core) -> std::unique_ptr<ExpUnit> {
    if (backend == Backend::kModel) return make_exp_model();
    auto rtl = std::make_unique<ExpRtl>(wave ? wave(core + ".exp") : WaveOptions());
    statistics->units.push_back(rtl.get());
    if (backend == Backend::kRtl) return rtl;
    return std::make_unique<ExpLockstep>(make_exp_model(), std::move(rtl));
  };
}

}  // namespace tern
