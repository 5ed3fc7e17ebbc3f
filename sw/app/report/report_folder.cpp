// SPDX-License-Identifier: Apache-2.0
#include "sw/app/report/report_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "sw/base/user_error.h"

namespace tern::app {

void prepare_report_folder(const std::string& folder) {
  if (folder.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || access(folder.c_str(), W_OK) != 0) {
    throw UserError(fmt::format("--report {}: cannot write there: {}", folder,
                                error ? error.message() : std::strerror(errno)));
  }
}

}  // namespace tern::app
