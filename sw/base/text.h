// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tern::base {

// Text from a file, suitable for a one-line message: quoted, truncated, unprintable bytes as
// \xNN.
std::string printable(std::string_view text);

// "1 head", "2 heads".
std::string counted(std::uint64_t count, std::string_view what);

// Where stderr is closed or full nobody is told, but the run goes on.
void to_stderr(const std::string& text);

// "0x1f".
std::string hex(std::uint64_t value);
// "0x0000001F": bits as they are, with all their digits.
std::string hex_bits(std::uint32_t bits, unsigned digits = 8);

}  // namespace tern::base
