// SPDX-License-Identifier: Apache-2.0
#include "systemc/dma/model/source.h"

#include <cstring>

namespace tern::dma::model {

void SourceUnit::take(std::uint64_t cycle, std::uint64_t entry) {
  const Packet& packet = state_.packet(entry);
  const Ring& ring = state_.rings[packet.ring];
  entry_ = entry;
  immediate_ = packet.op == TERN_DMA_OP_IMMEDIATE;
  barrier_ = ring.at(packet.place).tx.dmb();
  walk_.begin(ring, packet, entry, true);
  idle_from_ = kNever;
  issue_from_ = cycle + 2;
  state_.wake_at(kSourceStage, cycle + 1);
}

// The lines and tags that the mover released in earlier cycles.
void SourceUnit::release(std::uint64_t cycle) {
  while (!releases_.empty() && releases_.front().cycle < cycle) {
    lines_ += releases_.front().lines;
    ++tags_;
    releases_.pop();
  }
}

void SourceUnit::run(std::uint64_t cycle) {
  if (walk_.done()) return;
  if (barrier_) {
    if (state_.oldest != entry_) return;  // completions wake it
    barrier_ = false;
    issue_from_ = cycle + 1;
  }
  if (immediate_) {
    // Its set-up: the cycle before issue_from_.
    if (cycle + 1 < issue_from_) {
      state_.wake_at(kSourceStage, issue_from_ - 1);
      return;
    }
    walk_ = Walk();
    finish(cycle);
    return;
  }
  if (cycle < issue_from_) {
    state_.wake_at(kSourceStage, issue_from_);
    return;
  }
  release(cycle);
  const unsigned needed = lines(walk_.next_bytes());
  if (tags_ == 0 || lines_ < needed) {
    // Later consumption by the mover wakes it.
    if (!releases_.empty()) state_.wake_at(kSourceStage, releases_.front().cycle + 1);
    return;
  }
  lines_ -= needed;
  --tags_;
  const auto tag = static_cast<unsigned>(tail_++ % kReadTags);
  ReadPiece& piece = pieces_[tag];
  static_cast<Piece&>(piece) = walk_.next();
  piece.arrival = kNever;
  Request request;
  request.port = Port::kRead;
  request.cycle = cycle;
  request.address = piece.address;
  request.bytes = piece.bytes;
  request.tag = tag;
  request.traffic_class = state_.packet(entry_).traffic_class;
  state_.environment.request(request);
  if (walk_.done()) {
    finish(cycle);
  } else {
    issue_from_ = cycle + (walk_.at_setup() ? 2 : 1);
    state_.wake_at(kSourceStage, issue_from_);
  }
}

void SourceUnit::finish(std::uint64_t cycle) {
  idle_from_ = cycle + 1;
  state_.read_out(cycle, entry_);
  if (state_.ready != 0) state_.wake_at(kDispatchStage, idle_from_);
}

bool SourceUnit::expects(unsigned tag) const {
  const std::uint64_t number = head_ + (tag - head_) % kReadTags;
  return number < tail_ && pieces_[tag].arrival == kNever;
}

// `cycle` may lie in the future.
void SourceUnit::answer(std::uint64_t cycle, unsigned tag, Answer answer,
                        const std::uint8_t* data) {
  ReadPiece& piece = pieces_[tag];
  piece.arrival = cycle;
  piece.answer = answer;
  if (answer == Answer::kGood) {
    std::memcpy(piece.data->data(), data, piece.bytes);
  } else {
    std::memset(piece.data->data(), 0, piece.bytes);
  }
  if (tag == head_ % kReadTags) state_.wake_at(kMoverStage, cycle + 1);
}

void SourceUnit::pop(std::uint64_t cycle) {
  releases_.push({cycle, lines(front().bytes)});
  ++head_;
  if (!walk_.done()) state_.wake_at(kSourceStage, cycle + 1);
}

}  // namespace tern::dma::model
