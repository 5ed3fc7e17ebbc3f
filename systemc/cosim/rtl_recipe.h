// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace tern::cosim {

// In a build folder: brings a Verilated shared object up to date by its recipe
// (cmake/TernRtlPlugin.cmake). Does nothing when it exists and is no older than its sources;
// otherwise reports it in one line on standard error and builds. Only one process at a time builds.
//
// Throws RunError, with the path of the log, if that fails.
void build_rtl_plugin(const std::filesystem::path& recipe, const std::filesystem::path& file);

}  // namespace tern::cosim
