// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace tern::app {

// "256MiB", "1GiB", a whole number of MiB > 0. Throws UserError "OPTION: ...".
std::uint64_t parse_memory(const std::string& option, const std::string& text);
// "10s", "1.5ms", "200us", "50ns" in femtoseconds, at least 1, at most an hour. Throws UserError.
std::uint64_t parse_time_fs(const std::string& option, const std::string& text);

}  // namespace tern::app
