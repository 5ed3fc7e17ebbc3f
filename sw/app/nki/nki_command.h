// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tern::app {

// tern nki ARGUMENTS...: starts Python with the package nki (`run`, `python`), or is the process
// that simulates for it (`worker`). Does not return when Python starts. The exit code.
int nki_command(const std::vector<std::string>& arguments);

}  // namespace tern::app
