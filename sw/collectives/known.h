// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tern::collectives {

// A number of each flow, which only grows. Copies share all blocks that are alike: most streams
// know of few flows, and what they have heard from each other is the same.
class Known {
 public:
  // used: the bytes of all that were made with it; outlives them.
  Known(std::size_t flows, std::uint64_t* used);
  Known(const Known& other);
  Known& operator=(const Known&) = delete;
  ~Known();

  std::uint32_t operator[](std::size_t flow) const {
    const Block* block = blocks_[flow / kBlock].get();
    return block == nullptr ? 0 : block->numbers[flow % kBlock];
  }
  // To at least this number.
  void raise(std::size_t flow, std::uint32_t number);
  // Each to what the other one has, if that is more.
  void join(const Known& other);

 private:
  static constexpr std::size_t kBlock = 64;
  struct Block {
    explicit Block(std::uint64_t* bytes) : used(bytes) { *used += sizeof *this; }
    Block(const Block& other) : numbers(other.numbers), used(other.used) { *used += sizeof *this; }
    Block& operator=(const Block&) = delete;
    ~Block() { *used -= sizeof *this; }

    std::array<std::uint32_t, kBlock> numbers{};
    std::uint64_t* used;
  };
  using Blocks = std::vector<std::shared_ptr<Block>>;

  std::uint64_t bytes() const { return blocks_.size() * sizeof(Blocks::value_type); }

  std::uint64_t* used_;
  Blocks blocks_;  // null: all 0
};

}  // namespace tern::collectives
