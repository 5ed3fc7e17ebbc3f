// SPDX-License-Identifier: Apache-2.0
#include <VTensorFullStages5.h>

#include "systemc/cosim/tensor_rtl_adapter.h"
#include "systemc/cosim/tensor_rtl_plugin.h"

void tern_rtl_make_tensor(const tern::TensorRtlOptions& options, const tern::TensorShape& shape,
                          std::unique_ptr<tern::TensorRtl>& engine) {
  using Adapter = tern::cosim::TensorRtlAdapter<VTensorFullStages5, false>;
  engine = std::make_unique<Adapter>(options, shape);
}
