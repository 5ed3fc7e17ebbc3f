// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

namespace tern {

// Programs of hosts, each in a SystemC thread of its own; all in one. They go on whether this
// object lives or not: what they use must outlive them.
class HostThreads {
 public:
  explicit HostThreads(const std::vector<std::function<void()>>& programs);
  bool running() const;
  // Returns when all have ended. Throws what the first one that fails has thrown; the others are
  // left where they wait.
  void join();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

inline void run_hosts(const std::vector<std::function<void()>>& programs) {
  HostThreads(programs).join();
}

}  // namespace tern
