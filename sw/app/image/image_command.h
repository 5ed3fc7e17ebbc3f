// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tern::app {

// The options of `tern image`.
struct ImageOptions {
  std::string input;  // sign: ELF file or raw bytes; show: image
  std::string key, output;
  std::string name = "firmware", version = "1.0.0";
  std::optional<std::uint64_t> load_address;  // of raw bytes; none: after the boot ROM's part
  std::uint32_t security_version = 1;
  bool json = false;
};

// Writes a signed image.
int image_sign(const ImageOptions& options);
// Prints what an image says of itself; exit code 1 unless digest and signature match.
int image_show(const ImageOptions& options);

}  // namespace tern::app
