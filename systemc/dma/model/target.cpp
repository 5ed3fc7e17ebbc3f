// SPDX-License-Identifier: Apache-2.0
#include "systemc/dma/model/target.h"

namespace tern::dma::model {

void TargetUnit::take(std::uint64_t cycle, std::uint64_t entry) {
  packets_.push(entry);
  if (packets_.size() == 1) begin(cycle);
}

// Its set-up is in cycle + 1.
void TargetUnit::begin(std::uint64_t cycle) {
  const std::uint64_t entry = packets_.front();
  const Packet& packet = state_.packet(entry);
  walk_.begin(state_.rings[packet.ring], packet, entry, false);
  issue_from_ = cycle + 2;
  state_.wake_at(kTargetStage, issue_from_);
}

void TargetUnit::run(std::uint64_t cycle) {
  if (packets_.empty()) return;
  if (cycle < issue_from_) {
    state_.wake_at(kTargetStage, issue_from_);
    return;
  }
  while (!releases_.empty() && releases_.front() < cycle) {
    ++places_;
    releases_.pop();
  }
  if (places_ == 0) {
    if (!releases_.empty()) state_.wake_at(kTargetStage, releases_.front() + 1);
    return;
  }
  --places_;
  TargetPiece piece;
  static_cast<Piece&>(piece) = walk_.next();
  piece.issued = cycle;
  pieces_.push(piece);
  state_.wake_at(kMoverStage, cycle + 1);
  if (!walk_.done()) {
    issue_from_ = cycle + (walk_.at_setup() ? 2 : 1);
    state_.wake_at(kTargetStage, issue_from_);
    return;
  }
  state_.read_out(cycle, packets_.front());
  packets_.pop();
  if (state_.ready != 0) state_.wake_at(kDispatchStage, cycle + 1);
  if (!packets_.empty()) begin(cycle);
}

void TargetUnit::pop(std::uint64_t cycle) {
  pieces_.pop();
  releases_.push(cycle);
  if (!packets_.empty()) state_.wake_at(kTargetStage, cycle + 1);
}

}  // namespace tern::dma::model
