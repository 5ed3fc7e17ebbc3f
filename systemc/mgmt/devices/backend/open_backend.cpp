// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/devices/backend/open_backend.h"

#include <charconv>
#include <string_view>

#include "sw/base/text.h"
#include "sw/base/user_error.h"
#include "systemc/mgmt/devices/backend/file_backend.h"
#include "systemc/mgmt/devices/backend/pty_backend.h"
#include "systemc/mgmt/devices/backend/tcp_backend.h"
#include "systemc/mgmt/devices/backend/terminal_backend.h"

namespace tern::mgmt {

std::optional<UartFiles> uart_files(const std::string& name) {
  const std::string_view kind = "file:";
  const std::size_t comma = name.find(',');
  if (name.rfind(kind, 0) != 0 || name.size() == kind.size() || comma == kind.size())
    return std::nullopt;
  if (comma == std::string::npos) return UartFiles{name.substr(kind.size()), ""};
  return UartFiles{name.substr(kind.size(), comma - kind.size()), name.substr(comma + 1)};
}

std::unique_ptr<UartBackend> open_backend(const std::string& name) {
  const std::size_t colon = name.find(':');
  const std::string kind = name.substr(0, colon);
  const std::string rest = colon == std::string::npos ? std::string() : name.substr(colon + 1);
  const bool alone = colon == std::string::npos;
  if (kind == "none" && alone) return nullptr;
  if (kind == "stdio" && alone) return std::make_unique<TerminalBackend>();
  if (kind == "pty" && (alone || !rest.empty())) return std::make_unique<PtyBackend>(rest);
  if (const auto files = uart_files(name))
    return std::make_unique<FileBackend>(files->output, files->input);
  if (kind == "tcp") {
    std::uint16_t port = 0;
    const char* const end = rest.data() + rest.size();
    const auto [stop, error] = std::from_chars(rest.data(), end, port);
    if (error == std::errc() && stop == end) return std::make_unique<TcpBackend>(port);
  }
  throw UserError("uart " + base::printable(name) +
                  ": expected none, stdio, pty[:LINK], tcp:PORT or file:OUTPUT[,INPUT]");
}

}  // namespace tern::mgmt
