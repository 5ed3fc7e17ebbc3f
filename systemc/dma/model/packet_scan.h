// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "systemc/dma/model/pair.h"

namespace tern::dma::model {

// The result of the scan for a packet.
struct PacketInfo {
  unsigned pairs = 0;  // pattern slots included
  unsigned op = TERN_DMA_OP_COPY, src_dtype = 0, dst_dtype = 0;
  unsigned crc = 0;
  std::uint32_t expected_crc = 0;
  std::uint32_t bytes = 0;  // of its destinations
  unsigned fault = TERN_DMA_FAULT_NONE;
};

// The checks of rtl/dma/README.md, "Scan", on the pairs of one ring, one at a time. No clock.
class PacketScan {
 public:
  enum class Verdict { kMore, kReady, kFault };

  // phase: the expected ring_id (0 .. 3); kPushed: not checked. After kReady the next pair begins
  // a packet; after kFault only reset() may follow.
  static constexpr unsigned kPushed = 4;
  Verdict check(const Pair& pair, unsigned phase);
  // The packet that check() has just ended, or is reading.
  const PacketInfo& packet() const { return packet_; }
  // The next pair begins a packet.
  bool packet_ended() const { return !inside_; }
  void reset();

 private:
  unsigned fault_of(const Pair& pair, unsigned phase, bool slot);
  unsigned check_flags(const Pair& pair, unsigned phase, bool slot) const;
  unsigned check_operation(const Pair& pair) const;
  unsigned check_alignment(const Pair& pair) const;
  unsigned take_slot(const Pair& pair);
  unsigned check_sums(const Pair& pair);
  unsigned check_end();

  PacketInfo packet_;
  bool inside_ = false;
  unsigned slots_ = 0;                           // pattern slots still to come
  std::uint64_t tx_bytes_ = 0, rx_bytes_ = 0;    // of the packet's pairs, patterns counted
  std::uint64_t pair_tx_ = 0, pair_rx_ = 0;      // of the pair whose slots are being read
  std::uint64_t blocks_tx_ = 0, blocks_rx_ = 0;  // transpose: counts without the first, multiplied
  std::uint32_t first_length_ = 0;               // operations: of source 0
  unsigned first_ext_ = 0;                       // slots of the packet's first pair
  bool first_slot_ = false;
};

unsigned element_bytes(unsigned dtype);

}  // namespace tern::dma::model
