// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sw/app/check/check_bench.h"
#include "sw/app/check/check_record.h"
#include "sw/app/check/golden_training.h"
#include "sw/app/check/screen.h"

namespace tern::app {

// The tests of `tern check`, in their order. All but the constructor in the host's SystemC thread.
class CheckRun {
 public:
  struct Parts {
    bool march = true, screen = true, training = true;
  };
  // Adds its results to the record.
  CheckRun(CheckBench& bench, const Parts& parts, CheckRecord* record);

  void run();
  // Tests done, 0 .. 1; the name of the one that runs.
  double progress() const;
  const std::string& current() const { return current_; }

  // The bits of the golden training on each core; by core a text instead where it failed.
  std::map<unsigned, std::string> train(std::map<unsigned, GoldenBits>* bits);

 private:
  void march_stacks();
  void march_cores();
  void screen(const ScreenTest& test);
  void training();
  void begin(const std::string& test);
  void add(const ScreenTest& test, unsigned core, const Difference& difference,
           const std::string& failure);

  CheckBench& bench_;
  const Parts parts_;
  CheckRecord* const record_;
  const std::vector<ScreenTest> tests_;
  std::size_t done_ = 0, all_ = 0;
  std::string current_;
};

// Bytes of each SBUF partition that a march through the host port tests, from its first and to its
// last.
std::uint64_t marched_sbuf_bytes(bool full);

}  // namespace tern::app
