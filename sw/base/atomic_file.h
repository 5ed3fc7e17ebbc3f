// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <ostream>
#include <string_view>

namespace tern::base {

// A name that the user typed may be a link, a pipe or a device. One that the program makes leads
// nowhere else: what is there already must be a regular file.
enum class NamedBy { kUser, kProgram };

// A file that appears under its name only when it is complete: written as FILE.partial, renamed by
// commit(), removed if commit() is not reached. A device or pipe (/dev/stdout, /dev/null) is
// written directly.
//
// A path that cannot be opened is a UserError; a write that fails later (full disk) is a RunError.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path, NamedBy named_by = NamedBy::kUser);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  std::ostream& stream() { return stream_; }
  void commit();

 private:
  std::filesystem::path path_;     // as the user gave it, named in messages
  std::filesystem::path final_;    // final location: symbolic links followed
  std::filesystem::path partial_;  // empty: written directly
  std::ofstream stream_;
  bool committed_ = false;
};

void write_file(const std::filesystem::path& path, std::string_view bytes,
                NamedBy named_by = NamedBy::kUser);

}  // namespace tern::base
