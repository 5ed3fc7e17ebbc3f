// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/dma_factory.h"

#include "systemc/cosim/dma_lockstep.h"
#include "systemc/cosim/dma_rtl.h"
#include "systemc/dma/model/unit_model.h"

namespace tern {

std::uint64_t DmaStatistics::cycles_simulated() const {
  std::uint64_t sum = 0;
  for (const dma::DmaRtl* unit : units) sum += unit->cycles_simulated();
  return sum;
}

DmaFactory make_dma_factory(const std::shared_ptr<DmaStatistics>& statistics) {
  return [statistics](Backend backend, const std::string& name) -> dma::UnitFactory {
    dma::UnitFactory rtl = [statistics](const dma::UnitConfig& config,
                                        dma::Environment& environment) {
      auto unit = std::make_unique<dma::DmaRtl>(config, environment);
      statistics->units.push_back(unit.get());
      return unit;
    };
    switch (backend) {
      case Backend::kModel:
        return dma::make_unit_model;
      case Backend::kRtl:
        return rtl;
      default:
        return [name, rtl](const dma::UnitConfig& config, dma::Environment& environment) {
          return make_dma_lockstep(name, config, environment, dma::make_unit_model, rtl);
        };
    }
  };
}

}  // namespace tern
