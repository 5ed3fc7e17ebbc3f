// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sw/numerics/dtype.h"

namespace tern::nki {

using numerics::DType;

// An element type by its NKI name, and the format that the chip has for it. Types are compared by
// address: there is one object of each.
struct ElementType {
  std::string_view name;
  DType dtype = DType::kFp32;

  // Whether Vector and Scalar compute with it.
  bool computes() const { return numerics::is_compute_dtype(dtype); }
  std::int64_t bytes() const { return static_cast<std::int64_t>(numerics::dtype_size(dtype)); }
};

// Older spellings too ("float8e4"); null for a name that is no type.
const ElementType* find_element_type(std::string_view name);
// The same, of a name that is known to exist.
const ElementType* element_type(std::string_view name);

}  // namespace tern::nki
