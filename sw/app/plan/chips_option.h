// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/config/yaml_reader.h"
#include "sw/system/fabric.h"

namespace tern::app {

// Keys of workloads on many chips. All throw UserError with file and line.

// A preset, or a file.
system::SystemConfig system_of(const config::YamlValue& value);

// How many, the first ones of the system; or which, by name. At most `most`.
std::vector<std::uint32_t> chips_of(const config::YamlValue& value, const system::Fabric& fabric,
                                    unsigned most);

}  // namespace tern::app
