// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace tern::base {

// Opens an existing regular file for reading, or throws UserError "FILE: ...".
std::ifstream open_input(const std::filesystem::path& path);

// The whole of such a file. One that opens and cannot be read is a UserError, too.
std::string read_input(const std::filesystem::path& path);

// Bytes of a file that may be gzip-compressed: recognised by its first two bytes, not by its name.
class InputFile {
 public:
  explicit InputFile(const std::filesystem::path& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& name() const { return name_; }

  // Up to `size` further bytes: fewer only at the end of the data. A damaged or truncated gzip
  // stream is a UserError.
  std::vector<std::uint8_t> read(std::size_t size);

 private:
  struct Gzip;  // the state of zlib

  std::size_t read_plain(std::uint8_t* out, std::size_t size);
  std::size_t read_gzip(std::uint8_t* out, std::size_t size);

  std::string name_;
  std::ifstream stream_;
  std::unique_ptr<Gzip> gzip_;  // null: plain
};

}  // namespace tern::base
