// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace tern::mgmt {

// An open file, terminal or socket of the host; closed at the end of the object.
class HostFile {
 public:
  HostFile() = default;
  explicit HostFile(int descriptor) : descriptor_(descriptor) {}
  ~HostFile() { close(); }
  HostFile(HostFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  HostFile& operator=(HostFile&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }

  int get() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ >= 0; }
  void close();

 private:
  int descriptor_ = -1;
};

// Writes all of it, waiting where necessary; false: errno has the reason.
bool write_all(int descriptor, std::string_view bytes);

// The text of errno after a failed call, such as "No such file or directory".
std::string last_error();

}  // namespace tern::mgmt
