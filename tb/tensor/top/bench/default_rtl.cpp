// SPDX-License-Identifier: Apache-2.0
#include "tb/tensor/top/bench/engine.h"

namespace tern::tb {

Engine default_engine(const std::string& config, SbufView sbuf, unsigned sbuf_bytes,
                      unsigned ramp_cycles) {
  return rtl_engine(config, sbuf, sbuf_bytes, ramp_cycles);
}

}  // namespace tern::tb
