// SPDX-License-Identifier: Apache-2.0
#include "tb/riscv/float/comparison.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

namespace tern::tb {

void Comparison::mismatch(const Outcome& expected, const Outcome& got, unsigned width,
                          const char* oracle, const std::string& what) {
  if (mismatches_++ >= kShown) return;
  text_ += fmt::format("{}: expected {} ({}), got {}\n", what, text_of(expected, width), oracle,
                       text_of(got, width));
}

void Comparison::report() const {
  CHECK(count_ > 0);
  if (mismatches_ > 0) FAIL_CHECK(text_ << mismatches_ << " of " << count_ << " results differ");
}

}  // namespace tern::tb
