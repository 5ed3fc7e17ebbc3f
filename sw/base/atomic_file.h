// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <ostream>
#include <streambuf>
#include <string_view>
#include <vector>

#include "sw/base/partial_file.h"

namespace tern::base {

// A file that appears under its name only when it is complete (PartialFile), removed if commit() is
// not reached. A device or pipe that the user named (/dev/stdout, /dev/null) is written directly.
//
// A path that cannot be opened is a UserError; a write that fails later (full disk) is a RunError.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path, NamedBy named_by = NamedBy::kUser);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  std::ostream& stream() { return stream_; }
  void commit(Survives survives = Survives::kRun);

 private:
  // Bytes to an open file; remembers why one write failed.
  class Buffer : public std::streambuf {
   public:
    Buffer();
    void write_to(int file) { file_ = file; }
    int error() const { return error_; }

   protected:
    int_type overflow(int_type c) override;
    int sync() override;

   private:
    std::vector<char> bytes_;
    int file_ = -1, error_ = 0;
  };

  std::filesystem::path path_;          // as the user gave it, named in messages
  std::optional<PartialFile> partial_;  // none: written directly
  int direct_ = -1;
  Buffer buffer_;
  std::ostream stream_;
};

void write_file(const std::filesystem::path& path, std::string_view bytes,
                NamedBy named_by = NamedBy::kUser, Survives survives = Survives::kRun);

}  // namespace tern::base
