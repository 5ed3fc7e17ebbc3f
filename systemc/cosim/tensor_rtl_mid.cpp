// SPDX-License-Identifier: Apache-2.0
#include <VTensorMid.h>

#include "systemc/cosim/tensor_rtl_adapter.h"
#include "systemc/cosim/tensor_rtl_configs.h"

namespace tern::cosim {

std::unique_ptr<TensorRtl> make_tensor_rtl_mid(const TensorRtlOptions& options,
                                               const TensorShape& shape) {
  return std::make_unique<TensorRtlAdapter<VTensorMid, false>>(options, shape);
}

}  // namespace tern::cosim
