// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/devices/backend/tcp_backend.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <cerrno>
#include <string_view>
#include <utility>

#include "sw/base/text.h"
#include "systemc/mgmt/devices/backend/loopback.h"

namespace tern::mgmt {

namespace {

bool only_later() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

}  // namespace

TcpBackend::TcpBackend(std::uint16_t port)
    : port_(port), listener_(listen_on_loopback(&port_, "uart")) {
  base::to_stderr(fmt::format("uart: 127.0.0.1:{}\n", port_));
}

// A second client is turned away, unless the first one sends no more: whether that one still
// listens would only be known after more output.
void TcpBackend::accept_client() {
  HostFile next = accept_on_loopback(listener_);
  if (!next || (client_ && !client_finished_)) return;
  // What waits for a slow client waits here rather than in the kernel, where it cannot be renewed.
  const int bytes = OutputBacklog::kBytes;
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
