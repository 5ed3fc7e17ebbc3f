// SPDX-License-Identifier: Apache-2.0
// The Python module _tern_nki: the core of the package nki.
#include <pybind11/pybind11.h>

#include "sw/nki/bindings/bind_view.h"
#include "sw/nki/bindings/errors.h"
#include "sw/runtime/program_file.h"

PYBIND11_MODULE(_tern_nki, module) {
  module.attr("most_ranks") = tern::runtime::ProgramFile::kMostParts;
  tern::nki::bind_errors(module);
  tern::nki::bind_view(module);
  tern::nki::bind_kernel(module);
}
