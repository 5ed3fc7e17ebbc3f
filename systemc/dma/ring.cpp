// SPDX-License-Identifier: Apache-2.0
#include "systemc/dma/ring.h"

#include <algorithm>
#include <array>

#include "sw/spec/generated/registers.h"

namespace tern::dma {

namespace {
constexpr std::uint32_t kMinSize = 32, kMaxSize = (1u << 24) - 16, kSizeStep = 16;
constexpr std::uint64_t kBaseAlignment = 256;
}  // namespace

bool Ring::reset(std::uint32_t size) {
  const bool legal = size >= kMinSize && size <= kMaxSize && size % kSizeStep == 0;
  size_ = legal ? size : 0;
  ++generation_;
  stopped_ = blocked_ = false;
  tail_ = visible_ = fetched_ = taken_ = head_ = 0;
  hidden_under_.reset();
  fetch_error_.reset();
  doorbells_.clear();
  prefetched_.clear();
  return legal;
}

void Ring::stop() {
  stopped_ = blocked_ = true;
  ++generation_;
  doorbells_.clear();
  prefetched_.clear();
}

Ring::Status Ring::status() const {
  if (stopped_) return kStopped;
  return head_ < tail_ ? kActive : kIdle;
}

Fault Ring::ring_doorbell(unsigned pairs, std::uint64_t rung_fs, std::uint64_t effective_fs) {
  if (stopped_ || pairs == 0) return Fault::kNone;
  if (size_ == 0 || tx_base % kBaseAlignment != 0 || rx_base % kBaseAlignment != 0)
    return Fault::kBase;
  if (tail_ + pairs - head_ > size_) return Fault::kOverrun;
  tail_ += pairs;
  doorbells_.push_back({rung_fs, effective_fs, tail_});
  return Fault::kNone;
}

void Ring::advance(std::uint64_t now_fs, const Read& read) {
  while (!doorbells_.empty() && doorbells_.front().effective_fs <= now_fs) {
    if (fetched_ == visible_) hidden_under_ = doorbells_.front();
    visible_ = doorbells_.front().tail;
    doorbells_.pop_front();
  }
  while (!blocked_ && !fetch_error_ && fetched_ < visible_ && prefetched_.size() < kPrefetchPairs) {
    const std::uint64_t offset = fetched_ % size_;
    const auto count = static_cast<unsigned>(
        std::min<std::uint64_t>({kPrefetchPairs, visible_ - fetched_, size_ - offset}));
    std::array<std::uint8_t, kPrefetchPairs * TERN_DESCRIPTOR_BYTES> tx, rx;
    std::uint64_t tx_arrival = now_fs, rx_arrival = now_fs;
    const std::uint64_t bytes = offset * TERN_DESCRIPTOR_BYTES;
    for (const bool is_tx : {true, false}) {
      const std::uint64_t address = (is_tx ? tx_base : rx_base) + bytes;
      if (!read(address, (is_tx ? tx : rx).data(), count * TERN_DESCRIPTOR_BYTES,
                is_tx ? tx_arrival : rx_arrival)) {
        fetch_error_ = address;
        return;
      }
    }
    std::uint64_t arrival = std::max(tx_arrival, rx_arrival);
    if (hidden_under_) {
      // The fetch started with the doorbell, even if the engine looks at it only now.
      arrival = std::max(hidden_under_->effective_fs, arrival - now_fs + hidden_under_->rung_fs);
      hidden_under_.reset();
    }
    for (unsigned i = 0; i < count; ++i) {
      prefetched_.push_back({decode(&tx[i * TERN_DESCRIPTOR_BYTES]),
                             decode(&rx[i * TERN_DESCRIPTOR_BYTES]), arrival});
    }
    fetched_ += count;
  }
}

Fault Ring::check(const Pair& pair, std::uint64_t index, bool starts_packet) const {
  const unsigned phase = static_cast<unsigned>(1 + index / size_) % 4;
  for (const Descriptor* d : {&pair.tx, &pair.rx}) {
    if (!d->reserved_clear) return Fault::kReserved;
    if (d->ring_id != phase) return Fault::kPhase;
    if (d->first != starts_packet) return Fault::kFirst;
    if (d->int_en) return Fault::kIntEn;
    if (d->meta != 0) return Fault::kMeta;
  }
  return pair.tx.last == pair.rx.last ? Fault::kNone : Fault::kLastMismatch;
}

bool Ring::take(std::uint64_t now_fs, Packet& packet) {
  if (blocked_) return false;
  std::uint64_t tx_bytes = 0, rx_bytes = 0;
  std::size_t count = 0;
  Fault fault = Fault::kNone;
  bool complete = false;
  while (!complete && fault == Fault::kNone && count < prefetched_.size() &&
         prefetched_[count].arrival_fs <= now_fs) {
    const Pair& pair = prefetched_[count];
    packet.available_fs = std::max(packet.available_fs, pair.arrival_fs);
    fault = check(pair, taken_ + count, count == 0);
    tx_bytes += pair.tx.length;
    rx_bytes += pair.rx.length;
    complete = pair.tx.last;
    ++count;
    if (fault == Fault::kNone && complete && tx_bytes != rx_bytes) fault = Fault::kSums;
    if (fault == Fault::kNone && !complete && count == kPrefetchPairs) fault = Fault::kTooLong;
  }
  const bool fetch_failed =
      fetch_error_ && count == prefetched_.size() && !complete && fault == Fault::kNone;
  if (!complete && fault == Fault::kNone && !fetch_failed) return false;

  packet.generation = generation_;
  packet.fault = fault;
  packet.fetch_failed = fetch_failed;
  if (packet.stops_ring()) {
    packet.detail =
        fetch_failed ? *fetch_error_ : error_detail(fault, position(taken_ + count - 1));
    blocked_ = true;
    return true;
  }
  packet.bytes = tx_bytes;
  for (std::size_t i = 0; i < count; ++i) {
    const Pair& pair = prefetched_[i];
    Packet::Source source;
    source.address = pair.tx.address;
    source.length = pair.tx.length;
    source.barrier = pair.tx.dmb || pair.rx.dmb;
    packet.sources.push_back(source);
    packet.destinations.push_back({pair.rx.address, pair.rx.length});
  }
  prefetched_.erase(prefetched_.begin(), prefetched_.begin() + static_cast<std::ptrdiff_t>(count));
  taken_ += count;
  return true;
}

std::uint64_t Ring::next_fs(std::uint64_t now_fs) const {
  if (blocked_) return kNever;
  std::uint64_t next = doorbells_.empty() ? kNever : doorbells_.front().effective_fs;
  for (const Pair& pair : prefetched_) {
    if (pair.arrival_fs > now_fs) {
      next = std::min(next, pair.arrival_fs);
      break;
    }
  }
  return next;
}

}  // namespace tern::dma
