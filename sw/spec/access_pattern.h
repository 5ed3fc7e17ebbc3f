// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/isa.h"

namespace tern {

// The decoded operand address of an instruction. Elements are enumerated with dimension 0
// fastest; dimensions 2 and 3 come from an `extend` instruction and have one element without it.
struct AccessPattern {
  bool psum = false;
  unsigned partition = 0;
  std::uint32_t byte = 0;
  std::uint32_t num0 = 0, num1 = 0, num2 = 1, num3 = 1;
  std::int64_t step0 = 0, step1 = 0, step2 = 0, step3 = 0;

  AccessPattern() = default;
  explicit AccessPattern(const tern_ap_t& ap)
      : psum((ap.addr >> 31) != 0),
        partition((ap.addr >> 24) & 0x7F),
        byte(ap.addr & 0xFFFFFF),
        num0(ap.num0),
        num1(ap.num1),
        step0(ap.step0),
        step1(ap.step1) {}
  AccessPattern(const tern_ap_t& ap, const tern_outer_t& outer) : AccessPattern(ap) {
    num2 = outer.num2 == 0 ? 1 : outer.num2;
    step2 = outer.num2 == 0 ? 0 : outer.step2;
    num3 = outer.num3 == 0 ? 1 : outer.num3;
    step3 = outer.num3 == 0 ? 0 : outer.step3;
  }

  std::uint64_t count() const { return std::uint64_t{num0} * num1 * num2 * num3; }
  std::uint32_t num(unsigned dimension) const {
    return dimension == 0 ? num0 : dimension == 1 ? num1 : dimension == 2 ? num2 : num3;
  }
  std::int64_t step(unsigned dimension) const {
    return dimension == 0 ? step0 : dimension == 1 ? step1 : dimension == 2 ? step2 : step3;
  }

  // Distance in elements of the element with this number from the first one.
  std::int64_t offset(std::uint64_t element) const {
    const std::uint64_t row = element / num0, plane = row / num1;
    return static_cast<std::int64_t>(element % num0) * step0 +
           static_cast<std::int64_t>(row % num1) * step1 +
           static_cast<std::int64_t>(plane % num2) * step2 +
           static_cast<std::int64_t>(plane / num2) * step3;
  }

  // Smallest and largest distance in elements from the first one.
  std::int64_t lowest() const {
    std::int64_t sum = 0;
    for (unsigned d = 0; d < 4; ++d) sum += std::min<std::int64_t>(0, reach(d));
    return sum;
  }
  std::int64_t highest() const {
    std::int64_t sum = 0;
    for (unsigned d = 0; d < 4; ++d) sum += std::max<std::int64_t>(0, reach(d));
    return sum;
  }

  bool inner_contiguous() const { return step0 == 1 || num0 == 1; }
  // All elements are contiguous: a step over a dimension of one element does not matter.
  bool contiguous() const {
    std::int64_t next = 1;
    for (unsigned d = 0; d < 4; ++d) {
      if (num(d) == 1) continue;
      if (step(d) != next) return false;
      next *= num(d);
    }
    return true;
  }

  // Calls visit(distance of the first element) for every run along dimension 0, in order.
  template <typename Visit>
  void for_each_run(Visit visit) const {
    for (std::uint32_t i3 = 0; i3 < num3; ++i3) {
      for (std::uint32_t i2 = 0; i2 < num2; ++i2) {
        for (std::uint32_t i1 = 0; i1 < num1; ++i1) visit(i1 * step1 + i2 * step2 + i3 * step3);
      }
    }
  }

 private:
  std::int64_t reach(unsigned d) const { return step(d) * (std::int64_t{num(d)} - 1); }
};

// SBUF and PSUM are accessed in whole quadrants: more than 64 partitions start at 0, 33..64 at 0 or
// 64, at most 32 at 0, 32, 64 or 96.
constexpr bool start_partition_allowed(unsigned start, unsigned partitions) {
  constexpr unsigned kAll = TERN_CORE_SBUF_COUNT, kQuadrant = TERN_LIMIT_QUADRANT;
  if (partitions == 0 || partitions > kAll || start >= kAll) return false;
  if (partitions > 2 * kQuadrant) return start == 0;
  return start % (partitions > kQuadrant ? 2 * kQuadrant : kQuadrant) == 0;
}

}  // namespace tern
