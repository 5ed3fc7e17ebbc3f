// SPDX-License-Identifier: Apache-2.0
#include "systemc/riscv/translation.h"

#include <cstring>

#include "systemc/riscv/pmp.h"

namespace tern::riscv {

namespace {

// Bits of a page table entry.
constexpr std::uint64_t kValid = 1, kRead = 2, kWrite = 4, kExecute = 8, kUser = 16;
constexpr std::uint64_t kAccessed = 64, kDirty = 128;
constexpr std::uint64_t kReserved = std::uint64_t{0x3ff} << 54;  // Sv39, without extensions

}  // namespace

bool Translation::active(Privilege mode) const {
  return mode != Privilege::kMachine && config_.supervisor &&
         (config_.xlen == 64 ? state_.satp >> 60 != 0 : (state_.satp >> 31) != 0);
}

bool Translation::may(std::uint64_t entry, Access access, Privilege mode) const {
  const bool of_user = (entry & kUser) != 0;
  if (mode == Privilege::kUser && !of_user) return false;
  if (mode == Privilege::kSupervisor && of_user &&
      (access == Access::kFetch || (state_.mstatus & csr::kSum) == 0))
    return false;
  switch (access) {
    case Access::kLoad:
      return (entry & kRead) != 0 || ((state_.mstatus & csr::kMxr) != 0 && (entry & kExecute) != 0);
    case Access::kStore:
      return (entry & kWrite) != 0;
    default:
      return (entry & kExecute) != 0;
  }
}

WalkResult Translation::walk(std::uint64_t address, Access access, Privilege mode, bool update,
                             std::uint64_t& physical) const {
  const bool wide = config_.xlen == 64;
  const Format format = wide ? Format{3, 9, 8} : Format{2, 10, 4};
  if (wide) {  // bits above 38 repeat it
    const auto sign = static_cast<std::int64_t>(address << 25) >> 25;
    if (static_cast<std::uint64_t>(sign) != address) return WalkResult::kPageFault;
  }
  std::uint64_t table = (state_.satp & (wide ? 0xfffffffffff : 0x3fffff)) << kPageShift;
  for (unsigned level = format.levels; level-- > 0;) {
    const unsigned shift = kPageShift + level * format.bits;
    const std::uint64_t index = (address >> shift) & ((1u << format.bits) - 1);
    const std::uint64_t at = table + index * format.entry_bytes;
    bool whole = false;
    if (!pmp_allows(state_, config_.pmp_entries, at, format.entry_bytes, Access::kLoad,
                    Privilege::kSupervisor, whole))
      return WalkResult::kAccessFault;
    PhysicalMemory::Region* region = memory_.find(at);
    if (region == nullptr || !region->readable) return WalkResult::kAccessFault;
    std::uint64_t entry = 0;
    std::memcpy(&entry, region->data + (at - region->base), format.entry_bytes);
    if ((entry & kValid) == 0 || (entry & (kRead | kWrite)) == kWrite ||
        (wide && (entry & kReserved) != 0))
      return WalkResult::kPageFault;
    const std::uint64_t page = ((wide ? entry & ~kReserved : entry) >> 10) << kPageShift;
    if ((entry & (kRead | kExecute)) == 0) {  // the next table
      if ((entry & (kUser | kAccessed | kDirty)) != 0) return WalkResult::kPageFault;
      table = page;
      continue;
    }
    const std::uint64_t inside = (std::uint64_t{1} << shift) - 1;
    if (!may(entry, access, mode) || (page & inside) != 0) return WalkResult::kPageFault;
    const std::uint64_t used = kAccessed | (access == Access::kStore ? kDirty : 0);
    if (update && (entry & used) != used) {
      if (!region->writable || !pmp_allows(state_, config_.pmp_entries, at, format.entry_bytes,
                                           Access::kStore, Privilege::kSupervisor, whole))
        return WalkResult::kAccessFault;
      entry |= used;
      memory_.before_write(at, format.entry_bytes);
      std::memcpy(region->data + (at - region->base), &entry, format.entry_bytes);
      memory_.written(at, format.entry_bytes);
    }
    physical = page | (address & inside);
    return WalkResult::kOk;
  }
  return WalkResult::kPageFault;
}

}  // namespace tern::riscv
