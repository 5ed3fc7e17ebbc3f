// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace tern::base {

// CRC-32C (Castagnoli) of bytes that follow those of `crc`; 0 before the first.
std::uint32_t crc32c(std::uint32_t crc, const std::uint8_t* data, std::size_t bytes);

}  // namespace tern::base
