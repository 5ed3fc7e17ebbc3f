// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>

#include "sw/spec/descriptor_pack.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/dma.h"
#include "sw/spec/generated/isa.h"

namespace tern::dge {

constexpr unsigned kEngines = TERN_CORE_DMA_COUNT;
// Where packets end (docs/spec/dma.yaml).
constexpr unsigned kPairsPerPacket = TERN_DMA_PAIRS_PER_PACKET;
constexpr std::uint32_t kPacketBytes = TERN_DMA_PACKET_BYTES;

// A position in a ring pair: a descriptor pair, or one of its pattern slots.
struct MadePair {
  unsigned engine = 0;
  DescriptorFields tx, rx;
};

// The descriptors of a dma_copy in order, each generated on demand:
// dimension 2 from outside, dimensions 0 and 1 as patterns of at most kPacketBytes. Row i of R in
// dimension 2 goes to engine 16 i / R; the pieces of fewer than 16 rows, and the blocks of a
// transpose, rotate among the engines. Every engine ends with an increment of the semaphore: with
// 16 rows and more behind its rows, before those of the next engine. Rules of packets and patterns:
// rtl/dma/README.md.
class CopyExpansion {
 public:
  // `core` whose semaphore is meant.
  CopyExpansion(const tern_instr_dma_copy_t& instruction, unsigned core);
  // Empty after the last one.
  std::optional<MadePair> next();

 private:
  struct Side {
    std::uint64_t base = 0;
    std::array<std::int64_t, 3> stride{};
  };
  struct Piece {  // count0 x count1 runs
    std::uint64_t dst = 0, src = 0;
    unsigned count0 = 1, count1 = 1;
    unsigned row = 0;  // in dimension 2
  };
  struct Packet {  // of an engine, open; its newest piece is held back: it may be the last
    unsigned pairs = 0;
    std::uint32_t bytes = 0;
    std::deque<MadePair> held;
  };

  bool next_piece(Piece* piece);
  void add(const Piece& piece);
  void release(Packet& packet, bool last);
  void end(unsigned engine);
  void finish();
  unsigned engine_of(const Piece& piece);

  const std::uint32_t run_;
  const bool transpose_;
  const bool by_rows_;             // an engine's rows follow one another
  const std::uint64_t semaphore_;  // its register's address
  const std::array<unsigned, 3> count_;
  Side dst_, src_;
  unsigned most0_ = 1, most1_ = 1;        // runs of a piece per dimension
  std::array<std::uint32_t, 3> index_{};  // of the next piece
  bool pieces_left_ = true, finished_ = false;
  unsigned next_engine_ = 0, ended_ = 0;
  std::array<Packet, kEngines> packets_;
  std::deque<MadePair> ready_;
};

// System address of the register that adds to a semaphore.
constexpr std::uint64_t semaphore_register(unsigned core, unsigned semaphore) {
  return TERN_CORE_BASE + core * TERN_CORE_STRIDE + TERN_CORE_REGS_BASE +
         TERN_REG_CORE_SEMAPHORE_INC + semaphore * TERN_REG_CORE_SEMAPHORE_INC_STRIDE;
}

// The last pair of an engine: adds one to the semaphore, when everything before it is complete.
MadePair increment_pair(unsigned engine, std::uint64_t semaphore);

}  // namespace tern::dge
