// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "systemc/mgmt/devices/backend/uart_backend.h"

namespace tern::mgmt {

// The other end of a serial line by its name on a command line:
//   none                    an open line (null)
//   stdio                   this terminal
//   pty, pty:LINK           a pseudo terminal, with a symbolic link to it
//   tcp:PORT                a port of this host, 0 for any
//   file:OUTPUT[,INPUT]     files
// Throws UserError.
std::unique_ptr<UartBackend> open_backend(const std::string& name);

// The files of file:OUTPUT[,INPUT], if the name is of this kind; no input: empty.
struct UartFiles {
  std::string output, input;
};
std::optional<UartFiles> uart_files(const std::string& name);

}  // namespace tern::mgmt
