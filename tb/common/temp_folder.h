// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tern::tb {

// A new folder, removed with its contents at the end of the test.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  std::string path(const std::string& name) const { return (path_ / name).string(); }

  // Writes `bytes` to a file of this folder and returns its path.
  std::filesystem::path put(const std::string& name, const std::string& bytes) const;
  std::vector<std::string> files() const;  // names, sorted

 private:
  std::filesystem::path path_;
};

// The whole file; empty if there is none.
std::string read_bytes(const std::filesystem::path& path);

}  // namespace tern::tb
