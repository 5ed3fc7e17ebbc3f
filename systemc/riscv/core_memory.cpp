// SPDX-License-Identifier: Apache-2.0
// Accesses that the tables of direct pages do not serve.
#include <algorithm>
#include <cstring>

#include "systemc/riscv/core.h"
#include "systemc/riscv/pmp.h"

namespace tern::riscv {

template <typename X, bool kTimed>
bool Core<X, kTimed>::raise(Cause cause, std::uint64_t value) {
  trap_ = {cause, value};
  return false;
}

template <typename X, bool kTimed>
bool Core<X, kTimed>::fault(Access access, WalkResult result, X address) {
  const bool page = result == WalkResult::kPageFault;
  switch (access) {
    case Access::kLoad:
      return raise(page ? Cause::kLoadPage : Cause::kLoadAccess, address);
    case Access::kStore:
      return raise(page ? Cause::kStorePage : Cause::kStoreAccess, address);
    default:
      return raise(page ? Cause::kInstructionPage : Cause::kInstructionAccess, address);
  }
}

// The physical address of an access within one page. `direct`: the rights hold for the whole page.
template <typename X, bool kTimed>
bool Core<X, kTimed>::resolve(X address, unsigned bytes, Access access, std::uint64_t& physical,
                              bool& direct) {
  const Privilege mode = access == Access::kFetch ? mode_ : data_mode();
  physical = address;
  if (translation_.active(mode)) {
    const WalkResult result = translation_.walk(address, access, mode, true, physical);
    if (result != WalkResult::kOk) return fault(access, result, address);
  }
  if (!pmp_allows(csrs_.state, config_.pmp_entries, physical, bytes, access, mode, direct))
    return fault(access, WalkResult::kAccessFault, address);
  return true;
}

template <typename X, bool kTimed>
bool Core<X, kTimed>::translate(std::uint64_t address, std::uint64_t& physical) const {
  physical = static_cast<X>(address);
  if (!translation_.active(data_mode())) return true;
  // A debugger sees what this mode may read, and pages that hold only code.
  return translation_.walk(physical, Access::kLoad, data_mode(), false, physical) ==
             WalkResult::kOk ||
         translation_.walk(physical, Access::kFetch, data_mode(), false, physical) ==
             WalkResult::kOk;
}

// Its accesses always come here.
template <typename X, bool kTimed>
bool Core<X, kTimed>::watched_page(X address) const {
  const std::uint64_t page = address & kPageMask;
  return std::any_of(watchpoints_.begin(), watchpoints_.end(), [&](const Watchpoint& w) {
    return w.bytes > 0 && w.address <= page + (kPageBytes - 1) && page <= w.address + (w.bytes - 1);
  });
}

template <typename X, bool kTimed>
void Core<X, kTimed>::watch(X address, unsigned bytes, Watchpoint::Kind kind) {
  if (watchpoint_met_) return;
  for (const Watchpoint& w : watchpoints_) {
    const bool overlaps =
        w.bytes > 0 && w.address <= address + (bytes - 1) && address <= w.address + (w.bytes - 1);
    if (!overlaps || (w.kind != kind && w.kind != Watchpoint::Kind::kAccess)) continue;
    met_ = w;
    watchpoint_met_ = attention_ = true;
    return;
  }
}

template <typename X, bool kTimed>
bool Core<X, kTimed>::load_part(X address, void* data, unsigned bytes) {
  std::uint64_t physical = 0;
  bool direct = false;
  if (!resolve(address, bytes, Access::kLoad, physical, direct)) return false;
  const PhysicalMemory::Region* region = memory_.find(physical);
  if (region == nullptr) {
    const bool done = address % bytes == 0 && bus_.read(physical, data, bytes);
    if (!done) return fault(Access::kLoad, WalkResult::kAccessFault, address);
    watch(address, bytes, Watchpoint::Kind::kRead);
    return true;
  }
  if (!region->readable) return fault(Access::kLoad, WalkResult::kAccessFault, address);
  std::uint8_t* from = region->data + (physical - region->base);
  std::memcpy(data, from, bytes);
  watch(address, bytes, Watchpoint::Kind::kRead);
  if constexpr (kTimed) load_cycles_ += region->load_cycles;
  if (direct && !watched_page(address)) {
    DataEntry& entry = loads_[(address >> kPageShift) % kDataEntries];
    entry.tag = static_cast<X>(address & kPageMask);
    entry.page = from - address % kPageBytes;
    if constexpr (kTimed) entry.load_cycles = region->load_cycles;
  }
  return true;
}

template <typename X, bool kTimed>
bool Core<X, kTimed>::load_slow(X address, void* data, unsigned bytes) {
  if (address % bytes == 0) return load_part(address, data, bytes);
  if (!config_.misaligned_data) return raise(Cause::kLoadMisaligned, address);
  auto* out = static_cast<std::uint8_t*>(data);
  for (unsigned i = 0; i < bytes; ++i) {
    if (!load_part(static_cast<X>(address + i), out + i, 1)) return false;
  }
  return true;
}

template <typename X, bool kTimed>
bool Core<X, kTimed>::store_slow(X address, const void* data, unsigned bytes) {
  if (address % bytes == 0) return store_part(address, data, bytes);
  if (!config_.misaligned_data) return raise(Cause::kStoreMisaligned, address);
  // Nothing is written if any byte is refused.
  for (unsigned i = 0; i < bytes; ++i) {
    const auto at = static_cast<X>(address + i);
    std::uint64_t physical = 0;
    bool direct = false;
    if (!resolve(at, 1, Access::kStore, physical, direct)) return false;
    const PhysicalMemory::Region* region = memory_.find(physical);
    if (region == nullptr || !region->writable)
      return fault(Access::kStore, WalkResult::kAccessFault, at);
  }
  const auto* in = static_cast<const std::uint8_t*>(data);
  for (unsigned i = 0; i < bytes; ++i) {
    if (!store_part(static_cast<X>(address + i), in + i, 1)) return false;
  }
  return true;
}

template <typename X, bool kTimed>
bool Core<X, kTimed>::store_part(X address, const void* data, unsigned bytes) {
  std::uint64_t physical = 0;
  bool direct = false;
  if (!resolve(address, bytes, Access::kStore, physical, direct)) return false;
  const PhysicalMemory::Region* region = memory_.find(physical);
  if (region == nullptr) {
    if (!bus_.write(physical, data, bytes))
      return fault(Access::kStore, WalkResult::kAccessFault, address);
    watch(address, bytes, Watchpoint::Kind::kWrite);
    return true;
  }
  if (!region->writable) return fault(Access::kStore, WalkResult::kAccessFault, address);
  memory_.before_write(physical, bytes);
  std::uint8_t* to = region->data + (physical - region->base);
  std::memcpy(to, data, bytes);
  watch(address, bytes, Watchpoint::Kind::kWrite);
  if (region->code[(physical - region->base) >> kPageShift]) {
    memory_.written(physical, bytes);
  } else if (direct && !watched_page(address)) {
    DataEntry& entry = stores_[(address >> kPageShift) % kDataEntries];
    entry.tag = static_cast<X>(address & kPageMask);
    entry.page = to - address % kPageBytes;
  }
  return true;
}

template <typename X, bool kTimed>
std::uint8_t* Core<X, kTimed>::atomic_memory(X address, unsigned bytes, Access access,
                                             std::uint64_t& physical) {
  if (address % bytes != 0) {
    raise(access == Access::kLoad ? Cause::kLoadMisaligned : Cause::kStoreMisaligned, address);
    return nullptr;
  }
  bool direct = false;
  if (!resolve(address, bytes, access, physical, direct)) return nullptr;
  const PhysicalMemory::Region* region = memory_.find(physical);
  const bool fits =
      region != nullptr && region->readable && (access == Access::kLoad || region->writable);
  if (!fits) {
    fault(access, WalkResult::kAccessFault, address);
    return nullptr;
  }
  if (access == Access::kStore) memory_.before_write(physical, bytes);
  return region->data + (physical - region->base);
}

template class Core<std::uint32_t, false>;
template class Core<std::uint32_t, true>;
template class Core<std::uint64_t, false>;

}  // namespace tern::riscv
