// SPDX-License-Identifier: Apache-2.0
#include "systemc/dge/copy_expansion.h"

#include <algorithm>

namespace tern::dge {

namespace {

constexpr unsigned kMaxBlocks = TERN_DMA_TRANSPOSE_BLOCKS;

std::uint64_t address(std::uint32_t low, std::uint32_t high) {
  return std::uint64_t{high} << 32 | low;
}

}  // namespace

MadePair increment_pair(unsigned engine, std::uint64_t semaphore) {
  DescriptorOperation immediate;
  immediate.op = TERN_DMA_OP_IMMEDIATE;
  MadePair pair;
  pair.engine = engine;
  pair.tx.length = pair.rx.length = 4;
  pair.tx.address = 1;
  pair.rx.address = semaphore;
  pair.rx.word1 = immediate.word();
  pair.tx.first = pair.tx.last = pair.rx.first = pair.rx.last = true;
  return pair;
}

CopyExpansion::CopyExpansion(const tern_instr_dma_copy_t& in, unsigned core)
    : run_(in.length == 0 ? TERN_DESCRIPTOR_MAX_LENGTH : in.length),
      transpose_(in.op == TERN_DMA_OP_TRANSPOSE),
      by_rows_(!transpose_ && in.count[2] >= kEngines),
      semaphore_(semaphore_register(core, in.semaphore)),
      count_{in.count[0], in.count[1], in.count[2]} {
  dst_.base = address(in.dst_lo, in.dst_hi);
  src_.base = address(in.src_lo, in.src_hi);
  for (unsigned d = 0; d < 3; ++d) {
    dst_.stride[d] = in.dst_stride[d];
    src_.stride[d] = in.src_stride[d];
  }
  const unsigned most = std::max(1u, kPacketBytes / run_);
  if (transpose_) {
    most0_ = count_[0];  // a block, up to eight of them together
    const unsigned blocks = count_[1] * count_[2];
    most1_ = std::min(count_[1], std::clamp(blocks / kEngines, 1u, kMaxBlocks));
  } else {
    most0_ = std::min(count_[0], most);
    if (most0_ == count_[0]) most1_ = std::min(count_[1], std::max(1u, most / count_[0]));
  }
}

// In the order of the dimensions, the inner ones first.
bool CopyExpansion::next_piece(Piece* piece) {
  if (!pieces_left_) return false;
  piece->dst = dst_.base;
  piece->src = src_.base;
  for (unsigned d = 0; d < 3; ++d) {
    piece->dst += static_cast<std::uint64_t>(dst_.stride[d] * index_[d]);
    piece->src += static_cast<std::uint64_t>(src_.stride[d] * index_[d]);
  }
  piece->count0 = std::min(most0_, count_[0] - index_[0]);
  piece->count1 = std::min(most1_, count_[1] - index_[1]);
  piece->row = index_[2];
  const std::array<unsigned, 3> taken{piece->count0, piece->count1, 1};
  unsigned d = 0;
  for (; d < 3; ++d) {
    index_[d] += taken[d];
    if (index_[d] < count_[d]) break;
    index_[d] = 0;
  }
  pieces_left_ = d < 3;
  return true;
}

unsigned CopyExpansion::engine_of(const Piece& piece) {
  if (by_rows_) return piece.row * kEngines / count_[2];
  const unsigned engine = next_engine_;
  next_engine_ = (next_engine_ + 1) % kEngines;
  return engine;
}

void CopyExpansion::release(Packet& packet, bool last) {
  if (packet.held.empty()) return;
  packet.held.back().tx.last = packet.held.back().rx.last = last;
  for (const MadePair& pair : packet.held) ready_.push_back(pair);
  packet.held.clear();
  if (last) packet.pairs = packet.bytes = 0;
}

void CopyExpansion::add(const Piece& piece) {
  const bool pattern = piece.count0 * piece.count1 > 1;
  const unsigned pairs = pattern ? 2 : 1;
  const std::uint32_t bytes = run_ * piece.count0 * piece.count1;
  const unsigned engine = engine_of(piece);
  if (by_rows_) {
    while (ended_ < engine) end(ended_++);
  }
  Packet& packet = packets_[engine];
  // Each block of a transpose is a separate packet.
  const bool full = packet.pairs + pairs > kPairsPerPacket || packet.bytes + bytes > kPacketBytes;
  release(packet, transpose_ || full);

  DescriptorOperation operation;
  operation.pattern_slots = pairs - 1;
  if (transpose_) {
    operation.op = TERN_DMA_OP_TRANSPOSE;
    operation.src_dtype = operation.dst_dtype = TERN_DMA_DTYPE_BF16;
  }
  MadePair pair;
  pair.engine = engine;
  pair.tx.length = pair.rx.length = run_;
  pair.tx.address = piece.src;
  pair.rx.address = piece.dst;
  pair.rx.word1 = operation.word();
  pair.tx.first = pair.rx.first = packet.pairs == 0;
  packet.held.push_back(pair);
  if (pattern) {
    const auto side = [&](const Side& of, DescriptorFields* slot) {
      const DescriptorPattern shape{
          static_cast<std::uint16_t>(piece.count0), static_cast<std::uint16_t>(piece.count1),
          static_cast<std::int32_t>(of.stride[0]), static_cast<std::int32_t>(of.stride[1])};
      slot->word1 = shape.counts();
      slot->address = shape.strides();
    };
    MadePair slot;
    slot.engine = engine;
    side(src_, &slot.tx);
    side(dst_, &slot.rx);
    packet.held.push_back(slot);
  }
  packet.pairs += pairs;
  packet.bytes += bytes;
}

void CopyExpansion::end(unsigned engine) {
  release(packets_[engine], true);
  ready_.push_back(increment_pair(engine, semaphore_));
}

void CopyExpansion::finish() {
  while (ended_ < kEngines) end(ended_++);
  finished_ = true;
}

std::optional<MadePair> CopyExpansion::next() {
  while (ready_.empty() && !finished_) {
    Piece piece;
    if (next_piece(&piece)) {
      add(piece);
    } else {
      finish();
    }
  }
  if (ready_.empty()) return std::nullopt;
  const MadePair pair = ready_.front();
  ready_.pop_front();
  return pair;
}

}  // namespace tern::dge
