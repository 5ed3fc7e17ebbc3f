// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "systemc/mgmt/board/ram.h"
#include "systemc/riscv/physical_memory.h"

namespace tern::mgmt {

// Keeps what pages of a board's memory were before they were written.
class PageLog : private riscv::PageKeeper {
 public:
  using Page = std::array<std::uint8_t, riscv::kPageBytes>;
  // By address, as they were; null: zeros.
  using Pages = std::unordered_map<std::uint64_t, std::unique_ptr<Page>>;

  // max_bytes: of one stretch.
  PageLog(Ram& ram, riscv::PhysicalMemory& memory, std::size_t max_bytes);
  ~PageLog() override;
  PageLog(const PageLog&) = delete;
  PageLog& operator=(const PageLog&) = delete;

  // The pages that have been written since the last take(); a new stretch begins.
  Pages take();
  // Writes them back: memory is as at the start of their stretch. Not kept.
  void undo(const Pages& pages);

  static std::size_t bytes_of(const Pages& pages);
  std::size_t bytes() const { return bytes_; }  // of the present stretch
  // It had more pages than there is room for, so it cannot be undone.
  bool overflowed() const { return overflowed_; }

 private:
  void before_write(std::uint64_t page) override;

  Ram& ram_;
  riscv::PhysicalMemory& memory_;
  const std::size_t max_bytes_;
  Pages pages_;
  std::size_t bytes_ = 0;
  bool overflowed_ = false;
};

}  // namespace tern::mgmt
