// SPDX-License-Identifier: Apache-2.0
// A simulated board on a pseudo-terminal: fpga_board rtl|netlist. Prints the name of the terminal,
// which `tern run --fpga-port` takes for the board's serial device, and runs until it is ended.
#include <fcntl.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "systemc/cosim/fpga_sim.h"

namespace {

// Milliseconds of the board's time without a byte after which it waits for the host.
constexpr unsigned kIdle = 20;

int serve(tern::FpgaSim* board, int file) {
  std::uint8_t bytes[4096];
  unsigned idle = 0;
  for (;;) {
    pollfd wait = {file, POLLIN, 0};
    const int ready = poll(&wait, 1, idle < kIdle ? 0 : 50);
    if (ready > 0 && (wait.revents & POLLIN) != 0) {
      const ssize_t count = read(file, bytes, sizeof bytes);
      if (count > 0) {
        board->write(bytes, static_cast<std::size_t>(count));
        idle = 0;
      }
    }
    if (idle >= kIdle) continue;
    const std::size_t count = board->read(bytes, sizeof bytes, 1);
    idle = count > 0 ? 0 : idle + 1;
    for (std::size_t done = 0; done < count;) {
      const ssize_t some = write(file, bytes + done, count - done);
      if (some <= 0) return 1;
      done += static_cast<std::size_t>(some);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string kind = argc == 2 ? argv[1] : "";
  std::unique_ptr<tern::FpgaSim> board;
  if (kind == "rtl") board = tern::make_fpga_rtl();
#ifdef TERN_FPGA_NETLIST
  if (kind == "netlist") board = tern::make_fpga_netlist();
#endif
  if (!board) {
    std::fputs("usage: fpga_board rtl|netlist (the netlist only if Yosys was there to make it)\n",
               stderr);
    return 2;
  }
  const int file = posix_openpt(O_RDWR | O_NOCTTY);
  if (file < 0 || grantpt(file) != 0 || unlockpt(file) != 0) {
    std::perror("fpga_board: no pseudo-terminal");
    return 1;
  }
  const std::string name = ptsname(file);
  // Kept open, so that the terminal survives its users; raw before the first of them.
  const int other = open(name.c_str(), O_RDWR | O_NOCTTY);
  termios settings{};
  if (other < 0 || tcgetattr(other, &settings) != 0) return 1;
  cfmakeraw(&settings);
  tcsetattr(other, TCSANOW, &settings);
  std::printf("%s\n", name.c_str());
  std::fflush(stdout);
  return serve(board.get(), file);
}
