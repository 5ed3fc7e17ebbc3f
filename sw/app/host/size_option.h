// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace tern::app {

// "65536", "64K", "2M", "1G": powers of 1024. Throws UserError, with the option.
std::uint64_t size_option(const std::string& option, const std::string& text);

// The shortest of these.
std::string size_text(std::uint64_t bytes);

}  // namespace tern::app
