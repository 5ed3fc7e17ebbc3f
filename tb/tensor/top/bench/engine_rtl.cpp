// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/tensor_rtl.h"
#include "tb/tensor/top/bench/engine.h"

namespace tern::tb {

Engine rtl_engine(const std::string& config, SbufView sbuf, unsigned sbuf_bytes) {
  TensorRtlOptions options;
  options.config = config;
  options.sbuf = sbuf;
  options.sbuf_bytes = sbuf_bytes;
  options.wave = wave_of_environment();
  auto rtl = make_tensor_rtl(options);
  const TensorRtl* observed = rtl.get();
  return {std::move(rtl), [observed] {
            const TensorRtlCounters c = observed->counters();
            EngineCounters counters;
            counters.busy_cycles = c.busy_cycles;
            counters.loads = c.load_commands;
            counters.moves = c.move_commands;
            counters.columns = c.moving_columns;
            counters.macs = c.macs;
            counters.weight_stalls = c.weight_stalls;
            counters.psum_conflicts = c.psum_conflicts;
            counters.errors = c.errors;
            return counters;
          }};
}

}  // namespace tern::tb
