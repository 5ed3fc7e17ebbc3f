// SPDX-License-Identifier: Apache-2.0
#include "sw/base/checksum.h"

#include <zlib.h>

#include <algorithm>
#include <vector>

#include "sw/base/input_file.h"

namespace tern::base {

std::uint32_t crc32_of(std::string_view bytes) {
  uLong crc = ::crc32(0, nullptr, 0);
  constexpr std::size_t kPiece = 1u << 30;
  for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
    const std::size_t count = std::min(kPiece, bytes.size() - at);
    crc = ::crc32(crc, reinterpret_cast<const Bytef*>(bytes.data() + at), static_cast<uInt>(count));
  }
  return static_cast<std::uint32_t>(crc);
}

std::uint32_t file_crc32(const std::filesystem::path& path) {
  std::ifstream stream = open_input(path);
  std::vector<char> chunk(1u << 16);
  uLong crc = ::crc32(0, nullptr, 0);
  while (stream) {
    stream.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    crc = ::crc32(crc, reinterpret_cast<const Bytef*>(chunk.data()),
                  static_cast<uInt>(stream.gcount()));
  }
  return static_cast<std::uint32_t>(crc);
}

}  // namespace tern::base
