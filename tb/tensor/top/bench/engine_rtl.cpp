// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/tensor_rtl.h"
#include "tb/common/bench_wave.h"
#include "tb/tensor/top/bench/engine.h"

namespace tern::tb {

Engine rtl_engine(const std::string& config, SbufView sbuf, unsigned sbuf_bytes,
                  unsigned ramp_cycles) {
  TensorRtlOptions options;
  options.config = config;
  options.sbuf = sbuf;
  options.sbuf_bytes = sbuf_bytes;
  options.ramp_cycles = ramp_cycles;
  options.wave = bench_wave();
  auto rtl = make_tensor_rtl(options);
  const TensorRtl* observed = rtl.get();
  return {std::move(rtl), [observed] { return observed->counters(); }};
}

}  // namespace tern::tb
