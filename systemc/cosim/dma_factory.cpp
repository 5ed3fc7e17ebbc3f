// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/dma_factory.h"

#include <algorithm>
#include <string>

#include "systemc/cosim/dma_lockstep.h"
#include "systemc/cosim/dma_rtl.h"
#include "systemc/cosim/dma_team.h"
#include "systemc/dma/model/unit_model.h"

namespace tern {

std::uint64_t DmaStatistics::cycles_simulated() const {
  std::uint64_t sum = 0;
  for (const dma::DmaRtl* unit : units) sum += unit->cycles_simulated();
  return sum;
}

DmaFactory make_dma_factory(const std::shared_ptr<DmaStatistics>& statistics,
                            std::shared_ptr<base::ThreadTeam> threads, const WaveOfBlock& wave) {
  // A team of one would only keep what its members say.
  std::shared_ptr<dma::DmaTeam> team;
  if (threads && threads->threads() > 1) team = std::make_shared<dma::DmaTeam>(std::move(threads));
  return [statistics, team, wave](Backend backend, const std::string& name) -> dma::UnitFactory {
    dma::UnitFactory rtl = [statistics, team, wave, name](
                               const dma::UnitConfig& config,
                               dma::Environment& environment) -> std::unique_ptr<dma::Unit> {
      const dma::DmaRtl*& rtl = statistics->units.emplace_back();
      std::string place = name;
      std::replace(place.begin(), place.end(), ' ', '.');
      const WaveOptions options = wave ? wave(place) : WaveOptions();
      if (team) return team->make(config, environment, options, &rtl);
      auto unit = std::make_unique<dma::DmaRtl>(config, environment, options);
      rtl = unit.get();
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
