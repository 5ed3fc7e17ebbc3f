// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "sw/config/wave_options.h"
#include "systemc/engines/tensor/tensor_counters.h"
#include "systemc/engines/tensor/tensor_datapath.h"

namespace tern {

struct TensorRtlOptions {
  std::string config = "full";  // docs/spec/tensor.yaml
  SbufView sbuf;
  unsigned sbuf_bytes = 256 * 1024;  // per partition, at most 256 KiB, a multiple of 8
  unsigned ramp_cycles = 0;          // TensorShape
  WaveOptions wave;
};

// The Verilated tensor engine behind the engine's socket.
class TensorRtl : public TensorDatapath {
 public:
  virtual std::uint64_t cycles_simulated() const = 0;  // evaluated; idle cycles are not
  virtual TensorCounters counters() const = 0;
  // Of the last PSUM transfer: first cycle after its last column, once it is finished.
  virtual std::uint64_t psum_end() const = 0;
  // An idle engine is clocked until its next command cannot notice the work before it: for the
  // longest time that this may take, or, if called before, until this cycle.
  virtual void settles_in(std::uint64_t cycle) = 0;
};

// Throws UserError for an unknown configuration or an unwritable wave file.
std::unique_ptr<TensorRtl> make_tensor_rtl(const TensorRtlOptions& options);

std::vector<std::string> tensor_rtl_configs();
TensorShape tensor_rtl_shape(const std::string& config);

}  // namespace tern
