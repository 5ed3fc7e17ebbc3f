// SPDX-License-Identifier: Apache-2.0
#include "sw/base/checksum.h"

#include <zlib.h>

#include <vector>

#include "sw/base/input_file.h"

namespace tern::base {

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
