// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "systemc/mgmt/devices/backend/host_file.h"
#include "systemc/mgmt/gdb/session.h"

namespace tern::gdb {

// A TCP port of this host alone (127.0.0.1) for one GDB at a time.
class GdbServer {
 public:
  // port: 0 for any free one. Prints it on stderr. Throws UserError.
  GdbServer(std::uint16_t port, Target& target);

  std::uint16_t port() const { return port_; }

  // With the target standing still: serves a client, waiting for one if there is none, until it
  // wants something. A client that vanishes detaches. Nothing: base::stop_request().
  std::optional<Wish> serve();
  // While the target runs, often: whether it should stop, for an interrupt, a new client, or one
  // that has vanished.
  bool wants_stop();
  // The target stands still after a wish.
  void report(const Event& event);
  // The target has new harts.
  void harts_changed() {
    if (session_) session_->harts_changed();
  }
  // The target ends: the client is told before its connection is closed.
  void end(const Event& event);

 private:
  bool accept_client();
  // What the client has sent; false: it has gone.
  bool receive(int wait_ms);
  bool flush();
  void say_goodbye();
  void drop_client();

  Target& target_;
  std::uint16_t port_;
  mgmt::HostFile listener_, client_;
  std::optional<Session> session_;
  bool gone_ = false;  // the client, when the target stopped for it
};

}  // namespace tern::gdb
