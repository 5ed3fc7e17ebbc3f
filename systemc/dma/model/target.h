// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "systemc/dma/model/walk.h"

namespace tern::dma::model {

struct TargetPiece : Piece {
  std::uint64_t issued = 0;
};

// rtl/dma/README.md, "Target": packets dispatched, and pieces for the mover.
class TargetUnit {
 public:
  explicit TargetUnit(State& state) : state_(state) {}

  void run(std::uint64_t cycle);
  void take(std::uint64_t cycle, std::uint64_t entry);
  bool full() const { return packets_.size() == kTargetPackets; }
  bool idle() const { return packets_.empty() && pieces_.empty(); }

  bool has_piece() const { return !pieces_.empty(); }
  const TargetPiece& front() const { return pieces_.front(); }
  // The mover takes the front piece's last beat in `cycle`.
  void pop(std::uint64_t cycle);

 private:
  void begin(std::uint64_t cycle);

  State& state_;
  Walk walk_;
  FixedQueue<std::uint64_t, kTargetPackets> packets_;
  std::uint64_t issue_from_ = 0;
  FixedQueue<TargetPiece, kTargetPieces> pieces_;
  FixedQueue<std::uint64_t, kTargetPieces> releases_;  // cycles of last beats
  unsigned places_ = kTargetPieces;
};

}  // namespace tern::dma::model
