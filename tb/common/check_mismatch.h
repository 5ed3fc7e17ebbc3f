// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>

#include "tb/common/mismatch.h"

namespace tern::tb {

// In its scope a failed check is one of this cycle: that of the mismatch, and of the waveform's
// marker, not that in which a bench compares.
class FailedCycle {
 public:
  explicit FailedCycle(std::uint64_t cycle) : now_(*bench_cycle()) { *bench_cycle() = cycle; }
  ~FailedCycle() { *bench_cycle() = now_; }
  FailedCycle(const FailedCycle&) = delete;
  FailedCycle& operator=(const FailedCycle&) = delete;

 private:
  std::uint64_t now_;
};

}  // namespace tern::tb

// Fails with the first mismatches of a MismatchLog.
#define CHECK_NO_MISMATCH(...)                                               \
  do {                                                                       \
    const ::tern::tb::MismatchLog& tern_mismatches = (__VA_ARGS__);          \
    if (tern_mismatches.empty()) {                                           \
      SUCCEED();                                                             \
    } else {                                                                 \
      const ::tern::tb::FailedCycle at(tern_mismatches.first().where.cycle); \
      FAIL_CHECK(tern_mismatches.text());                                    \
    }                                                                        \
  } while (false)

// The test ends with this Mismatch.
#define FAIL_MISMATCH(...)                                       \
  do {                                                           \
    const ::tern::tb::Mismatch tern_mismatch = __VA_ARGS__;      \
    const ::tern::tb::FailedCycle at(tern_mismatch.where.cycle); \
    FAIL(tern_mismatch.text());                                  \
  } while (false)
