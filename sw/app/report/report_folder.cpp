// SPDX-License-Identifier: Apache-2.0
#include "sw/app/report/report_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "sw/base/user_error.h"

namespace tern::app {

bool is_place_of_report(const std::string& folder, const std::string& name,
                        const std::string& file) {
  if (folder.empty() || file.empty()) return false;
  const std::filesystem::path path(file);
  const std::string ending = path.extension().string();
  if (path.stem() != name && ending != ".svg" && ending != ".csv" && ending != ".partial")
    return false;
  std::error_code ignored;
  const auto resolved = [&](const std::filesystem::path& place) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(place), ignored);
  };
  return resolved(path) == resolved(std::filesystem::path(folder) / path.filename());
}

std::vector<std::filesystem::path> prepare_report_folder(const std::string& folder,
                                                         const std::string& name) {
  std::vector<std::filesystem::path> made;
  if (folder.empty()) return made;
  std::error_code error;
  std::filesystem::path absent = std::filesystem::absolute(folder, error).lexically_normal();
  if (!absent.has_filename()) absent = absent.parent_path();  // "out/"
  for (; !absent.empty() && !std::filesystem::exists(absent, error); absent = absent.parent_path())
    made.push_back(absent);
  std::filesystem::create_directories(folder, error);
  if (error || access(folder.c_str(), W_OK) != 0) {
    throw UserError(fmt::format("--report {}: cannot write there: {}", folder,
                                error ? error.message() : std::strerror(errno)));
  }
  for (const char* ending : {".html", ".json", ".md"}) {
    const std::filesystem::path file = std::filesystem::path(folder) / (name + ending);
    // A link leads elsewhere, even one to a file that is not there.
    const std::filesystem::file_status there = std::filesystem::symlink_status(file, error);
    if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there))
      throw UserError(fmt::format("--report: '{}' is not a regular file", file.string()));
  }
  return made;
}

void remove_empty_folders(const std::vector<std::filesystem::path>& folders) {
  for (const std::filesystem::path& folder : folders) {
    std::error_code not_empty;
    if (!std::filesystem::remove(folder, not_empty) || not_empty) return;
  }
}

}  // namespace tern::app
