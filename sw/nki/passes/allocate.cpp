// SPDX-License-Identifier: Apache-2.0
// Addresses by lifetime: from the first instruction that names a tensor to the last.
#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "sw/kernels/builder/memory/limits.h"
#include "sw/nki/passes/allocation.h"
#include "sw/nki/passes/passes.h"
#include "sw/nki/trace/nki_error.h"

namespace tern::nki {

namespace {

constexpr std::int64_t kAlignment = 64;  // bytes: what transfers and products want

struct Range {
  std::int64_t begin = 0, end = 0;  // bytes of every partition
};

struct Life {
  Storage* storage = nullptr;
  std::size_t first = 0, last = 0;
  bool by_hand = false;
  Range range;

  bool meets(const Life& other) const { return first <= other.last && other.first <= last; }
};

// What lives when a dynamic loop begins lives until it ends; so does what the loop itself has not
// made.
void extend_over_loops(const Kernel& kernel, std::map<std::uint32_t, Life>* lives) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
    const Instruction& instruction = kernel.instructions[i];
    const std::string_view name = instruction.signature->name;
    if (name == "loop_begin") open.push_back(i);
    if (name != "loop_end") continue;
    const std::size_t first = open.back();
    open.pop_back();
    for (auto& [id, life] : *lives) {
      if (life.last < first || life.first > i) continue;
      const bool inside = life.first > first && life.last < i;
      if (inside && kernel.is_inside(life.storage->loop, instruction.loop)) continue;
      life.first = std::min(life.first, first);
      life.last = std::max(life.last, i);
    }
  }
}

// `order`: that of the instructions, by number; empty: as they are.
std::vector<Life> lives_in(const Kernel& kernel, Memory memory,
                           const std::vector<std::uint32_t>& order = {}) {
  std::map<std::uint32_t, Life> lives;
  for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
    for (const Operand& operand : kernel.instructions[order.empty() ? i : order[i]].operands) {
      Storage& storage = *operand.view.storage_ptr();
      if (storage.memory != memory) continue;
      Life& life = lives.try_emplace(storage.id, Life{&storage, i, i, false, {}}).first->second;
      life.last = i;
    }
  }
  if (order.empty()) extend_over_loops(kernel, &lives);
  std::vector<Life> ordered;
  for (auto& [id, life] : lives) {
    life.by_hand = life.storage->address.has_value();
    if (life.by_hand) {
      life.range.begin = life.storage->address->byte;
      life.range.end = life.range.begin + life.storage->partition_bytes();
    }
    ordered.push_back(life);
  }
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const Life& a, const Life& b) { return a.first < b.first; });
  return ordered;
}

// Free space of one memory.
class Space {
 public:
  Space(Memory memory, std::int64_t bytes) : memory_(memory), bytes_(bytes) {}

  // A begin for `size` bytes outside the taken ranges, at or after `from`; -1: none.
  std::int64_t find(std::vector<Range> taken, std::int64_t size, std::int64_t from) const {
    std::sort(taken.begin(), taken.end(),
              [](const Range& a, const Range& b) { return a.begin < b.begin; });
    std::int64_t at = fit(from, size);
    for (const Range& range : taken) {
      if (range.end <= at) continue;
      if (range.begin >= at + size) break;
      at = fit(range.end, size);
    }
    return at + size <= bytes_ ? at : -1;
  }

 private:
  // The next begin that the memory allows: what fits into a PSUM bank lies in one.
  std::int64_t fit(std::int64_t at, std::int64_t size) const {
    at = align_up(at, kAlignment);
    if (memory_ == Memory::kSbuf) return at;
    constexpr std::int64_t kBank = kernels::kPsumBankBytes;
    if (size > kBank) return align_up(at, kBank);
    return at / kBank == (at + size - 1) / kBank ? at : align_up(at, kBank);
  }
  static std::int64_t align_up(std::int64_t at, std::int64_t to) { return (at + to - 1) / to * to; }

  Memory memory_;
  std::int64_t bytes_;
};

// Who holds the memory while `life` needs some, the largest first.
[[noreturn]] void exhausted(const Life& life, const std::vector<Life>& lives, std::int64_t bytes) {
  constexpr std::size_t kMost = 8;
  std::vector<const Life*> holders;
  std::int64_t held = 0;
  for (const Life& other : lives) {
    if (&other == &life || other.first > life.first || other.last < life.first) continue;
    holders.push_back(&other);
    held += other.storage->partition_bytes();
  }
  std::stable_sort(holders.begin(), holders.end(), [](const Life* a, const Life* b) {
    return a->storage->partition_bytes() > b->storage->partition_bytes();
  });
  const std::string memory = life.storage->memory == Memory::kSbuf ? "SBUF" : "PSUM";
  std::string text = memory + " exhausted: tensor `" + life.storage->name +
                     nki::shape_text(life.storage->shape) + "` needs " +
                     std::to_string(life.storage->partition_bytes()) + " bytes per partition, " +
                     std::to_string(std::max<std::int64_t>(0, bytes - held)) + " of " +
                     std::to_string(bytes) + " are free";
  for (std::size_t i = 0; i < std::min(kMost, holders.size()); ++i) {
    const Storage& storage = *holders[i]->storage;
    text += "\n  held: " + std::to_string(storage.partition_bytes()) + " bytes by `" +
            storage.name + nki::shape_text(storage.shape) + "`";
    if (storage.site != nullptr) text += " of " + storage.site->text();
  }
  if (holders.size() > kMost) {
    text += "\n  and " + std::to_string(holders.size() - kMost) + " others";
  }
  throw NkiError(text, life.storage->site);
}

class Allocation {
 public:
  Allocation(Memory memory, std::int64_t bytes, std::vector<Life> lives)
      : space_(memory, bytes), bytes_(bytes), memory_(memory), lives_(std::move(lives)) {
    for (const Life& life : lives_) {
      if (life.by_hand) by_hand_.push_back(&life);
    }
  }

  MemoryFit fit() {
    if (place_all(true)) return MemoryFit::kRotated;
    return place_all(false) ? MemoryFit::kPacked : MemoryFit::kNone;
  }

  void run() {
    if (fit() == MemoryFit::kNone) exhausted(lives_[failed_], lives_, bytes_);
    for (const Life& life : lives_) {
      if (!life.by_hand) {
        life.storage->address = ChipAddress{0, static_cast<std::uint32_t>(life.range.begin)};
      }
    }
  }

 private:
  // `rotate`: a tensor follows the one before it and begins again at the front when the end is
  // reached, so that memory is used again as late as possible: a transfer for the next iteration
  // need not wait for the work of this one.
  bool place_all(bool rotate) {
    std::vector<const Life*> active;
    std::int64_t next = 0;
    for (std::size_t i = 0; i < lives_.size(); ++i) {
      Life& life = lives_[i];
      active.erase(std::remove_if(active.begin(), active.end(),
                                  [&](const Life* a) { return a->last < life.first; }),
                   active.end());
      if (life.by_hand) continue;
      std::vector<Range> taken;
      taken.reserve(active.size() + by_hand_.size());
      for (const Life* other : active) taken.push_back(other->range);
      for (const Life* other : by_hand_) {
        if (other->meets(life)) taken.push_back(other->range);
      }
      const std::int64_t size = life.storage->partition_bytes();
      std::int64_t at = rotate ? space_.find(taken, size, next) : -1;
      if (at < 0) at = space_.find(taken, size, 0);
      if (at < 0) {
        failed_ = i;
        return false;
      }
      life.range = {at, at + size};
      // The next PSUM tensor begins with a bank that nothing uses, if there is one.
      next = memory_ == Memory::kPsum ? (at / kernels::kPsumBankBytes + 1) * kernels::kPsumBankBytes
                                      : at + size;
      active.push_back(&life);
    }
    return true;
  }

  Space space_;
  std::int64_t bytes_;
  Memory memory_;
  std::vector<Life> lives_;
  std::vector<const Life*> by_hand_;
  std::size_t failed_ = 0;
};

std::int64_t bytes_of(const Kernel& kernel, Memory memory) {
  if (memory == Memory::kPsum) return kernels::kPsumPartitionBytes;
  const auto sbuf = static_cast<std::int64_t>(kernel.chip().core.sbuf_partition_bytes);
  const bool gathers =
      std::any_of(kernel.instructions.begin(), kernel.instructions.end(), [](const auto& i) {
        return i.find("src_index") != nullptr || i.find("dst_index") != nullptr;
      });
  return gathers ? sbuf - kernels::kGatherBytes : sbuf;
}

}  // namespace

MemoryFit memory_fit(const Kernel& kernel, const std::vector<std::uint32_t>& order) {
  MemoryFit fit = MemoryFit::kRotated;
  for (const Memory memory : {Memory::kSbuf, Memory::kPsum}) {
    Allocation allocation(memory, bytes_of(kernel, memory), lives_in(kernel, memory, order));
    fit = std::min(fit, allocation.fit());
  }
  return fit;
}

void allocate(Kernel& kernel, const CompileOptions& /*options*/) {
  for (const Memory memory : {Memory::kSbuf, Memory::kPsum}) {
    Allocation(memory, bytes_of(kernel, memory), lives_in(kernel, memory)).run();
  }
}

}  // namespace tern::nki
