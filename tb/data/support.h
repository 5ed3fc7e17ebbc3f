// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace tern::tb {

// A fresh folder, gone with its contents at the end of the test.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  // Writes `bytes` to a file of this folder and returns its path.
  std::filesystem::path put(const std::string& name, const std::string& bytes) const;

 private:
  std::filesystem::path path_;
};

std::string read_bytes(const std::filesystem::path& path);

// As gzip -n would: one member, no name, no time.
std::string gzip(const std::string& bytes);

// Runs `action`, insists that it throws UserError with one line that starts with "FILE: ", returns
// what follows.
std::string user_error(const std::filesystem::path& file, const std::function<void()>& action);

}  // namespace tern::tb
