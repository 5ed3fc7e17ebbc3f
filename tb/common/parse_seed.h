// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tern::tb {

// A seed in decimal, or in hex after 0x; none if the text is anything else or does not fit.
std::optional<std::uint64_t> parse_seed(std::string_view text);

}  // namespace tern::tb
