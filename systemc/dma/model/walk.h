// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "systemc/dma/model/state.h"

namespace tern::dma::model {

// Part of a run inside one window of kBurstBytes: what the engine reads or writes at once.
struct Piece {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  std::uint32_t word = 0;         // fma: scale of the source; immediate: the value
  std::uint64_t entry = 0;        // of its packet
  std::uint16_t pair = 0;         // in the packet
  std::uint16_t block_first = 0;  // operations: position of its first element in the block
  std::uint8_t pass = 0;          // operations: number of the source
  std::uint8_t write_op = 0;
  bool run_first = false;    // the first of a run: the mover changes its buffer
  bool last_pass = true;     // operations: of the block
  bool packet_last = false;  // of the packet's bytes
};

// Cuts one side of a packet into pieces, in order (rtl/dma/README.md, "Source", "Target").
class Walk {
 public:
  void begin(const Ring& ring, const Packet& packet, std::uint64_t entry, bool source);
  bool done() const { return done_; }
  // The next piece needs a cycle of set-up.
  bool at_setup() const { return setup_; }
  std::uint32_t next_bytes() const;
  Piece next();

 private:
  void begin_pair();
  void next_run();
  void next_block_run();
  bool next_in_pattern();

  const Ring* ring_ = nullptr;
  const Packet* packet_ = nullptr;
  std::uint64_t entry_ = 0;
  bool source_ = true, computes_ = false, done_ = true;
  bool setup_ = true, run_first_ = true;
  unsigned pair_ = 0;   // the pair in the packet
  unsigned slots_ = 0;  // of this pair
  unsigned write_op_ = 0;

  std::uint64_t address_ = 0;  // of the rest of the run
  std::uint32_t left_ = 0;
  // Pattern: the start of the run, and its position in each dimension.
  std::uint64_t run_address_ = 0;
  std::uint32_t length_ = 0;
  std::array<std::uint32_t, 4> count_{}, at_{};
  std::array<std::int32_t, 4> stride_{};
  // Operations: elements of the packet, of the blocks before this one, and of this one.
  unsigned element_ = 4, sources_ = 1;
  std::uint32_t elements_ = 0, block_begin_ = 0, block_ = 0;
};

}  // namespace tern::dma::model
