// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace tern::riscv {

constexpr unsigned kPageShift = 12;
constexpr std::uint64_t kPageBytes = std::uint64_t{1} << kPageShift;

// What keeps decoded instructions of a page, or a direct pointer to it.
class PageObserver {
 public:
  virtual ~PageObserver() = default;
  // Bytes that may be instructions have changed.
  virtual void code_written(std::uint64_t address, std::uint64_t bytes) = 0;
  // Stores to some page can no longer be direct: each page is asked for anew.
  virtual void stores_refused() = 0;
};

// Who is asked before a page is written: for the first time since keep_pages() at least.
class PageKeeper {
 public:
  virtual ~PageKeeper() = default;
  virtual void before_write(std::uint64_t page) = 0;  // physical address
};

// The memories that harts reach directly, shared by all harts of a platform. What is in no region
// belongs to the bus.
class PhysicalMemory {
 public:
  struct Region {
    std::uint64_t base = 0, bytes = 0;  // whole pages
    std::uint8_t* data = nullptr;       // not owned
    bool readable = true, writable = true, executable = true;
    std::vector<bool> code;         // by page: a hart has decoded instructions of it
    std::uint32_t load_cycles = 0;  // of a load beyond its first, for harts that count them
  };

  // Regions must not overlap. Throws std::invalid_argument.
  void add(Region region);
  void observe(PageObserver* observer) { observers_.push_back(observer); }
  void forget(PageObserver* observer);

  // The region of an address, or null.
  Region* find(std::uint64_t address);

  void mark_code(Region& region, std::uint64_t address);
  // After each write that did not come through a direct pointer, by whomever.
  void written(std::uint64_t address, std::uint64_t bytes);

  // From now on each page that is written is reported before; null: nobody wants to know.
  void keep_pages(PageKeeper* keeper);
  // Before each write that does not come through a direct pointer.
  void before_write(std::uint64_t address, std::uint64_t bytes) {
    if (keeper_ != nullptr) report_pages(address, bytes);
  }

 private:
  void report_pages(std::uint64_t address, std::uint64_t bytes);

  std::vector<Region> regions_;
  std::size_t last_ = 0;
  std::vector<PageObserver*> observers_;
  PageKeeper* keeper_ = nullptr;
};

}  // namespace tern::riscv
