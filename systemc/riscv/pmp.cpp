// SPDX-License-Identifier: Apache-2.0
#include "systemc/riscv/pmp.h"

#include "systemc/riscv/physical_memory.h"

namespace tern::riscv {

namespace {

struct Range {
  std::uint64_t begin = 0, last = 0;  // bytes, both inside
  bool empty = true;
};

Range range_of(const CsrState& state, unsigned entry) {
  const std::uint64_t address = state.pmp_address[entry];
  switch ((state.pmp_config[entry] >> 3) & 3) {
    case 1: {  // top of range
      const std::uint64_t begin = entry == 0 ? 0 : state.pmp_address[entry - 1] << 2;
      const std::uint64_t end = address << 2;
      return {begin, end - 1, begin >= end};
    }
    case 2:
      return {address << 2, (address << 2) + 3, false};
    case 3: {  // a power of two: as many low ones as the size says
      const std::uint64_t ones = address ^ (address + 1);
      const std::uint64_t size = (ones << 2) | 3;
      return {(address << 2) & ~size, (address << 2) | size, false};
    }
    default:
      return {};
  }
}

}  // namespace

bool pmp_allows(const CsrState& state, unsigned entries, std::uint64_t address, unsigned bytes,
                Access access, Privilege mode, bool& whole_page) {
  whole_page = true;
  const std::uint64_t page = address & -kPageBytes, page_last = page + kPageBytes - 1;
  for (unsigned i = 0; i < entries; ++i) {
    const Range range = range_of(state, i);
    if (range.empty || range.begin > page_last || range.last < page) continue;
    if (range.begin > page || range.last < page_last) whole_page = false;
    const std::uint64_t last = address + bytes - 1;
    if (range.begin > last || range.last < address) continue;
    if (range.begin > address || range.last < last) return false;  // partly: always refused
    const std::uint8_t config = state.pmp_config[i];
    if (mode == Privilege::kMachine && (config & 0x80) == 0) return true;
    const unsigned right = access == Access::kLoad ? 1 : access == Access::kStore ? 2 : 4;
    return (config & right) != 0;
  }
  return mode == Privilege::kMachine || entries == 0;
}

}  // namespace tern::riscv
