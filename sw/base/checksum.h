// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace tern::base {

// CRC-32 (the one of gzip and PNG).
std::uint32_t crc32_of(std::string_view bytes);
// Of a file's bytes as stored on disk.
std::uint32_t file_crc32(const std::filesystem::path& path);

}  // namespace tern::base
