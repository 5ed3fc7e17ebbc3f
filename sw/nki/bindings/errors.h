// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "sw/nki/trace/site.h"

namespace tern::nki {

// Errors of C++ become the classes that the package registers with _register_errors(classes,
// frames); frames() returns the place of the call under way, for errors without one.
void bind_errors(pybind11::module_& module);

// Python's text as bytes and back; file names may hold any bytes (as os.fsencode()).
std::string bytes_of(const pybind11::handle& text);
pybind11::str text_of(const std::string& bytes);

// (file, function, line, end line, column, end column) of each frame, the innermost first.
std::vector<Site::Frame> frames_from(const pybind11::iterable& frames);

}  // namespace tern::nki
