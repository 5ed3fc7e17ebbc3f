// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "sw/runtime/executable.h"

namespace tern::runtime {

// Locations of the parts of a loaded program, relative to its block of device memory.
struct ProgramLayout {
  struct Ring {
    std::uint64_t tx = 0, rx = 0;  // 256-byte aligned
    std::uint32_t size = 0;        // descriptors in each of the two
  };
  std::array<std::uint64_t, TERN_QUEUE_COUNT> queues{};
  std::map<unsigned, std::array<Ring, Executable::kEngines>> rings;
  std::vector<std::uint64_t> blobs;
  std::uint64_t bytes = 0;

  explicit ProgramLayout(const Executable& program);
};

// The core that runs a program, and those that run its parts: the chip's own from `first` on, or
// any of the system, by the addresses of their windows.
struct CorePlace {
  unsigned core = 0, first = 0;
  std::vector<std::uint64_t> peers = {};
  std::vector<std::uint64_t> peer_tensors = {};  // addresses of Executable::peer_tensors
};

// The bytes of that block: instruction streams, descriptor rings and constants, for a core and
// tensor addresses. Descriptors are much longer there than in the program: they are made when they
// are read, and only some of them are kept. It borrows all that it is made of.
class ProgramImage {
 public:
  ProgramImage(const Executable& program, const ProgramLayout& layout, std::uint64_t base,
               const CorePlace& core, const std::vector<std::uint64_t>& tensors);

  std::uint64_t size() const { return layout_.bytes; }
  // Any part; fastest in runs of ascending addresses, of which there may be several.
  void read(std::uint64_t offset, void* data, std::size_t bytes);
  std::vector<std::uint8_t> all();

 private:
  // What the copy of a program to the chip has in work at a time, and more (host_dma.h).
  static constexpr std::size_t kPageBytes = 64 * 1024, kPages = 64;
  struct Page {
    std::uint64_t number = 0;
    std::vector<std::uint8_t> bytes;
  };
  // One side of the ring of an engine.
  struct Side {
    const PairList* pairs = nullptr;
    bool source = false;
  };

  const Page& page(std::uint64_t number);
  void fill(std::uint64_t offset, std::uint8_t* data, std::size_t bytes) const;
  void fill_descriptors(const Side& side, std::uint64_t offset, std::uint8_t* data,
                        std::size_t bytes) const;
  std::uint64_t resolve(const DmaAddress& address) const;

  const ProgramLayout& layout_;
  const CorePlace& core_;
  const std::vector<std::uint64_t>& tensors_;
  // By offset: what is written out, and what is made when it is read.
  std::map<std::uint64_t, std::vector<std::uint8_t>> written_;
  std::map<std::uint64_t, Side> sides_;
  std::deque<Page> pages_;  // the newest last
};

}  // namespace tern::runtime
