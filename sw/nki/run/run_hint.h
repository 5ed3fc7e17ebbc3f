// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace tern::nki {

// Says on stderr that a long simulation goes on: after 5 s, 10 s, 20 s, ... of wall time.
class RunHint {
 public:
  explicit RunHint(std::string kernel) : kernel_(std::move(kernel)) {}

  // Called now and then with the simulated time.
  void operator()(std::uint64_t simulated_fs);

 private:
  using Clock = std::chrono::steady_clock;
  std::string kernel_;
  Clock::time_point begin_ = Clock::now();
  std::chrono::seconds next_{5};
};

}  // namespace tern::nki
