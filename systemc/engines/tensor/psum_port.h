// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "systemc/engines/tensor/tensor_datapath.h"

namespace tern {

// PSUM as the other engines and the bus reach it: through the tensor engine that owns it.
class PsumPort {
 public:
  virtual ~PsumPort() = default;
  // Blocks the calling SC_THREAD until the data have been moved; users alternate.
  virtual void transfer(const PsumTransfer& transfer) = 0;
};

}  // namespace tern
