// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "systemc/cosim/tensor_rtl.h"

namespace tern::cosim {

// What the shared object of each configuration exports, under this name.
constexpr const char* kTensorRtlEntry = "tern_rtl_make_tensor";
using TensorRtlEntry = void(const TensorRtlOptions& options, const TensorShape& shape,
                            std::unique_ptr<TensorRtl>& engine);

}  // namespace tern::cosim

extern "C" tern::cosim::TensorRtlEntry tern_rtl_make_tensor;
