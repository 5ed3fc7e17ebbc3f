// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tb/riscv/float/outcome.h"

namespace tern::tb {

// Calls `run(context)` of the code under test: its result and flags.
template <typename Run>
Outcome outcome_of(riscv::Rounding rounding, const Run& run) {
  riscv::FloatContext context{rounding};
  const auto result = run(context);
  return {result, context.flags};
}

// Counts what was compared and describes the first differences: a check of Catch2 for each of
// millions of results would take longer than the results.
class Comparison {
 public:
  // `describe()` gives the operation and its operands.
  template <typename Describe>
  void expect(const Outcome& expected, const Outcome& got, unsigned width, const char* oracle,
              const Describe& describe) {
    ++count_;
    if (expected != got) mismatch(expected, got, width, oracle, describe());
  }
  // Fails the test if anything differed.
  void report() const;

 private:
  void mismatch(const Outcome& expected, const Outcome& got, unsigned width, const char* oracle,
                const std::string& what);

  static constexpr std::uint64_t kShown = 8;

  std::uint64_t count_ = 0, mismatches_ = 0;
  std::string text_;
};

}  // namespace tern::tb
