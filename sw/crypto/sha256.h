// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tern::crypto {

using Digest = std::array<std::uint8_t, 32>;

// SHA-256 (FIPS 180-4).
Digest sha256(const void* data, std::size_t bytes);

}  // namespace tern::crypto
