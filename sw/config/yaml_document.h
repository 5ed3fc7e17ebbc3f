// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>

namespace tern::config {

// Thrown where a second document begins.
struct AnotherDocument {
  YAML::Mark mark;
};

// The one document of a text; null for an empty one. YAML::LoadAll() does not return from a text
// that begins with a comma. Throws YAML::Exception too.
YAML::Node only_document(const std::string& text);

}  // namespace tern::config
