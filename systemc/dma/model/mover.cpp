// SPDX-License-Identifier: Apache-2.0
#include "systemc/dma/model/mover.h"

#include <algorithm>
#include <cstring>

#include "sw/base/crc32c.h"
#include "sw/base/math.h"

namespace tern::dma::model {

void Mover::run(std::uint64_t cycle) {
  if (cycle < free_from_) {
    state_.wake_at(kMoverStage, free_from_);
    return;
  }
  if (transpose_.active) {
    move_transpose(cycle);
    return;
  }
  if (target_.has_piece() && state_.packet(target_.front().entry).op == TERN_DMA_OP_IMMEDIATE) {
    move_immediate(cycle);
    return;
  }
  if (!source_.has_piece()) return;
  const Packet& packet = state_.packet(source_.front().entry);
  if (packet.number != number_) return;  // an immediate comes first; its piece wakes the mover
  switch (packet.op) {
    case TERN_DMA_OP_COPY:
      move_copy(cycle);
      break;
    case TERN_DMA_OP_TRANSPOSE:
      move_transpose(cycle);
      break;
    default:
      move_operation(cycle);
  }
}

std::uint64_t Mover::earliest(unsigned pause, bool needs_source, bool needs_target) const {
  std::uint64_t from = free_from_ + pause;
  if (needs_source) {
    if (!source_.has_piece() || source_.front().arrival == kNever) return kNever;
    from = std::max(from, source_.front().arrival + 1);
  }
  if (needs_target) {
    if (!target_.has_piece()) return kNever;
    from = std::max(from, target_.front().issued + 1);
  }
  return from;
}

bool Mover::bad_source() const {
  return source_done_ == 0 && source_.front().answer != Answer::kGood;
}

bool Mover::enters(std::uint64_t cycle, std::uint64_t from, bool needs_source, bool needs_target) {
  if (cycle < from) {
    state_.wake_at(kMoverStage, from);
    return false;
  }
  const bool bad = needs_source && bad_source();
  if (needs_target && target_done_ == 0 && !bad) {
    const TargetPiece& target = target_.front();
    const bool alive = state_.packet(target.entry).dead_from > cycle;
    if (alive && !writes_.room(target.bytes)) return false;  // answers and stops wake it
  }
  if (bad) {
    const ReadPiece& piece = source_.front();
    const bool ecc = piece.answer == Answer::kUncorrectable;
    state_.stop_packet(cycle, piece.entry, ecc ? TERN_DMA_FAULT_ECC : TERN_DMA_FAULT_READ,
                       piece.pair, piece.address);
    Packet& packet = state_.packet(piece.entry);
    packet.dead_from = std::min(packet.dead_from, cycle);
  }
  if (needs_target && target_done_ == 0) begin_target(cycle);
  return true;
}

void Mover::begin_target(std::uint64_t cycle) {
  const TargetPiece& target = target_.front();
  tag_ = state_.packet(target.entry).dead_from > cycle ? writes_.take(target) : kNoTag;
}

Burst Mover::go(std::uint64_t cycle, std::uint32_t beats) {
  const Burst burst = {cycle, beats, state_.config.pace, accumulated_};
  free_from_ = cycle + beats + burst.pauses(beats);
  accumulated_ =
      static_cast<std::uint32_t>((accumulated_ + std::uint64_t{beats} * burst.pace) % 1024);
  state_.wake_at(kMoverStage, free_from_);
  return burst;
}

void Mover::advance_source(std::uint32_t bytes, const Burst& burst) {
  source_done_ += bytes;
  if (source_done_ != source_.front().bytes) return;
  source_done_ = 0;
  source_.pop(burst.last());
}

void Mover::advance_target(std::uint32_t bytes, const Burst& burst) {
  if (tag_ != kNoTag) writes_.beats(burst);
  target_done_ += bytes;
  const TargetPiece& target = target_.front();
  if (target_done_ != target.bytes) return;
  target_done_ = 0;
  if (tag_ != kNoTag) writes_.finish(tag_, burst.last());
  if (target.packet_last) end_packet(target.entry, burst.last());
  target_.pop(burst.last());
}

void Mover::end_packet(std::uint64_t entry, std::uint64_t last_beat) {
  Packet& packet = state_.packet(entry);
  packet.moved = last_beat;
  ++number_;
  state_.wake_at(kCompletionStage, last_beat + 1);
  if (packet.crc != 0) writes_.checksum(entry, crc_, last_beat);
  crc_ = 0;
}

void Mover::move_copy(std::uint64_t cycle) {
  if (!target_.has_piece()) return;
  ReadPiece& source = source_.front();
  const TargetPiece& target = target_.front();
  const bool change =
      (source.run_first && source_done_ == 0) || (target.run_first && target_done_ == 0);
  const unsigned pause = change ? state_.config.descriptor_cycles : 0;
  if (!enters(cycle, earliest(pause, true, true), true, true)) return;
  const std::uint32_t bytes = std::min(source.bytes - source_done_, target.bytes - target_done_);
  if (state_.packet(target.entry).crc != 0) {
    crc_ = base::crc32c(crc_, source.data->data() + source_done_, bytes);
  }
  if (tag_ != kNoTag) {
    auto& buffer = writes_.buffer(tag_);
    if (bytes == source.bytes && bytes == target.bytes) {
      std::swap(source.data, buffer);
    } else {
      std::memcpy(buffer->data() + target_done_, source.data->data() + source_done_, bytes);
    }
  }
  const Burst burst = go(cycle, lines(bytes));
  advance_source(bytes, burst);
  advance_target(bytes, burst);
}

void Mover::move_operation(std::uint64_t cycle) {
  const ReadPiece& source = source_.front();
  const Packet& packet = state_.packet(source.entry);
  const bool change = source.run_first && source_done_ == 0;
  const unsigned pause = change ? state_.config.descriptor_cycles : 0;
  const bool writes = source.last_pass;
  if (!enters(cycle, earliest(pause, true, writes), true, writes)) return;
  const unsigned from = element_bytes(packet.src_dtype), to = element_bytes(packet.dst_dtype);
  std::uint32_t elements = (source.bytes - source_done_) / from;
  if (writes) elements = std::min(elements, (target_.front().bytes - target_done_) / to);
  float* accumulators = block_.data() + source.block_first + source_done_ / from;
  accumulate(packet.op, source.pass == 0, packet.src_dtype, source.word,
             source.data->data() + source_done_, elements, accumulators);
  const std::uint32_t per_beat = kBeatBytes / std::max(from, to);
  const Burst burst = go(cycle, ceil_div(elements, per_beat));
  if (writes && tag_ != kNoTag) {
    narrow(packet.dst_dtype, accumulators, elements, writes_.buffer(tag_)->data() + target_done_);
  }
  advance_source(elements * from, burst);
  if (writes) advance_target(elements * to, burst);
}

// Beat `row` takes a row of a block and emits one of the previous block.
void Mover::move_transpose(std::uint64_t cycle) {
  Transpose& t = transpose_;
  if (!t.active) {
    const Packet& packet = state_.packet(source_.front().entry);
    t.active = true;
    t.element_bytes = element_bytes(packet.src_dtype);
    t.rows = kBeatBytes / t.element_bytes;
    t.row = t.row_done = 0;
    t.last_source = packet.bytes / kBeatBytes;
  }
  const bool reads = t.row < t.last_source && t.row_done == 0;
  const bool writes = t.row >= t.rows;
  const unsigned pause = t.row == 0 ? state_.config.descriptor_cycles : 0;
  if (!enters(cycle, earliest(pause, reads, writes), reads, writes)) return;
  const Burst burst = go(cycle, 1);
  if (writes && t.row % t.rows == 0 && t.row_done == 0) {
    transpose_block(t.element_bytes, t.filling.data(), t.leaving.data());
  }
  const std::uint32_t place = t.row % t.rows * kBeatBytes;
  if (reads) {
    std::memcpy(&t.filling[place], source_.front().data->data(), kBeatBytes);
    advance_source(kBeatBytes, burst);
  }
  if (writes) {
    const TargetPiece& target = target_.front();
    const std::uint32_t bytes = target.bytes;
    if (tag_ != kNoTag) {
      std::memcpy(writes_.buffer(tag_)->data(), &t.leaving[place + t.row_done], bytes);
    }
    t.row_done += bytes;
    if (target.packet_last) t.active = false;
    advance_target(bytes, burst);
    if (t.row_done != kBeatBytes) return;
    t.row_done = 0;
  }
  ++t.row;
}

void Mover::move_immediate(std::uint64_t cycle) {
  const TargetPiece& target = target_.front();
  const Packet& packet = state_.packet(target.entry);
  if (!writes_.room_for_immediate() && packet.dead_from > cycle) return;  // its port wakes it
  if (!enters(cycle, earliest(state_.config.descriptor_cycles, false, true), false, true)) return;
  const std::uint64_t last = go(cycle, 1).last();
  if (tag_ != kNoTag) {
    std::memcpy(writes_.buffer(tag_)->data(), &target.word, sizeof target.word);
    writes_.finish_immediate(tag_, last);
  }
  end_packet(target.entry, last);
  target_.pop(last);
}

}  // namespace tern::dma::model
