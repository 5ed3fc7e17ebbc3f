// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "systemc/riscv/physical_memory.h"

namespace tern::riscv {

// A decoded instruction. Operands: decode.h.
struct Op {
  const void* handler = nullptr;
  std::int32_t imm = 0;
  std::uint8_t rd = 0, rs1 = 0, rs2 = 0;
  std::uint8_t step = 2;  // halfwords
};

// The instructions of a page, one slot per halfword, and two that lead to the next page. A slot is
// decoded when it is first executed.
struct CodePage {
  static constexpr unsigned kSlots = kPageBytes / 2;
  std::array<Op, kSlots + 2> ops;
  const std::uint8_t* data = nullptr;  // the page itself

  void clear(const void* decode, const void* next) {
    for (Op& op : ops) op.handler = decode;
    ops[kSlots].handler = ops[kSlots + 1].handler = next;
  }
};

// The code pages of a hart, by physical address.
class CodeCache {
 public:
  // 34 KiB each.
  static constexpr std::size_t kMaxPages = 2048;

  CodePage* find(std::uint64_t page) const {
    const auto found = pages_.find(page);
    return found == pages_.end() ? nullptr : found->second.get();
  }
  bool full() const { return pages_.size() >= kMaxPages; }
  CodePage& add(std::uint64_t page) { return *(pages_[page] = std::make_unique<CodePage>()); }
  void clear() { pages_.clear(); }
  template <typename Function>
  void for_each(const Function& function) {
    for (auto& entry : pages_) function(*entry.second);
  }

 private:
  std::unordered_map<std::uint64_t, std::unique_ptr<CodePage>> pages_;
};

}  // namespace tern::riscv
