// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include "sw/nki/trace/instruction.h"

namespace tern::nki {

// Keyword arguments of a traced call, by the names of Options' fields.
Options options_from(const pybind11::dict& values);

}  // namespace tern::nki
