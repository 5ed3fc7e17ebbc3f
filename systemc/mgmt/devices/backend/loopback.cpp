// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/devices/backend/loopback.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "sw/base/user_error.h"

namespace tern::mgmt {

HostFile listen_on_loopback(std::uint16_t* port, const char* who) {
  HostFile listener(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int on = 1;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(*port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (!listener || setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      bind(listener.get(), any, size) != 0 || listen(listener.get(), 1) != 0 ||
      getsockname(listener.get(), any, &size) != 0) {
    throw UserError(fmt::format("{}: port {}: {}", who, *port, last_error()));
  }
  *port = ntohs(address.sin_port);
  return listener;
}

HostFile accept_on_loopback(const HostFile& listener) {
  HostFile client(accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  const int on = 1;
  if (client) setsockopt(client.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return client;
}

}  // namespace tern::mgmt
