// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

namespace tern::nki {

// Class View, the element types, and conversions of their values.
void bind_view(pybind11::module_& module);
// Classes Kernel, Site, Compiled.
void bind_kernel(pybind11::module_& module);

}  // namespace tern::nki
