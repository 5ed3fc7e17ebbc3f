// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/devices/backend/host_file.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace tern::mgmt {

void HostFile::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = write(descriptor, bytes.data(), bytes.size());
    if (done >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(done));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      pollfd ready{descriptor, POLLOUT, 0};
      if (poll(&ready, 1, -1) < 0 && errno != EINTR) return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

std::string last_error() {
  return std::generic_category().message(errno);
}

}  // namespace tern::mgmt
