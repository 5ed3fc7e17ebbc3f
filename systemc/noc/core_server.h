// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <systemc>

#include "systemc/noc/message.h"

namespace tern::noc {

// A thread that performs accesses which may take simulated time (PSUM, registers), one at a time.
class CoreServer {
 public:
  using Serve = std::function<void(Message&)>;

  CoreServer(const std::string& name, Serve serve);
  CoreServer(const CoreServer&) = delete;
  CoreServer& operator=(const CoreServer&) = delete;

  void push(Message& message);

 private:
  void run();

  const std::shared_ptr<void> built_ = std::make_shared<int>();
  const Serve serve_;
  std::deque<Message*> queue_;
  sc_core::sc_event wake_;
};

}  // namespace tern::noc
