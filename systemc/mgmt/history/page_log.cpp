// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/history/page_log.h"

#include <cstring>
#include <utility>

namespace tern::mgmt {

namespace {

constexpr std::size_t kEntryBytes = 48;  // of a page in the table, about

std::size_t bytes_with(const std::unique_ptr<PageLog::Page>& page) {
  return kEntryBytes + (page ? sizeof(PageLog::Page) : 0);
}

}  // namespace

PageLog::PageLog(Ram& ram, riscv::PhysicalMemory& memory, std::size_t max_bytes)
    : ram_(ram), memory_(memory), max_bytes_(max_bytes) {
  memory_.keep_pages(this);
}

PageLog::~PageLog() {
  memory_.keep_pages(nullptr);
}

void PageLog::before_write(std::uint64_t page) {
  if (overflowed_ || !ram_.contains(page, riscv::kPageBytes)) return;
  const auto [at, is_new] = pages_.try_emplace(page);
  if (!is_new) return;
  const std::uint8_t* data = ram_.data() + (page - ram_.base());
  static constexpr Page kZeros{};
  if (std::memcmp(data, kZeros.data(), kZeros.size()) != 0) {
    at->second = std::make_unique<Page>();
    std::memcpy(at->second->data(), data, at->second->size());
  }
  bytes_ += bytes_with(at->second);
  if (bytes_ <= max_bytes_) return;
  overflowed_ = true;
  pages_.clear();
}

PageLog::Pages PageLog::take() {
  bytes_ = 0;
  overflowed_ = false;
  memory_.keep_pages(this);
  return std::exchange(pages_, {});
}

void PageLog::undo(const Pages& pages) {
  memory_.keep_pages(nullptr);
  for (const auto& [address, page] : pages) {
    if (page) {
      ram_.write(address, page->data(), page->size());
    } else {
      ram_.clear(address, riscv::kPageBytes);
    }
  }
  memory_.keep_pages(this);
}

std::size_t PageLog::bytes_of(const Pages& pages) {
  std::size_t bytes = 0;
  for (const auto& entry : pages) bytes += bytes_with(entry.second);
  return bytes;
}

}  // namespace tern::mgmt
