// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/mx_factory.h"

#include "systemc/cosim/mx_lockstep.h"

namespace tern {

MxFactory make_mx_factory(const std::shared_ptr<MxStatistics>& statistics,
                          const WaveOfBlock& wave) {
  return [statistics, wave](Backend backend, const std::string& core) -> std::unique_ptr<MxUnit> {
    if (backend == Backend::kModel) return make_mx_model();
    auto rtl = std::make_unique<MxUnitRtl>(wave, core);
    statistics->units.push_back(rtl.get());
    if (backend == Backend::kRtl) return rtl;
    return std::make_unique<MxLockstep>(make_mx_model(), std::move(rtl));
  };
}

}  // namespace tern
