// SPDX-License-Identifier: Apache-2.0
// Background activity of a stack: scrubbing, and random faults for experiments.
#include <cmath>

#include "systemc/hbm/stack.h"

namespace tern::hbm {

// Brings the scrubber up to date, piece after piece of the allocated memory. While the stack rests
// its accesses are free; otherwise each takes the slot of one read. One that finds no slot (the
// last on its pseudo-channel still waits) is postponed.
void Stack::scrub_until(std::uint64_t now_fs, Tick arrival) {
  const auto& pages = memory_.bytes().allocated_pages();
  constexpr std::uint64_t kPagePieces = SparseMemory::kPageBytes / kPieceBytes;
  while (next_scrub_fs_ <= now_fs) {
    if (pages.empty()) {
      next_scrub_fs_ += ((now_fs - next_scrub_fs_) / scrub_step_fs_ + 1) * scrub_step_fs_;
      return;
    }
    const std::uint64_t page = scrub_cursor_ / kPagePieces % pages.size();
    const std::uint64_t offset =
        (pages[page] * kPagePieces + scrub_cursor_ % kPagePieces) * kPieceBytes;
    if (offset < config_.stack_bytes && !scrub_piece(offset, arrival)) return;
    ++scrub_pieces_;
    scrub_cursor_ = page * kPagePieces + scrub_cursor_ % kPagePieces + 1;
    next_scrub_fs_ += scrub_step_fs_;
  }
}

bool Stack::scrub_piece(std::uint64_t offset, Tick arrival) {
  const Location place = map_.locate(offset);
  PseudoChannel& channel = *channels_[place.pseudo_channel];
  if (channel.empty()) {
    memory_.scrub(offset, kPieceBytes);
    return true;
  }
  if (scrubbing_[place.pseudo_channel]) return false;
  scrubbing_[place.pseudo_channel] = true;
  Access access;
  access.kind = Access::Kind::kScrub;
  access.traffic_class = kTrafficClasses - 1;
  access.read = {place.set, place.row, place.rotation, 0, kPieceBursts};
  if (memory_.damaged(offset, kPieceBytes)) access.write = access.read;
  access.arrival = arrival;
  access.sequence = sequence_++;
  access.piece = static_cast<std::uint32_t>(offset / kPieceBytes);
  access.offset = offset;
  access.bytes = kPieceBytes;
  channel.add(std::move(access));
  note_next(place.pseudo_channel);
  return true;
}

// Random flips at exponential intervals, each in a burst of the memory allocated at that time.
void Stack::flip_until(std::uint64_t now_fs) {
  while (next_flip_fs_ <= now_fs) {
    const auto& pages = memory_.bytes().allocated_pages();
    if (!pages.empty()) {
      const std::uint64_t page = pages[random_() % pages.size()];
      const std::uint64_t offset =
          page * SparseMemory::kPageBytes + random_() % SparseMemory::kPageBytes;
      const auto bit = static_cast<unsigned>(random_() % Codeword::kBits);
      if (offset < config_.stack_bytes) memory_.flip(offset, bit);
    }
    draw_next_flip();
  }
}

void Stack::draw_next_flip() {
  const double uniform = (static_cast<double>(random_() >> 11) + 0.5) * 0x1p-53;
  next_flip_fs_ += static_cast<std::uint64_t>(-std::log(uniform) / config_.faults_per_s * 1e15) + 1;
}

}  // namespace tern::hbm
