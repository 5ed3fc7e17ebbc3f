// SPDX-License-Identifier: Apache-2.0
#include "sw/base/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "sw/base/user_error.h"

namespace tern::base {

namespace fs = std::filesystem;

namespace {

// A pipe or device, by the user's own choice.
bool is_written_directly(const fs::path& path, NamedBy named_by) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return named_by == NamedBy::kUser && fs::exists(status) && !fs::is_regular_file(status) &&
         !fs::is_directory(status);
}

// Opens a pipe or device. Waits ten seconds for the reader of a pipe: Ctrl-C would not end an
// open() that waits.
int open_directly(const fs::path& path) {
  constexpr int kTries = 100;
  constexpr std::chrono::milliseconds kPause(100);
  for (int i = 0; i < kTries; ++i) {
    const int file = open(path.c_str(), O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (file >= 0) {
      fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK);
      return file;
    }
    if (errno != ENXIO) throw UserError(path.string() + ": cannot write: " + std::strerror(errno));
    std::this_thread::sleep_for(kPause);
  }
  throw UserError(path.string() + ": cannot write: nobody reads this pipe");
}

}  // namespace

AtomicFile::Buffer::Buffer() : bytes_(std::size_t{1} << 16) {
  setp(bytes_.data(), bytes_.data() + bytes_.size());
}

AtomicFile::Buffer::int_type AtomicFile::Buffer::overflow(int_type c) {
  if (sync() != 0) return traits_type::eof();
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  return sputc(traits_type::to_char_type(c));
}

int AtomicFile::Buffer::sync() {
  const char* at = pbase();
  while (at != pptr() && error_ == 0) {
    const ssize_t written = write(file_, at, static_cast<std::size_t>(pptr() - at));
    if (written >= 0) {
      at += written;
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  setp(bytes_.data(), bytes_.data() + bytes_.size());
  return error_ == 0 ? 0 : -1;
}

AtomicFile::AtomicFile(fs::path path, NamedBy named_by)
    : path_(std::move(path)), stream_(&buffer_) {
  if (!is_written_directly(path_, named_by)) {
    partial_.emplace(path_, named_by);
    buffer_.write_to(partial_->descriptor());
    return;
  }
  direct_ = open_directly(path_);
  buffer_.write_to(direct_);
}

AtomicFile::~AtomicFile() {
  if (direct_ >= 0) close(direct_);
}

void AtomicFile::commit(Survives survives) {
  stream_.flush();
  if (!stream_)
    throw RunError(path_.string() + ": write failed: " + std::strerror(buffer_.error()));
  if (partial_) partial_->commit(survives);
}

void write_file(const fs::path& path, std::string_view bytes, NamedBy named_by, Survives survives) {
  AtomicFile file(path, named_by);
  file.stream().write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.commit(survives);
}

}  // namespace tern::base
