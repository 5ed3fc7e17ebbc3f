// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace tern::base {

// A name that the user typed may be a link, a pipe or a device. One that the program makes leads
// nowhere else: what is there already must be a regular file.
enum class NamedBy { kUser, kProgram };

// What survives once commit() has returned: kRun: the end of this process; kPower: a power cut.
enum class Survives { kRun, kPower };

// The place where a file is written until it is complete: FILE.partial, empty at first. While the
// object lives no other run can write the same file; what an earlier run left there is replaced.
// Symbolic links at FILE are followed, at FILE.partial never.
//
// Faults are UserErrors that name FILE and the reason; those of commit() are RunErrors.
class PartialFile {
 public:
  explicit PartialFile(std::filesystem::path path, NamedBy named_by = NamedBy::kUser);
  ~PartialFile();  // without commit() or keep() the partial file is removed
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  const std::filesystem::path& path() const { return partial_; }
  int descriptor() const { return file_; }  // open for reading and writing

  // Somebody who was given the name has made the file anew.
  void made_anew();
  // FILE is the partial file from now on, with the permissions of the one it replaces.
  void commit(Survives survives = Survives::kRun);
  void keep();

 private:
  void lock();
  [[noreturn]] void fail(const std::string& reason) const;

  std::filesystem::path path_;     // as the user gave it, named in messages
  std::filesystem::path final_;    // final location: symbolic links followed
  std::filesystem::path partial_;  // beside it
  int file_ = -1;                  // -1: there is nothing to remove
};

}  // namespace tern::base
