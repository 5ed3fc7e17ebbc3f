// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/devices/backend/file_backend.h"

#include <fcntl.h>

#include <cerrno>
#include <exception>
#include <filesystem>

#include "sw/base/user_error.h"

namespace tern::mgmt {

FileBackend::FileBackend(const std::string& output, const std::string& input) : name_(output) {
  if (!input.empty()) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(input, ignored)) {
      throw UserError(input + ": not a regular file");
    }
    input_.open(input, std::ios::binary);
    if (!input_) throw UserError(input + ": " + last_error());
  }
  constexpr int kMode = 0666;  // less the mask of the user
  std::error_code ignored;
  made_ = !std::filesystem::exists(output, ignored);
  // Without O_NONBLOCK, a pipe that nobody reads would be waited for.
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK;
  output_ = HostFile(open(output.c_str(), kFlags, kMode));
  if (!output_ && errno == ENXIO) throw UserError(output + ": a pipe that nobody reads");
  if (!output_ || fcntl(output_.get(), F_SETFL, 0) != 0)
    throw UserError(output + ": " + last_error());
}

FileBackend::~FileBackend() {
  // No caller is left to report an error to.
  if (!failed_) write_all(output_.get(), line_);
  std::error_code ignored;
  const bool refused = std::uncaught_exceptions() > exceptions_;
  if (refused && made_ && std::filesystem::is_empty(name_, ignored) && !ignored)
    std::filesystem::remove(name_, ignored);
}

void FileBackend::transmit(std::uint8_t byte) {
  constexpr std::size_t kLongLine = 4096;
  if (failed_) return;
  line_ += static_cast<char>(byte);
  if (byte == '\n' || line_.size() >= kLongLine) flush();
}

void FileBackend::flush() {
  failed_ = !write_all(output_.get(), line_);
  const std::string why = last_error();
  line_.clear();
  if (failed_) throw RunError(name_ + ": write failed: " + why);
}

std::optional<std::uint8_t> FileBackend::receive() {
  if (!input_.is_open()) return std::nullopt;
  const int byte = input_.get();
  if (byte >= 0) return static_cast<std::uint8_t>(byte);
  input_.close();
  return std::nullopt;
}

}  // namespace tern::mgmt
