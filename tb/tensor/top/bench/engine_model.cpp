// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/tensor/tensor_model.h"
#include "tb/tensor/top/bench/engine.h"

namespace tern::tb {

Engine model_engine(const std::string& config, SbufView sbuf, unsigned sbuf_bytes) {
  TensorShape shape = config_shape(config);
  shape.sbuf_bytes = sbuf_bytes;
  auto model = std::make_unique<TensorModel>(shape, sbuf);
  const TensorModel* observed = model.get();
  return {std::move(model), [observed] {
            const TensorCounters& c = observed->counters();
            EngineCounters counters;
            counters.busy_cycles = c.busy_cycles;
            counters.loads = c.load_stationary;
            counters.moves = c.multiply_moving;
            counters.columns = c.columns;
            counters.macs = c.macs;
            counters.weight_stalls = c.weight_stalls;
            counters.psum_conflicts = c.psum_conflicts;
            counters.errors = c.rejected;
            return counters;
          }};
}

}  // namespace tern::tb
