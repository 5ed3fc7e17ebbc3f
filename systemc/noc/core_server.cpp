// SPDX-License-Identifier: Apache-2.0
#define SC_INCLUDE_DYNAMIC_PROCESSES
#include "systemc/noc/core_server.h"

#include <utility>

namespace tern::noc {

namespace {
constexpr int kStackBytes = 8 * 1024 * 1024;  // Verilated blocks run on it
}

CoreServer::CoreServer(const std::string& name, Serve serve) : serve_(std::move(serve)) {
  sc_core::sc_spawn_options options;
  options.set_stack_size(kStackBytes);
  // A chip whose construction failed is destroyed before its threads would start.
  const auto start = [this, built = std::weak_ptr<void>(built_)] {
    if (!built.expired()) run();
  };
  sc_core::sc_spawn(start, name.c_str(), &options);
}

void CoreServer::push(Message& message) {
  queue_.push_back(&message);
  wake_.notify(sc_core::SC_ZERO_TIME);
}

void CoreServer::run() {
  for (;;) {
    while (queue_.empty()) sc_core::wait(wake_);
    Message& message = *queue_.front();
    queue_.pop_front();
    serve_(message);
  }
}

}  // namespace tern::noc
