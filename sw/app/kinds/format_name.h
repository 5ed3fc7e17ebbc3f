// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/config/yaml_reader.h"

namespace tern::app {

// One of a kind's formats. Where kinds have different names of one format, each accepts both;
// the result is that of `known`.
std::string format_of(const config::YamlValue& value, const std::vector<std::string>& known);

}  // namespace tern::app
