// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

namespace tern::base {

// CRC-32 (the one of gzip and PNG) of a file's bytes as stored on disk.
std::uint32_t file_crc32(const std::filesystem::path& path);

}  // namespace tern::base
