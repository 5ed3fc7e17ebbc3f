// SPDX-License-Identifier: Apache-2.0
#include "sw/live/run_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "sw/base/user_error.h"

namespace tern::live {

std::optional<std::filesystem::path> run_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  if (const std::string folder = variable("TERN_RUN_DIR"); !folder.empty()) {
    if (folder == "off") return {};
    return folder;
  }
  if (const std::string parent = variable("XDG_RUNTIME_DIR"); !parent.empty())
    return std::filesystem::path(parent) / "tern";
  return fmt::format("/tmp/tern-{}", geteuid());
}

bool check_run_folder(const std::filesystem::path& folder) {
  struct stat status {};
  // Not through a link: in /tmp it may be anybody's.
  if (lstat(folder.c_str(), &status) != 0) {
    if (errno == ENOENT) return false;
    throw UserError(fmt::format("{}: {}", folder.string(), std::strerror(errno)));
  }
  if (!S_ISDIR(status.st_mode))
    throw UserError(folder.string() + ": expected a folder (TERN_RUN_DIR)");
  if (status.st_uid != geteuid())
    throw UserError(folder.string() + ": belongs to another user: set TERN_RUN_DIR");
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    throw UserError(folder.string() + ": others may write there: chmod 700, or set TERN_RUN_DIR");
  return true;
}

void make_run_folder(const std::filesystem::path& folder) {
  if (mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST)
    throw UserError(
        fmt::format("{}: cannot make the folder: {}", folder.string(), std::strerror(errno)));
  check_run_folder(folder);
}

}  // namespace tern::live
