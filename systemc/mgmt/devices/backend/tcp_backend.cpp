// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/devices/backend/tcp_backend.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <string_view>
#include <utility>

#include "sw/base/text.h"
#include "sw/base/user_error.h"

namespace tern::mgmt {

namespace {

bool only_later() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

}  // namespace

TcpBackend::TcpBackend(std::uint16_t port)
    : listener_(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
  const int on = 1;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (!listener_ || setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      bind(listener_.get(), any, size) != 0 || listen(listener_.get(), 1) != 0 ||
      getsockname(listener_.get(), any, &size) != 0) {
    throw UserError(fmt::format("uart: port {}: {}", port, last_error()));
  }
  port_ = ntohs(address.sin_port);
  base::to_stderr(fmt::format("uart: 127.0.0.1:{}\n", port_));
}

// A second client is turned away, unless the first one sends no more: whether that one still
// listens would only be known after more output.
void TcpBackend::accept_client() {
  HostFile next(accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!next || (client_ && !client_finished_)) return;
  // What waits for a slow client waits here rather than in the kernel, where it cannot be renewed.
  const int on = 1, bytes = OutputBacklog::kBytes;
  setsockopt(next.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(next.get(), SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
  client_ = std::move(next);
  client_finished_ = false;
}

void TcpBackend::flush() {
  while (client_ && !output_.empty()) {
    const std::string_view bytes = output_.front();
    const ssize_t done = send(client_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (done > 0) {
      output_.drop(static_cast<std::size_t>(done));
    } else {
      if (!only_later()) client_.close();
      return;
    }
  }
}

void TcpBackend::transmit(std::uint8_t byte) {
  output_.add(byte);
  flush();
}

std::optional<std::uint8_t> TcpBackend::receive() {
  if (input_.empty() && client_ && !client_finished_) {
    const ssize_t count = recv(client_.get(), input_.room(), InputChunk::kBytes, 0);
    if (count > 0) {
      input_.fill(static_cast<std::size_t>(count));
    } else if (count == 0) {
      client_finished_ = true;
    } else if (!only_later()) {
      client_.close();
    }
  }
  if (input_.empty()) accept_client();
  flush();
  return input_.take();
}

}  // namespace tern::mgmt
