// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>

#include "systemc/dma/descriptor.h"
#include "systemc/dma/packet.h"

namespace tern::dma {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

// A pair of descriptor rings of one engine: doorbells, descriptor prefetch and the checks of whole
// packets.
class Ring {
 public:
  static constexpr unsigned kPrefetchPairs = 64;  // one burst, and the longest packet
  enum Status : std::uint32_t { kIdle = 0, kActive = 1, kStopped = 3 };

  // Reads descriptors; false on an error response. Sets when the data arrive.
  using Read = std::function<bool(std::uint64_t address, std::uint8_t* data, unsigned bytes,
                                  std::uint64_t& arrival_fs)>;

  std::uint64_t tx_base = 0, rx_base = 0;

  // Restarts the ring empty; false when the size is against the rules.
  bool reset(std::uint32_t size);
  // The pairs may be processed from effective_fs on. A fault stops the ring.
  Fault ring_doorbell(unsigned pairs, std::uint64_t rung_fs, std::uint64_t effective_fs);
  void stop();

  std::uint32_t size() const { return size_; }
  std::uint64_t head() const { return head_; }
  std::uint64_t released() const { return tail_; }
  std::uint64_t position(std::uint64_t index) const { return size_ == 0 ? 0 : index % size_; }
  unsigned generation() const { return generation_; }
  Status status() const;
  bool has_work() const { return !blocked_ && taken_ < tail_; }

  // Takes the doorbells that are effective by now and fetches descriptors ahead.
  void advance(std::uint64_t now_fs, const Read& read);
  // The next packet when all its pairs are here by now; also one that stops the ring.
  bool take(std::uint64_t now_fs, Packet& packet);
  // When advance() or take() may have more to do; kNever if only a doorbell helps.
  std::uint64_t next_fs(std::uint64_t now_fs) const;
  void pair_done() { ++head_; }

 private:
  struct Doorbell {
    std::uint64_t rung_fs, effective_fs, tail;
  };
  struct Pair {
    Descriptor tx, rx;
    std::uint64_t arrival_fs;
  };

  Fault check(const Pair& pair, std::uint64_t index, bool starts_packet) const;

  std::uint32_t size_ = 0;
  unsigned generation_ = 0;
  bool stopped_ = false;
  bool blocked_ = false;  // a packet that stops the ring is on its way
  // Pairs since the reset: released, effective, fetched, taken into packets, done.
  std::uint64_t tail_ = 0, visible_ = 0, fetched_ = 0, taken_ = 0, head_ = 0;
  std::optional<Doorbell> hidden_under_;  // the next fetch runs under the start latency of this one
  std::optional<std::uint64_t> fetch_error_;  // address
  std::deque<Doorbell> doorbells_;
  std::deque<Pair> prefetched_;
};

}  // namespace tern::dma
