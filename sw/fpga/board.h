// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "sw/fpga/link.h"
#include "sw/spec/generated/fpga.h"

namespace tern::fpga {

// What is built into a bitstream.
struct BoardShape {
  unsigned rows = 0, cols = 0;  // of the array
  unsigned mem_words = 0;       // of 32 bits
  unsigned sbuf_words = 0;      // of 32 bits, in all
  unsigned psum_words = 0;      // of 32 bits, of a column
};

// A descriptor of the ring.
using Descriptor = std::array<std::uint32_t, 4>;

Descriptor to_sbuf(unsigned mem, unsigned sbuf, unsigned words);
Descriptor to_psum(unsigned mem, unsigned psum, unsigned words);
Descriptor from_psum(unsigned psum, unsigned mem, unsigned words);
// `columns` results of chains over groups * rows; column n of lane c at word n * cols + c of PSUM
// from column `psum` on. Addresses of SBUF are words of the array, rows * 16 bits.
struct Product {
  unsigned columns = 1, groups = 1;
  unsigned moving = 0, weights = 0;  // first words
  unsigned stride = 0;               // words from a group's moving columns to the next one's
  unsigned psum = 0;
  bool continues = false;  // the chain starts from what is in PSUM instead of +0
};
Descriptor multiply(const Product& product);
// Words of PSUM with their steps, at most 15: to = from + other, one after the other.
struct Walk {
  unsigned first = 0, step = 1;
};
Descriptor add(unsigned count, Walk from, Walk other, Walk to);
Descriptor exponential(unsigned count, Walk from, Walk to, float maximum);

// The engine on the board: its memory, and its ring.
class Board {
 public:
  // Resets the ring. Throws RunError if there is no board, or one of another version.
  explicit Board(std::unique_ptr<Link> link);

  const BoardShape& shape() const { return shape_; }
  const Link& link() const { return *link_; }
  // The memory from here on is free for data; before it is the ring.
  static constexpr unsigned kFirstFree = 4 * TERN_FPGA_RING_ENTRIES + 1;

  void write(unsigned address, const std::uint32_t* words, std::size_t count);
  void read(unsigned address, std::uint32_t* words, std::size_t count);
  // Executes descriptors in their order and returns when all are done.
  void run(const std::vector<Descriptor>& descriptors);

 private:
  void run_some(const Descriptor* descriptors, std::size_t count);
  void wait_for(std::uint16_t completed);
  void check(unsigned address, std::size_t count) const;

  std::unique_ptr<Link> link_;
  BoardShape shape_;
  std::uint16_t tail_ = 0;  // descriptors released since the reset
};

}  // namespace tern::fpga
