// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "tb/common/temp_folder.h"

namespace tern::tb {

// As gzip -n would: one member, no name, no time.
std::string gzip(const std::string& bytes);

// Runs `action`, insists that it throws UserError with one line that starts with "FILE: ", returns
// what follows.
std::string user_error(const std::filesystem::path& file, const std::function<void()>& action);

}  // namespace tern::tb
