// SPDX-License-Identifier: Apache-2.0
#include "systemc/dma/model/writes.h"

namespace tern::dma::model {

bool Burst::has_beat_in(std::uint64_t at) const {
  if (at < begin || at > last()) return false;
  // Beat j is j to 2 * j cycles after the first: the last one that is not later.
  std::uint32_t low = 0, high = beats - 1;
  while (low < high) {
    const std::uint32_t middle = low + (high - low + 1) / 2;
    if (cycle(middle) <= at) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return cycle(low) == at;
}

WriteUnit::WriteUnit(State& state) : state_(state) {}

unsigned WriteUnit::take(const TargetPiece& piece) {
  const auto tag = static_cast<unsigned>(__builtin_ctzll(~busy_));
  busy_ |= std::uint64_t{1} << tag;
  lines_ -= lines(piece.bytes);
  writes_[tag].piece = piece;
  ++state_.packet(piece.entry).writes;
  return tag;
}

void WriteUnit::finish(unsigned tag, std::uint64_t last_beat) {
  due_.push({last_beat + kMoverStages, tag});
  state_.wake_at(kWriteStage, last_beat + kMoverStages);
}

void WriteUnit::beats(const Burst& burst) {
  if (immediates_.empty()) return;
  while (!bursts_.empty() && bursts_.front().last() + kMoverStages < burst.begin) bursts_.pop();
  bursts_.push(burst);
}

void WriteUnit::finish_immediate(unsigned tag, std::uint64_t beat) {
  immediate_ |= std::uint64_t{1} << tag;
  immediates_.push({beat + kMoverStages, busy_ & ~immediate_, tag});
  state_.wake_at(kWriteStage, beat + kMoverStages);
}

void WriteUnit::checksum(std::uint64_t entry, std::uint32_t crc, std::uint64_t last_beat) {
  checksums_.push({last_beat + kMoverStages, entry, crc});
  state_.wake_at(kWriteStage, last_beat + kMoverStages);
}

void WriteUnit::run(std::uint64_t cycle) {
  run_checksums(cycle);
  while (!due_.empty() && due_.front().cycle <= cycle) {
    request(cycle, due_.front().tag);
    due_.pop();
  }
  if (!due_.empty()) state_.wake_at(kWriteStage, due_.front().cycle);
  run_immediates(cycle);
}

void WriteUnit::run_checksums(std::uint64_t cycle) {
  while (!checksums_.empty() && checksums_.front().cycle <= cycle) {
    const Checksum done = checksums_.front();
    checksums_.pop();
    // A dead packet may have left already.
    if (done.entry < state_.oldest || state_.packet(done.entry).dead_from <= cycle) continue;
    const Packet& packet = state_.packet(done.entry);
    state_.rings[packet.ring].crc = done.crc;
    if (packet.crc == 2 && packet.expected_crc != done.crc) {
      state_.stop_packet(cycle, done.entry, TERN_DMA_FAULT_CRC, 0, 0);
    }
  }
  if (!checksums_.empty()) state_.wake_at(kWriteStage, checksums_.front().cycle);
}

// In order, each when the writes before it are answered and the port is free; a dead one is
// skipped in its turn.
void WriteUnit::run_immediates(std::uint64_t cycle) {
  if (immediates_.empty()) return;
  const Immediate& next = immediates_.front();
  if (cycle < next.from) {
    state_.wake_at(kWriteStage, next.from);
    return;
  }
  if (next.waits != 0) return;  // an answer wakes it
  if (port_has_beat(cycle)) {
    state_.wake_at(kWriteStage, cycle + 1);
    return;
  }
  const unsigned tag = next.tag;
  immediates_.pop();
  state_.wake_at(kMoverStage, cycle + 1);
  state_.wake_at(kWriteStage, cycle + 1);
  if (state_.packet(writes_[tag].piece.entry).dead_from > cycle) {
    request(cycle, tag);
  } else {
    // Completion runs later in this cycle, possibly for another reason: it must not see this yet.
    state_.packet(writes_[tag].piece.entry).moved = cycle;
    release(cycle, tag);
  }
}

bool WriteUnit::port_has_beat(std::uint64_t cycle) {
  while (!bursts_.empty() && bursts_.front().last() + kMoverStages < cycle) bursts_.pop();
  for (std::size_t i = 0; i < bursts_.size(); ++i) {
    if (bursts_[i].has_beat_in(cycle - kMoverStages)) return true;
  }
  return false;
}

void WriteUnit::request(std::uint64_t cycle, unsigned tag) {
  const Write& write = writes_[tag];
  requested_ |= std::uint64_t{1} << tag;
  Request request;
  request.port = Port::kWrite;
  request.cycle = cycle;
  request.address = write.piece.address;
  request.bytes = write.piece.bytes;
  request.tag = tag;
  request.traffic_class = state_.packet(write.piece.entry).traffic_class;
  request.write_op = write.piece.write_op;
  request.data = write.data->data();
  state_.environment.request(request);
}

// Tag and lines are free in the next cycle.
void WriteUnit::release(std::uint64_t cycle, unsigned tag) {
  const std::uint64_t bit = std::uint64_t{1} << tag;
  busy_ &= ~bit;
  requested_ &= ~bit;
  immediate_ &= ~bit;
  lines_ += lines(writes_[tag].piece.bytes);
  --state_.packet(writes_[tag].piece.entry).writes;
  state_.wake_at(kMoverStage, cycle + 1);
  state_.wake_at(kCompletionStage, cycle + 1);
}

void WriteUnit::answer(std::uint64_t cycle, unsigned tag, Answer answer) {
  const TargetPiece& piece = writes_[tag].piece;
  if (answer != Answer::kGood) {
    const bool ecc = answer == Answer::kUncorrectable;
    state_.stop_packet(cycle, piece.entry, ecc ? TERN_DMA_FAULT_ECC : TERN_DMA_FAULT_WRITE,
                       piece.pair, piece.address);
  }
  release(cycle, tag);
  if (immediates_.empty()) return;
  for (std::size_t i = 0; i < immediates_.size(); ++i) {
    immediates_[i].waits &= ~(std::uint64_t{1} << tag);
  }
  state_.wake_at(kWriteStage, cycle + 1);
}

}  // namespace tern::dma::model
