// SPDX-License-Identifier: Apache-2.0
// The entry of the shared object of one configuration; CMakeLists.txt names its Verilated class.
#include TERN_DUT_HEADER

#include "systemc/cosim/tensor_rtl_adapter.h"
#include "systemc/cosim/tensor_rtl_plugin.h"

void tern_rtl_make_tensor(const tern::TensorRtlOptions& options, const tern::TensorShape& shape,
                          std::unique_ptr<tern::TensorRtl>& engine) {
  engine =
      std::make_unique<tern::cosim::TensorRtlAdapter<TERN_DUT, TERN_DUT_TRACED>>(options, shape);
}
