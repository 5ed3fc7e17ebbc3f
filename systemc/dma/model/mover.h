// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "systemc/dma/model/operation.h"
#include "systemc/dma/model/writes.h"

namespace tern::dma::model {

// rtl/dma/README.md, "Mover": source and target pieces meet, segment by segment.
class Mover {
 public:
  Mover(State& state, SourceUnit& source, TargetUnit& target, WriteUnit& writes)
      : state_(state), source_(source), target_(target), writes_(writes) {}
  void run(std::uint64_t cycle);
  // Packets that have passed it: all that were dispatched, while nothing is in flight.
  std::uint64_t passed() const { return number_; }
  // For a snapshot, while nothing is in flight.
  void archive_state(base::StateArchive& archive) { archive.number(accumulated_, 1023u); }

 private:
  static constexpr unsigned kNoTag = kWriteTags;

  // The first cycle in which a segment may enter, given the pieces it needs; 0: one is missing.
  std::uint64_t earliest(unsigned pause, bool needs_source, bool needs_target) const;
  // `earliest` is now, and if the target piece begins here and is written, it has a tag.
  bool enters(std::uint64_t cycle, std::uint64_t earliest, bool needs_source, bool needs_target);
  bool bad_source() const;

  void move_copy(std::uint64_t cycle);
  void move_operation(std::uint64_t cycle);
  void move_transpose(std::uint64_t cycle);
  void move_immediate(std::uint64_t cycle);

  Burst go(std::uint64_t cycle, std::uint32_t beats);
  void begin_target(std::uint64_t cycle);
  void advance_source(std::uint32_t bytes, const Burst& burst);
  void advance_target(std::uint32_t bytes, const Burst& burst);
  void end_packet(std::uint64_t entry, std::uint64_t last_beat);

  State& state_;
  SourceUnit& source_;
  TargetUnit& target_;
  WriteUnit& writes_;

  std::uint64_t free_from_ = 0;                      // after the last beat and its pauses
  std::uint32_t accumulated_ = 0;                    // of the pace
  std::uint64_t number_ = 0;                         // of the current packet
  std::uint32_t source_done_ = 0, target_done_ = 0;  // bytes of the front pieces
  unsigned tag_ = kNoTag;                            // of the front target piece
  std::uint32_t crc_ = 0;

  std::array<float, kBlockElements> block_{};  // accumulators

  struct Transpose {
    bool active = false;
    unsigned element_bytes = 4;
    std::uint32_t rows = 0;                  // of a block
    std::uint32_t row = 0, last_source = 0;  // rows of sources taken; rows of all sources
    std::uint32_t row_done = 0;              // bytes written of the target row
    std::array<std::uint8_t, 32 * 64> filling{}, leaving{};
  } transpose_;
};

}  // namespace tern::dma::model
