// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/datapath_factory.h"

#include "systemc/cosim/tensor_lockstep.h"
#include "systemc/cosim/tensor_rtl.h"
#include "systemc/cosim/tensor_team.h"

namespace tern {

DatapathFactory make_cosim_factory(const std::shared_ptr<CosimStatistics>& statistics,
                                   std::shared_ptr<base::ThreadTeam> threads,
                                   const WaveOfBlock& wave) {
  if (!threads) threads = std::make_shared<base::ThreadTeam>(1);
  const auto team = std::make_shared<TensorTeam>(std::move(threads));
  return [statistics, team,
          wave](const DatapathRequest& request) -> std::unique_ptr<TensorDatapath> {
    if (request.backend == Backend::kModel) return make_model_datapath(request);
    TensorRtlOptions options;
    options.sbuf = request.sbuf;
    options.sbuf_bytes = request.shape.sbuf_bytes;
    options.ramp_cycles = request.shape.ramp_cycles;
    if (wave) options.wave = wave(request.core + ".tensor");
    std::unique_ptr<TensorRtl> rtl = make_tensor_rtl(options);
    statistics->cycles.emplace_back([engine = rtl.get()] { return engine->cycles_simulated(); });
    std::unique_ptr<TensorDatapath> device = team->add(std::move(rtl));
    if (request.backend == Backend::kRtl) return device;
    DatapathRequest model = request;
    model.backend = Backend::kModel;
    return std::make_unique<TensorLockstep>(make_model_datapath(model), std::move(device),
                                            request.describe);
  };
}

}  // namespace tern
