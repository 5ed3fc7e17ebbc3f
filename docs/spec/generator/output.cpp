// SPDX-License-Identifier: Apache-2.0
#include "output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>

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

std::string grouped(unsigned value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string upper(const std::string& name) {
  std::string result = name;
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return result;
}

std::string camel(const std::string& name) {
  std::string result;
  bool begin = true;
  for (const char c : name) {
    if (c != '_') result += begin ? static_cast<char>(std::toupper(c)) : c;
    begin = c == '_';
  }
  return result;
}

YAML::Node named(const YAML::Node& list, const std::string& name) {
  for (const auto& entry : list) {
    if (entry["name"].as<std::string>() == name) return entry;
  }
  throw std::runtime_error("no entry '" + name + "'");
}

std::string with_part(const std::string& page, const std::string& name, const std::string& part) {
  const std::string head = "<!-- generated: " + name + " -->\n";
  const std::string tail = "<!-- end: " + name + " -->\n";
  const std::size_t begin = page.find(head), end = page.find(tail);
  if (begin == std::string::npos || end == std::string::npos || end < begin) {
    throw std::runtime_error("a page lacks the markers of '" + name + "'");
  }
  return page.substr(0, begin + head.size()) + part + page.substr(end);
}

std::string text(const YAML::Node& node, const char* key, const char* otherwise) {
  return node[key] ? node[key].as<std::string>() : std::string(otherwise);
}

}  // namespace tern::spec
