// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

namespace tern::app {

// Progress of one long step on stderr, with the time left: a bar on a terminal, at most twenty
// lines elsewhere. Nothing is shown for very short steps.
class Progress {
 public:
  explicit Progress(std::string title, bool quiet = false);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // fraction 0..1; note: short text after the bar. Cheap enough to call often.
  void update(double fraction, const std::string& note = "");

 private:
  using Clock = std::chrono::steady_clock;
  std::string title_;
  bool quiet_, terminal_, shown_ = false;
  Clock::time_point begin_, last_;
  double last_fraction_ = 0;
};

}  // namespace tern::app
