// SPDX-License-Identifier: Apache-2.0
#include "sw/fpga/serial_port.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "sw/base/text.h"
#include "sw/base/user_error.h"

namespace tern::fpga {

namespace {

constexpr int kWriteTimeoutMs = 5000;

speed_t speed_of(unsigned baud) {
  switch (baud) {
    case 1000000:
      return B1000000;
    case 2000000:
      return B2000000;
    case 3000000:
      return B3000000;
    default:
      throw UserError("FPGA: baud rates are 1000000, 2000000 and 3000000");
  }
}

class SerialPort : public BytePort {
 public:
  SerialPort(const std::string& path, unsigned baud) : name_(base::printable(path)) {
    const speed_t speed = speed_of(baud);
    file_ = ::open(path.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (file_ < 0) fail_to_open(std::strerror(errno));
    termios settings{};
    if (tcgetattr(file_, &settings) != 0) fail_to_open("no serial device");
    // Another program on the same port would take half of the answers.
    ioctl(file_, TIOCEXCL);
    cfmakeraw(&settings);
    settings.c_cflag &= ~static_cast<tcflag_t>(CSTOPB | CRTSCTS);
    settings.c_cflag |= CLOCAL | CREAD;
    if (cfsetspeed(&settings, speed) != 0 || tcsetattr(file_, TCSANOW, &settings) != 0) {
      fail_to_open("the device does not take " + std::to_string(baud) + " baud");
    }
    tcflush(file_, TCIOFLUSH);
  }
  ~SerialPort() override {
    ioctl(file_, TIOCNXCL);  // stays with a terminal that somebody else keeps open
    close(file_);
  }
  SerialPort(const SerialPort&) = delete;
  SerialPort& operator=(const SerialPort&) = delete;

  std::string name() const override { return name_; }

  void write(const std::uint8_t* data, std::size_t bytes) override {
    while (bytes > 0) {
      if (!ready(POLLOUT, kWriteTimeoutMs)) fail("takes no bytes");
      const ssize_t done = ::write(file_, data, bytes);
      if (done < 0 && (errno == EAGAIN || errno == EINTR)) continue;
      if (done <= 0) fail(std::strerror(errno));
      data += done;
      bytes -= static_cast<std::size_t>(done);
    }
  }

  std::size_t read(std::uint8_t* data, std::size_t max, unsigned milliseconds) override {
    if (!ready(POLLIN, static_cast<int>(milliseconds))) return 0;
    const ssize_t done = ::read(file_, data, max);
    if (done < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
    if (done <= 0) fail("the device has gone");
    return static_cast<std::size_t>(done);
  }

 private:
  bool ready(short events, int milliseconds) {
    pollfd wait = {file_, events, 0};
    return poll(&wait, 1, milliseconds) > 0;
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw RunError("FPGA at " + name_ + ": " + what);
  }
  [[noreturn]] void fail_to_open(const std::string& why) {
    if (file_ >= 0) {
      ioctl(file_, TIOCNXCL);
      close(file_);
    }
    throw UserError("FPGA at " + name_ + ": " + why);
  }

  std::string name_;
  int file_ = -1;
};

}  // namespace

std::unique_ptr<BytePort> open_serial_port(const std::string& path, unsigned baud) {
  return std::make_unique<SerialPort>(path, baud);
}

}  // namespace tern::fpga
