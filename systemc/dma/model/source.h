// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>

#include "systemc/dma/model/walk.h"

namespace tern::dma::model {

// The bytes of a request in transit through the engine.
using Buffer = std::array<std::uint8_t, kBurstBytes>;

// A read piece and its position in the read buffer, from its request until the mover releases it.
struct ReadPiece : Piece {
  std::uint64_t arrival = kNever;  // last beat of its answer
  Answer answer = Answer::kGood;
  std::unique_ptr<Buffer> data = std::make_unique<Buffer>();
};

// rtl/dma/README.md, "Source", and the read buffer.
class SourceUnit {
 public:
  explicit SourceUnit(State& state) : state_(state) {}

  void run(std::uint64_t cycle);
  void take(std::uint64_t cycle, std::uint64_t entry);
  // Nothing is taken before `cycle`.
  void occupy(std::uint64_t cycle) { idle_from_ = cycle; }
  std::uint64_t idle_from() const { return idle_from_; }
  bool idle() const { return walk_.done() && head_ == tail_; }

  bool expects(unsigned tag) const;
  std::uint32_t request_bytes(unsigned tag) const { return pieces_[tag].bytes; }
  void answer(std::uint64_t cycle, unsigned tag, Answer answer, const std::uint8_t* data);

  // For the mover: the oldest piece that it has not begun to consume entirely.
  bool has_piece() const { return head_ != tail_; }
  ReadPiece& front() { return pieces_[head_ % kReadTags]; }
  // The mover takes the front piece's last beat in `cycle`.
  void pop(std::uint64_t cycle);

 private:
  struct Release {
    std::uint64_t cycle;
    unsigned lines;
  };
  void release(std::uint64_t cycle);
  void finish(std::uint64_t cycle);

  State& state_;
  Walk walk_;
  std::uint64_t entry_ = 0;
  std::uint64_t idle_from_ = 0;
  std::uint64_t issue_from_ = 0;
  bool barrier_ = false;    // waits until its packet is the oldest
  bool immediate_ = false;  // no pieces

  std::array<ReadPiece, kReadTags> pieces_;
  std::uint64_t head_ = 0, tail_ = 0;  // pieces consumed, issued
  FixedQueue<Release, kReadTags> releases_;
  unsigned lines_ = kReadLines, tags_ = kReadTags;
};

}  // namespace tern::dma::model
