// SPDX-License-Identifier: Apache-2.0
#include "systemc/memory/sparse_memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>

namespace tern {

void SparseMemory::read(std::uint64_t address, void* data, std::size_t bytes) const {
  if (!contains(address, bytes)) throw std::out_of_range("SparseMemory::read");
  auto* out = static_cast<std::uint8_t*>(data);
  while (bytes > 0) {
    const std::size_t offset = address % kPageBytes;
    const std::size_t piece = std::min(bytes, kPageBytes - offset);
    const std::uint8_t* page = pages_[address / kPageBytes];
    if (page == nullptr) {
      std::memset(out, 0, piece);
    } else {
      std::memcpy(out, page + offset, piece);
    }
    out += piece;
    address += piece;
    bytes -= piece;
  }
}

std::uint8_t* SparseMemory::page_for_write(std::uint64_t number) {
  if (pages_[number] == nullptr) {
    allocated_.push_back(static_cast<std::uint32_t>(number));
    // The system's zero pages: nothing is touched before it is written.
    // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): in a table that is itself mostly untouched
    pages_[number] = static_cast<std::uint8_t*>(std::calloc(kPageBytes, 1));
    if (pages_[number] == nullptr) throw std::bad_alloc();
  }
  return pages_[number];
}

void SparseMemory::clear() {
  for (const std::uint32_t number : allocated_) {
    std::free(pages_[number]);  // NOLINT(cppcoreguidelines-owning-memory)
    pages_[number] = nullptr;
  }
  allocated_.clear();
}

void SparseMemory::write(std::uint64_t address, const void* data, std::size_t bytes) {
  if (!contains(address, bytes)) throw std::out_of_range("SparseMemory::write");
  const auto* in = static_cast<const std::uint8_t*>(data);
  while (bytes > 0) {
    const std::size_t offset = address % kPageBytes;
    const std::size_t piece = std::min(bytes, kPageBytes - offset);
    std::memcpy(page_for_write(address / kPageBytes) + offset, in, piece);
    in += piece;
    address += piece;
    bytes -= piece;
  }
}

void SparseMemory::archive_state(base::StateArchive& archive) {
  archive.constant(size_);
  std::vector<std::uint32_t> numbers = allocated_;
  numbers.resize(archive.size(numbers.size(), pages_.size()));
  if (archive.restores()) clear();
  const auto last = static_cast<std::uint32_t>(pages_.size() - 1);
  for (std::uint32_t& number : numbers) {
    archive.number(number, last);
    if (archive.restores() && pages_[number] != nullptr) archive.damaged();  // twice
    archive.memory(page_for_write(number), kPageBytes);
  }
}

}  // namespace tern
