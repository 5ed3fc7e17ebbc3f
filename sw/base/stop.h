// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "sw/base/user_error.h"

namespace tern {

// The run was stopped from outside (SIGINT).
class Interrupted : public RunError {
 public:
  Interrupted() : RunError("interrupted") {}
};

namespace base {

// Raised by whoever wants the program to end soon, such as a signal handler.
inline std::atomic<bool>& stop_request() {
  static std::atomic<bool> request{false};
  return request;
}

// Long work of the host calls it now and then.
inline void end_if_requested() {
  if (stop_request()) throw Interrupted();
}

}  // namespace base
}  // namespace tern
