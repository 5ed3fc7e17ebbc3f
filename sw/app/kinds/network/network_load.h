// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sw/app/kinds/program_run.h"
#include "sw/config/yaml_reader.h"
#include "sw/data/dtype.h"

namespace tern::app {

// `output` and `tolerance` of the section `expect`, if the file has them.
std::optional<ExpectedOutput> load_expected(const config::YamlMap& expect,
                                            const data::Shape& shape);

// The formats of products: one under `key`, or several under `formats`. Left alone when the file
// names none.
void load_formats(const config::YamlMap& top, const std::string& key,
                  std::vector<std::string>* formats);

}  // namespace tern::app
