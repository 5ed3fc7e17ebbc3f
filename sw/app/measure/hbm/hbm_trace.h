// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <fstream>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "sw/config/hbm_config.h"
#include "sw/spec/memory_access.h"

namespace tern::app {

struct HbmLine {
  std::uint64_t time_fs = 0;
  bool eager = false;  // has no time: sent as soon as the queues accept it
  bool write = false;
  std::uint64_t address = 0;  // chip address
  std::uint32_t bytes = 0;
  unsigned traffic_class = kTrafficClasses - 1;
};

// A source of requests, in order of time.
class HbmSource {
 public:
  virtual ~HbmSource() = default;
  virtual std::optional<HbmLine> next() = 0;
  virtual double progress() const = 0;  // 0 to 1
  // The position of the last line, for messages: "trace.txt:12".
  virtual std::string place() const = 0;
};

// A text file: `time_ns R|W address bytes [class]` per line, `#` begins a comment. Addresses and
// bytes may be hexadecimal. Throws UserError with file and line.
std::unique_ptr<HbmSource> open_hbm_trace(const std::string& path);

struct HbmPattern {
  bool random = false;
  std::uint64_t requests = 0;
  std::uint32_t bytes = 64;  // of a request
  unsigned write_percent = 0;
  double gap_ns = 0;  // between two requests; 0: as fast as the queues accept them
  unsigned traffic_class = kTrafficClasses - 1;
  std::uint64_t seed = 0;
};
// Sequential or random addresses over all stacks; sequential ones rotate, 64 KiB per stack.
std::unique_ptr<HbmSource> make_hbm_pattern(const HbmPattern& pattern, const hbm::Config& config);

}  // namespace tern::app
