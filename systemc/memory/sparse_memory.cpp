// SPDX-License-Identifier: Apache-2.0
#include "systemc/memory/sparse_memory.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace tern {

void SparseMemory::read(std::uint64_t address, void* data, std::size_t bytes) const {
  if (!contains(address, bytes)) throw std::out_of_range("SparseMemory::read");
  auto* out = static_cast<std::uint8_t*>(data);
  while (bytes > 0) {
    const std::size_t offset = address % kPageBytes;
    const std::size_t piece = std::min(bytes, kPageBytes - offset);
    const auto page = pages_.find(address / kPageBytes);
    if (page == pages_.end()) {
      std::memset(out, 0, piece);
    } else {
      std::memcpy(out, page->second.get() + offset, piece);
    }
    out += piece;
    address += piece;
    bytes -= piece;
  }
}

void SparseMemory::write(std::uint64_t address, const void* data, std::size_t bytes) {
  if (!contains(address, bytes)) throw std::out_of_range("SparseMemory::write");
  const auto* in = static_cast<const std::uint8_t*>(data);
  while (bytes > 0) {
    const std::size_t offset = address % kPageBytes;
    const std::size_t piece = std::min(bytes, kPageBytes - offset);
    Page& page = pages_[address / kPageBytes];
    if (!page) page = std::make_unique<std::uint8_t[]>(kPageBytes);
    std::memcpy(page.get() + offset, in, piece);
    in += piece;
    address += piece;
    bytes -= piece;
  }
}

}  // namespace tern
