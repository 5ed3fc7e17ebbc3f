// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "systemc/cosim/tensor_rtl.h"

namespace tern::cosim {

// One per Verilated library, each in a separate source.
std::unique_ptr<TensorRtl> make_tensor_rtl_tiny(const TensorRtlOptions& options,
                                                const TensorShape& shape);
std::unique_ptr<TensorRtl> make_tensor_rtl_mid(const TensorRtlOptions& options,
                                               const TensorShape& shape);
// The full array: the traced library only if a wave is wanted.
std::unique_ptr<TensorRtl> make_tensor_rtl_full(const TensorRtlOptions& options,
                                                const TensorShape& shape);
std::unique_ptr<TensorRtl> make_tensor_rtl_full_trace(const TensorRtlOptions& options,
                                                      const TensorShape& shape);

}  // namespace tern::cosim
