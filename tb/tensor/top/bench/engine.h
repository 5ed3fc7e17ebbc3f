// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "systemc/engines/tensor/tensor_counters.h"
#include "systemc/engines/tensor/tensor_datapath.h"

namespace tern::tb {

// A tensor engine under test, whatever implements it.
struct Engine {
  std::unique_ptr<TensorDatapath> datapath;
  std::function<TensorCounters()> counters;
};

// Of a named configuration (docs/spec/tensor.yaml) with `sbuf_bytes` per partition and a ramp:
// Verilated or the fast model.
Engine rtl_engine(const std::string& config, SbufView sbuf, unsigned sbuf_bytes,
                  unsigned ramp_cycles = 0);
Engine model_engine(const std::string& config, SbufView sbuf, unsigned sbuf_bytes,
                    unsigned ramp_cycles = 0);

// The one that the tests of this executable run on: it links default_rtl.cpp or default_model.cpp,
// so that the same tests hold both to the same reference.
Engine default_engine(const std::string& config, SbufView sbuf, unsigned sbuf_bytes,
                      unsigned ramp_cycles = 0);

TensorShape config_shape(const std::string& config);

}  // namespace tern::tb
