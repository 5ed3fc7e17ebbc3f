// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>

#include "tb/common/temp_folder.h"

namespace tern::tb {

// Words in random order: characters are easy to predict within them.
std::string book();
// A training on book.txt. Single lines may be replaced.
std::string text_workload(const std::map<std::string, std::string>& changes = {});
// Writes such workloads of four steps: name, changes. The path.
using WorkloadWriter =
    std::function<std::string(const char* name, std::map<std::string, std::string> changes)>;
WorkloadWriter short_runs_in(TempFolder& folder);

}  // namespace tern::tb
