// SPDX-License-Identifier: Apache-2.0
#include "sw/base/partial_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "sw/base/user_error.h"

namespace tern::base {

namespace fs = std::filesystem;

namespace {

constexpr mode_t kMode = 0666;  // the umask takes from it
constexpr mode_t kPermissions = 0777;

// The name still stands for this open file.
bool is_at(int file, const fs::path& path) {
  struct stat open_one {};
  struct stat named {};
  return fstat(file, &open_one) == 0 && lstat(path.c_str(), &named) == 0 &&
         open_one.st_dev == named.st_dev && open_one.st_ino == named.st_ino;
}

enum class Lock { kOurs, kOthers };

Lock try_lock(int file) {
  // A file system without locks has no two runs that write one file.
  if (flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return Lock::kOurs;
  return Lock::kOthers;
}

void close_quietly(int* file) {
  if (*file >= 0) close(*file);
  *file = -1;
}

void sync_folder_of(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  int file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file >= 0) fsync(file);
  close_quietly(&file);
}

}  // namespace

void PartialFile::fail(const std::string& reason) const {
  throw UserError(path_.string() + ": cannot write: " + reason);
}

PartialFile::PartialFile(fs::path path, NamedBy named_by) : path_(std::move(path)), final_(path_) {
  std::error_code ignored;
  if (path_.empty()) throw UserError("cannot write: the file name is empty");
  const fs::file_status status = fs::status(path_, ignored);
  if (!path_.has_filename() || fs::is_directory(status))
    fail("this is a folder, a file was expected");
  const fs::file_status there =
      named_by == NamedBy::kProgram ? fs::symlink_status(path_, ignored) : status;
  if (fs::exists(there) && !fs::is_regular_file(there))
    fail("exists and is not a regular file, so it is not replaced");
  // Renaming onto a symbolic link would replace the link, not the file it points to.
  if (fs::exists(status)) final_ = fs::canonical(path_, ignored);
  if (final_.empty()) final_ = path_;
  partial_ = final_;
  partial_ += ".partial";
  lock();
}

PartialFile::~PartialFile() {
  if (file_ >= 0 && is_at(file_, partial_)) unlink(partial_.c_str());
  close_quietly(&file_);
}

// Whoever holds the lock of the file that has the name may write or remove it. So the lock counts
// only if the file still has its name afterwards.
void PartialFile::lock() {
  // A file that another run writes again and again, such as a checkpoint, is soon free.
  constexpr int kTries = 100;
  constexpr std::chrono::milliseconds kPause(10);
  for (int i = 0; i < kTries; ++i) {
    if (i > 0) std::this_thread::sleep_for(kPause);
    file_ = open(partial_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kMode);
    if (file_ >= 0) {
      if (try_lock(file_) == Lock::kOurs && is_at(file_, partial_)) return;
      close_quietly(&file_);
      continue;
    }
    if (errno != EEXIST) fail(std::strerror(errno));
    struct stat there {};
    if (lstat(partial_.c_str(), &there) != 0) continue;
    if (S_ISDIR(there.st_mode)) fail("there is a folder " + partial_.filename().string());
    int left = -1;
    if (S_ISREG(there.st_mode)) {
      left = open(partial_.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
      if (left < 0 && errno == ENOENT) continue;
      if (left >= 0 && try_lock(left) == Lock::kOthers) {
        close_quietly(&left);
        continue;
      }
    }
    const bool same = left < 0 || is_at(left, partial_);
    const bool removed = !same || unlink(partial_.c_str()) == 0 || errno == ENOENT;
    const int reason = errno;
    close_quietly(&left);
    if (!removed) fail(std::strerror(reason));
  }
  fail("another run is writing it");
}

void PartialFile::made_anew() {
  const int file = open(partial_.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) fail(std::strerror(errno));
  const bool ours = try_lock(file) == Lock::kOurs && is_at(file, partial_);
  close_quietly(&file_);
  file_ = file;
  if (!ours) fail("another run is writing it");
}

void PartialFile::commit(Survives survives) {
  const auto check = [&](bool good, const char* reason) {
    if (!good) throw RunError(path_.string() + ": write failed: " + reason);
  };
  check(is_at(file_, partial_), "somebody replaced or removed the partial file");
  struct stat replaced {};
  if (stat(final_.c_str(), &replaced) == 0) {
    // Not the owner's loss where the permissions belong to somebody else.
    if (fchmod(file_, replaced.st_mode & kPermissions) != 0) errno = 0;
  }
  if (survives == Survives::kPower) check(fsync(file_) == 0, std::strerror(errno));
  check(std::rename(partial_.c_str(), final_.c_str()) == 0, std::strerror(errno));
  if (survives == Survives::kPower) sync_folder_of(final_);
  close_quietly(&file_);
}

void PartialFile::keep() {
  close_quietly(&file_);
}

}  // namespace tern::base
