// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/config/yaml_reader.h"

// Keys of a system's file that leave a value as it is where they are missing.
namespace tern::system {

inline void read_number(const config::YamlMap& map, const char* key, double least, double most,
                        double* value) {
  if (const auto v = map.find(key)) *value = v->as_number(least, most);
}

inline void read_whole(const config::YamlMap& map, const char* key, std::int64_t least,
                       std::int64_t most, unsigned* value) {
  if (const auto v = map.find(key)) *value = static_cast<unsigned>(v->as_integer(least, most));
}

}  // namespace tern::system
