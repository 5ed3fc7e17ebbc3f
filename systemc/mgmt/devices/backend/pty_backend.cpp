// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/devices/backend/pty_backend.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <utility>

#include "sw/base/text.h"
#include "sw/base/user_error.h"

namespace tern::mgmt {

namespace {

[[noreturn]] void fail() {
  throw UserError("pseudo terminal: " + last_error());
}

HostFile open_master() {
  HostFile master(posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  if (!master || grantpt(master.get()) != 0 || unlockpt(master.get()) != 0) fail();
  return master;
}

std::string name_of(int master) {
  std::array<char, 64> name{};
  if (ptsname_r(master, name.data(), name.size()) != 0) fail();
  return name.data();
}

// Where a symbolic link leads; empty: there is none.
std::string target_of(const std::string& link) {
  std::error_code failed;
  const std::filesystem::path target = std::filesystem::read_symlink(link, failed);
  return failed ? std::string() : target.string();
}

}  // namespace

PtyBackend::PtyBackend(std::string link)
    : master_(open_master()), name_(name_of(master_.get())), link_(std::move(link)) {
  // No echo and no translation until a client chooses otherwise.
  termios mode{};
  if (tcgetattr(master_.get(), &mode) != 0) fail();
  cfmakeraw(&mode);
  if (tcsetattr(master_.get(), TCSANOW, &mode) != 0) fail();
  // Opened and closed once, the terminal reports from now on that no client is attached.
  if (!HostFile(open(name_.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC))) fail();
  if (!link_.empty()) make_link();
  base::to_stderr("uart: terminal " + name_ + (link_.empty() ? "" : ", " + link_) + "\n");
}

// A link that an earlier run has left is replaced, nothing else.
void PtyBackend::make_link() {
  if (target_of(link_).rfind("/dev/pts/", 0) == 0) unlink(link_.c_str());
  if (symlink(name_.c_str(), link_.c_str()) == 0) return;
  const std::string why = last_error(), link = std::exchange(link_, {});
  throw UserError(link + ": " + why);
}

PtyBackend::~PtyBackend() {
  if (!link_.empty() && target_of(link_) == name_) unlink(link_.c_str());
}

bool PtyBackend::attached() const {
  pollfd state{master_.get(), 0, 0};
  return poll(&state, 1, 0) >= 0 && (state.revents & POLLHUP) == 0;
}

void PtyBackend::flush() {
  if (output_.empty() || !attached()) return;
  while (!output_.empty()) {
    const std::string_view bytes = output_.front();
    const ssize_t done = write(master_.get(), bytes.data(), bytes.size());
    if (done <= 0) return;
    output_.drop(static_cast<std::size_t>(done));
  }
}

void PtyBackend::transmit(std::uint8_t byte) {
  output_.add(byte);
  flush();
}

std::optional<std::uint8_t> PtyBackend::receive() {
  flush();
  if (input_.empty()) {
    const ssize_t count = read(master_.get(), input_.room(), InputChunk::kBytes);
    if (count > 0) input_.fill(static_cast<std::size_t>(count));
  }
  return input_.take();
}

}  // namespace tern::mgmt
