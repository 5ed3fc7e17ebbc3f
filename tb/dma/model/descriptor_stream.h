// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "systemc/dma/model/pair.h"

namespace tern::tb {

// The input of a scan, as bytes: records of 33 bytes, a header and a pair (TX, RX; 16 bytes each).
// A rest of less than a record is ignored.
constexpr std::size_t kRecordBytes = 33;
// Header: bits 3..0 the ring.
constexpr std::uint8_t kRecordRestart = 0x10;  // the ring is set up again; the pair is not used
constexpr std::uint8_t kRecordPushed = 0x20;   // made by hardware: ring_id is not checked
constexpr std::uint8_t kRecordPhase = 0x80;    // ring_id is corrected in both descriptors

using Bytes = std::vector<std::uint8_t>;

struct GoodPacket {
  std::vector<dma::model::Pair> pairs;
  std::uint32_t bytes = 0;  // of its destinations
};
// A packet that follows all rules of rtl/dma/README.md, of any operation; ring_id is not set.
GoodPacket random_packet(std::mt19937_64& random);

// Packets of several rings, pairs in rotation, all valid. `packets` and `bytes`: what a
// scan must find.
struct GoodStream {
  Bytes records;
  unsigned packets = 0;
  std::uint64_t bytes = 0;
};
GoodStream random_stream(std::mt19937_64& random, unsigned packets);

void put_record(Bytes& records, std::uint8_t header, const dma::model::Pair& pair);

// A few small changes: bits, fields at their borders, records lost, doubled or in another order.
void mutate_stream(Bytes& records, std::mt19937_64& random);

}  // namespace tern::tb
