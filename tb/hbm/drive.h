// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "systemc/hbm/stack.h"

namespace tern::tb {

inline hbm::Config trn2_hbm() {
  hbm::Config config;
  config.pin_gbps = 5.7;
  config.stack_bytes = 24ull << 30;
  config.stack_ids = 2;
  return config;
}

// Pushes requests into a stack as fast as its queues take them, and waits for the end.
struct DriveResult {
  std::uint64_t end_fs = 0;    // of the last completion, and of the last data
  std::uint64_t begin_fs = 0;  // of the first
  std::uint64_t bytes = 0;
  std::vector<std::uint64_t> done_fs;  // by request number
  double gb_per_s() const { return static_cast<double>(bytes) * 1e6 / static_cast<double>(end_fs); }
};

inline DriveResult drive(hbm::Stack& stack, std::uint64_t count,
                         const std::function<hbm::Request(std::uint64_t)>& make,
                         std::uint64_t start_fs = 0) {
  DriveResult result;
  result.done_fs.resize(count);
  std::uint64_t now = start_fs;
  const auto note = [&](const hbm::Completion& c) {
    if (result.begin_fs == 0) result.begin_fs = c.time_fs;
    result.done_fs.at(c.id) = result.end_fs = c.time_fs;
  };
  for (std::uint64_t i = 0; i < count; ++i) {
    hbm::Request request = make(i);
    request.id = i;
    while (!stack.accepts(now, request)) {
      now = stack.next_event_fs(true);
      stack.advance(now, note);
    }
    stack.submit(now, request);
    result.bytes += request.bytes;
  }
  while (!stack.idle()) {
    now = stack.next_event_fs();
    stack.advance(now, note);
  }
  result.end_fs = std::max(result.end_fs, stack.finish_fs());
  return result;
}

}  // namespace tern::tb
