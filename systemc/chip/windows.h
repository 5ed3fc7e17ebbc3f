// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace tern {

// Simulated time in windows, for a simulation of several processes: what others do is known up to
// the end of a window.
class Windows {
 public:
  virtual ~Windows() = default;
  // Between two windows. next_fs: the next event of this process, UINT64_MAX: none; ended: the host
  // program has. The last instant of the next window; nullopt: the host programs of all processes
  // have ended. Throws what stops the simulation.
  virtual std::optional<std::uint64_t> next(std::uint64_t next_fs, bool ended) = 0;
};

}  // namespace tern
