// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/gdb/gdb_server.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

#include "sw/base/stop.h"
#include "sw/base/text.h"
#include "systemc/mgmt/devices/backend/loopback.h"

namespace tern::gdb {

namespace {

constexpr int kWaitMs = 50;        // between looks at requests to stop
constexpr int kPatienceMs = 2000;  // with a client that takes no answers
constexpr int kFarewellMs = 200;   // for one that was told of the end, to leave

// Whether `events` came in time.
bool ready(int descriptor, short events, int wait_ms) {
  pollfd file{descriptor, events, 0};
  return poll(&file, 1, wait_ms) > 0;
}

}  // namespace

GdbServer::GdbServer(std::uint16_t port, Target& target)
    : target_(target), port_(port), listener_(mgmt::listen_on_loopback(&port_, "gdb")) {
  base::to_stderr(fmt::format("gdb: target remote 127.0.0.1:{}\n", port_));
}

// A second client is turned away.
bool GdbServer::accept_client() {
  mgmt::HostFile next = mgmt::accept_on_loopback(listener_);
  if (!next || client_) return false;
  client_ = std::move(next);
  session_.emplace(target_);
  return true;
}

// What the client has sent and nobody reads would reset the connection, and with it what the client
// has not read yet.
void GdbServer::say_goodbye() {
  shutdown(client_.get(), SHUT_WR);
  std::array<char, 4096> rest;
  while (ready(client_.get(), POLLIN, kFarewellMs) &&
         recv(client_.get(), rest.data(), rest.size(), 0) > 0) {
  }
  drop_client();
}

void GdbServer::drop_client() {
  client_.close();
  session_.reset();
}

bool GdbServer::flush() {
  const std::string bytes = session_->take_output();
  std::string_view left = bytes;
  while (!left.empty()) {
    const ssize_t sent = send(client_.get(), left.data(), left.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      left.remove_prefix(static_cast<std::size_t>(sent));
    } else if ((errno != EAGAIN && errno != EINTR) || !ready(client_.get(), POLLOUT, kPatienceMs)) {
      return false;
    }
  }
  return true;
}

bool GdbServer::receive(int wait_ms) {
  if (!ready(client_.get(), POLLIN, wait_ms)) return true;
  std::array<char, 4096> bytes;
  const ssize_t count = recv(client_.get(), bytes.data(), bytes.size(), 0);
  if (count == 0) return false;
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  session_->receive({bytes.data(), static_cast<std::size_t>(count)});
  return flush();
}

std::optional<Wish> GdbServer::serve() {
  if (std::exchange(gone_, false)) return Wish{Wish::Kind::kDetach, 0};
  while (!base::stop_request()) {
    if (!client_) {
      if (ready(listener_.get(), POLLIN, kWaitMs)) accept_client();
      continue;
    }
    if (const auto wish = session_->take_wish()) {
      const bool leaves = wish->kind == Wish::Kind::kDetach || wish->kind == Wish::Kind::kKill;
      if (leaves) drop_client();
      return wish;
    }
    if (ready(listener_.get(), POLLIN, 0)) accept_client();
    if (receive(kWaitMs)) continue;
    drop_client();
    return Wish{Wish::Kind::kDetach, 0};
  }
  return std::nullopt;
}

bool GdbServer::wants_stop() {
  if (!client_) return accept_client();
  accept_client();
  session_->receive({});  // what came with the wish
  if (flush() && receive(0)) return session_->interrupted();
  drop_client();  // without a client it runs on
  return false;
}

void GdbServer::report(const Event& event) {
  if (client_) {
    session_->report(event);
    const bool heard = flush();
    if (heard && event.kind >= Event::Kind::kExit) return say_goodbye();
    if (heard) return;
    drop_client();
  }
  gone_ = true;
}

void GdbServer::end(const Event& event) {
  if (!client_) return;
  session_->end(event);
  if (flush()) return say_goodbye();
  drop_client();
}

}  // namespace tern::gdb
