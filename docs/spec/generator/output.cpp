// SPDX-License-Identifier: Apache-2.0
#include "output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace tern::spec {

std::string banner(const std::string& comment, const std::string& source) {
  return fmt::format(
      "{0} SPDX-License-Identifier: Apache-2.0\n"
      "{0} Generated from docs/spec/{1} by tern_spec_gen: do not edit.\n",
      comment, source);
}

std::string c_header_open(const std::string& source, const std::string& guard) {
  return banner("//", source) +
         fmt::format(
             "// Plain C11, also valid C++17.\n#ifndef {0}\n#define {0}\n\n#include <stdint.h>\n\n",
             guard);
}

std::string c_header_close() {
  return "\n#endif\n";
}

std::string upper(const std::string& name) {
  std::string result = name;
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return result;
}

std::string text(const YAML::Node& node, const char* key, const char* otherwise) {
  return node[key] ? node[key].as<std::string>() : std::string(otherwise);
}

}  // namespace tern::spec
