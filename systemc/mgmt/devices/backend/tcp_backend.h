// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "systemc/mgmt/devices/backend/host_file.h"
#include "systemc/mgmt/devices/backend/input_chunk.h"
#include "systemc/mgmt/devices/backend/output_backlog.h"
#include "systemc/mgmt/devices/backend/uart_backend.h"

namespace tern::mgmt {

// A TCP port of this host alone (127.0.0.1), for one client at a time. README.md.
class TcpBackend : public UartBackend {
 public:
  // port: 0 for any free one. Prints it on stderr. Throws UserError.
  explicit TcpBackend(std::uint16_t port);

  std::uint16_t port() const { return port_; }

  void transmit(std::uint8_t byte) override;
  std::optional<std::uint8_t> receive() override;

 private:
  void accept_client();
  void flush();

  std::uint16_t port_;
  HostFile listener_, client_;
  bool client_finished_ = false;  // it sends no more
  OutputBacklog output_;
  InputChunk input_;
};

}  // namespace tern::mgmt
