// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/devices/backend/file_backend.h"

#include <fcntl.h>

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
  output_ = HostFile(open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode));
  if (!output_) throw UserError(output + ": " + last_error());
}

// No caller is left to report an error to.
FileBackend::~FileBackend() {
  if (!failed_) write_all(output_.get(), line_);
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
