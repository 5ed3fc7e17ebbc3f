// SPDX-License-Identifier: Apache-2.0
#include "systemc/dma/model/walk.h"

#include <algorithm>

#include "systemc/dma/model/operation.h"

namespace tern::dma::model {

void Walk::begin(const Ring& ring, const Packet& packet, std::uint64_t entry, bool source) {
  ring_ = &ring;
  packet_ = &packet;
  entry_ = entry;
  source_ = source;
  computes_ = packet.op >= TERN_DMA_OP_CAST && packet.op <= TERN_DMA_OP_FMA;
  done_ = false;
  setup_ = run_first_ = true;
  pair_ = 0;
  if (!computes_) {
    begin_pair();
    return;
  }
  sources_ = source ? packet.pairs : 1;
  element_ = element_bytes(source ? packet.src_dtype : packet.dst_dtype);
  elements_ = packet.bytes / element_bytes(packet.dst_dtype);
  block_begin_ = 0;
  write_op_ = ring.at(packet.place).rx.write_op();
  next_block_run();
}

void Walk::begin_pair() {
  const Pair& pair = ring_->at(packet_->place + pair_);
  const Descriptor& side = source_ ? pair.tx : pair.rx;
  slots_ = pair.rx.ext();
  write_op_ = pair.rx.write_op();
  length_ = left_ = side.length();
  address_ = run_address_ = side.address();
  for (unsigned s = 0; s < slots_; ++s) {
    const Pair& slot = ring_->at(packet_->place + pair_ + 1 + s);
    const Descriptor& pattern = source_ ? slot.tx : slot.rx;
    for (unsigned d = 0; d < 2; ++d) {
      count_[2 * s + d] = pattern.count(d);
      stride_[2 * s + d] = pattern.stride(d);
      at_[2 * s + d] = 0;
    }
  }
}

std::uint32_t Walk::next_bytes() const {
  return std::min<std::uint32_t>(left_, kBurstBytes - address_ % kBurstBytes);
}

Piece Walk::next() {
  Piece piece;
  piece.address = address_;
  piece.bytes = next_bytes();
  piece.entry = entry_;
  piece.pair = static_cast<std::uint16_t>(pair_);
  piece.write_op = static_cast<std::uint8_t>(write_op_);
  piece.run_first = run_first_;
  if (computes_) {
    piece.pass = static_cast<std::uint8_t>(pair_);
    piece.last_pass = pair_ + 1 == sources_;
    piece.block_first = static_cast<std::uint16_t>(block_ - left_ / element_);
    if (source_) piece.word = ring_->at(packet_->place + pair_).tx.scale();
  } else if (packet_->op == TERN_DMA_OP_IMMEDIATE) {
    piece.word = ring_->at(packet_->place).tx.word[2];
  }
  address_ += piece.bytes;
  left_ -= piece.bytes;
  setup_ = run_first_ = false;
  if (left_ == 0) next_run();
  piece.packet_last = done_;
  return piece;
}

void Walk::next_run() {
  const bool transposes = packet_->op == TERN_DMA_OP_TRANSPOSE;
  setup_ = run_first_ = !transposes;
  if (computes_) {
    if (++pair_ == sources_) {
      pair_ = 0;
      block_begin_ += block_;
    }
    next_block_run();
    return;
  }
  if (next_in_pattern()) {
    left_ = length_;
    address_ = run_address_;
    return;
  }
  pair_ += 1 + slots_;
  done_ = pair_ == packet_->pairs;
  if (!done_) begin_pair();
}

void Walk::next_block_run() {
  block_ = std::min<std::uint32_t>(kBlockElements, elements_ - block_begin_);
  done_ = block_ == 0;
  if (done_) return;
  const Pair& pair = ring_->at(packet_->place + pair_);
  address_ = (source_ ? pair.tx : pair.rx).address() + std::uint64_t{block_begin_} * element_;
  left_ = block_ * element_;
}

bool Walk::next_in_pattern() {
  for (unsigned d = 0; d < 2 * slots_; ++d) {
    run_address_ += static_cast<std::uint64_t>(std::int64_t{stride_[d]});
    if (++at_[d] < count_[d]) return true;
    run_address_ -= static_cast<std::uint64_t>(std::int64_t{stride_[d]}) * count_[d];
    at_[d] = 0;
  }
  return false;
}

}  // namespace tern::dma::model
