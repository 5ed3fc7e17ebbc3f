// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "sw/spec/generated/isa.h"

namespace tern {

// The operand address of an instruction, taken apart. Elements are enumerated with the inner index
// fastest.
struct AccessPattern {
  bool psum = false;
  unsigned partition = 0;
  std::uint32_t byte = 0;
  std::uint32_t num0 = 0, num1 = 0;
  std::int64_t step0 = 0, step1 = 0;

  AccessPattern() = default;
  explicit AccessPattern(const tern_ap_t& ap)
      : psum((ap.addr >> 31) != 0),
        partition((ap.addr >> 24) & 0x7F),
        byte(ap.addr & 0xFFFFFF),
        num0(ap.num0),
        num1(ap.num1),
        step0(ap.step0),
        step1(ap.step1) {}

  std::uint64_t count() const { return static_cast<std::uint64_t>(num0) * num1; }

  // Distance in elements of the element with this number from the first one.
  std::int64_t offset(std::uint64_t element) const {
    return static_cast<std::int64_t>(element % num0) * step0 +
           static_cast<std::int64_t>(element / num0) * step1;
  }

  // Smallest and largest distance in elements from the first one.
  std::int64_t lowest() const {
    return std::min<std::int64_t>(0, reach0()) + std::min<std::int64_t>(0, reach1());
  }
  std::int64_t highest() const {
    return std::max<std::int64_t>(0, reach0()) + std::max<std::int64_t>(0, reach1());
  }

  bool inner_contiguous() const { return step0 == 1 || num0 == 1; }
  // All elements follow one another: a step over a dimension of one element does not matter.
  bool contiguous() const {
    if (num1 == 1) return inner_contiguous();
    if (num0 == 1) return step1 == 1;
    return step0 == 1 && step1 == static_cast<std::int64_t>(num0);
  }

 private:
  std::int64_t reach0() const { return step0 * (static_cast<std::int64_t>(num0) - 1); }
  std::int64_t reach1() const { return step1 * (static_cast<std::int64_t>(num1) - 1); }
};

// SBUF and PSUM are reached in whole quadrants: more than 64 partitions start at 0, 33..64 at 0 or
// 64, at most 32 at 0, 32, 64 or 96.
inline bool start_partition_allowed(unsigned start, unsigned partitions) {
  if (partitions == 0 || partitions > 128) return false;
  if (partitions > 64) return start == 0;
  if (partitions > 32) return start == 0 || start == 64;
  return start == 0 || start == 32 || start == 64 || start == 96;
}

}  // namespace tern
