// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sw/collectives/schedule.h"

namespace tern::collectives {

// A schedule as a YAML file (README.md, "Files"). Throws UserError with file and line. It is not
// verified.
Schedule load_schedule(const std::string& path);
Schedule parse_schedule(const std::string& text, const std::string& shown);

// As such a file, which load_schedule() reads as the same schedule.
// Key `counts` of a file: of an all_to_all_v.
std::vector<std::vector<unsigned>> load_counts(const std::string& path);
std::string text_of(const Schedule& schedule);

}  // namespace tern::collectives
