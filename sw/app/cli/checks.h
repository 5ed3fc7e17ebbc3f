// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tern::app {

// For options that name a file or a thing: an empty name would mean that there is none.
inline std::string check_name(const std::string& text) {
  return text.empty() ? "expected a name" : "";
}

}  // namespace tern::app
