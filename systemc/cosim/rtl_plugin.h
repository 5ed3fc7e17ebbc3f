// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tern::cosim {

// A Verilated block in a shared object (cmake/TernRtlPlugin.cmake): the address of `symbol` in
// NAME.so. The search covers $TERN_RTL_DIR, then the RUNPATH of this program or library: lib/tern
// of the build folder or of the installed package. In a build folder it is built first when it is
// missing or older than its sources. It stays loaded.
//
// Throws UserError if it is not found or does not fit, RunError if it cannot be built.
void* load_rtl_plugin(const std::string& name, const char* symbol);

}  // namespace tern::cosim
