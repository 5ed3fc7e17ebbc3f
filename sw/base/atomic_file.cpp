// SPDX-License-Identifier: Apache-2.0
#include "sw/base/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "sw/base/user_error.h"

namespace tern::base {

namespace fs = std::filesystem;

namespace {

std::string system_reason() {
  return errno != 0 ? std::strerror(errno) : "unknown reason";
}

// Why writes to this file fail, when the stream has forgotten it: one more is tried.
std::string reason_of_writes(const fs::path& path) {
  const int file = open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) return system_reason();
  const std::string block(std::size_t{1} << 16, '\0');
  errno = 0;
  constexpr int kTries = 4;  // the first may fill the rest of a disk
  for (int i = 0; i < kTries && write(file, block.data(), block.size()) > 0; ++i) errno = 0;
  const std::string reason = system_reason();
  close(file);
  return reason;
}

// An empty file that nobody else has placed there: what was there is removed, not followed.
bool make_empty(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_directory(fs::symlink_status(path, ignored))) fs::remove(path, ignored);
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  return file >= 0 && close(file) == 0;
}

}  // namespace

AtomicFile::AtomicFile(fs::path path, NamedBy named_by) : path_(std::move(path)), final_(path_) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path_, ignored);
  if (path_.empty()) throw UserError("cannot write: the file name is empty");
  if (!path_.has_filename() || fs::is_directory(status)) {
    throw UserError(path_.string() + ": cannot write: this is a folder, a file was expected");
  }
  if (named_by == NamedBy::kProgram) {
    const fs::file_status own = fs::symlink_status(path_, ignored);
    if (fs::exists(own) && !fs::is_regular_file(own)) {
      throw UserError(path_.string() +
                      ": cannot write: exists and is not a regular file, so it is not replaced");
    }
  }
  fs::path opened = path_;
  if (!fs::exists(status) || fs::is_regular_file(status)) {
    // Renaming onto a symbolic link would replace the link, not the file it points to.
    if (fs::exists(status)) final_ = fs::canonical(path_, ignored);
    if (final_.empty()) final_ = path_;
    partial_ = final_;
    partial_ += ".partial";
    opened = partial_;
  }
  errno = 0;
  if (partial_.empty() || make_empty(partial_))
    stream_.open(opened, std::ios::binary | std::ios::trunc);
  if (!stream_.is_open()) throw UserError(path_.string() + ": cannot write: " + system_reason());
}

AtomicFile::~AtomicFile() {
  if (committed_ || partial_.empty()) return;
  stream_.close();
  std::error_code ignored;
  fs::remove(partial_, ignored);
}

void AtomicFile::commit() {
  errno = 0;
  stream_.close();  // flushes; close() and earlier writes both show in the state
  if (!stream_) {
    const bool known = errno != 0 || partial_.empty();
    throw RunError(path_.string() +
                   ": write failed: " + (known ? system_reason() : reason_of_writes(partial_)));
  }
  if (!partial_.empty()) {
    std::error_code error;
    fs::rename(partial_, final_, error);
    if (error) throw RunError(path_.string() + ": write failed: " + error.message());
  }
  committed_ = true;
}

void write_file(const fs::path& path, std::string_view bytes, NamedBy named_by) {
  AtomicFile file(path, named_by);
  file.stream().write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.commit();
}

}  // namespace tern::base
