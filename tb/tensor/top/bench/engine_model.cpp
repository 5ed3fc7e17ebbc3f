// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/tensor/tensor_model.h"
#include "tb/tensor/top/bench/engine.h"

namespace tern::tb {

Engine model_engine(const std::string& config, SbufView sbuf, unsigned sbuf_bytes,
                    unsigned ramp_cycles) {
  TensorShape shape = config_shape(config);
  shape.sbuf_bytes = sbuf_bytes;
  shape.ramp_cycles = ramp_cycles;
  auto model = std::make_unique<TensorModel>(shape, sbuf);
  const TensorModel* observed = model.get();
  return {std::move(model), [observed] { return observed->counters(); }};
}

}  // namespace tern::tb
