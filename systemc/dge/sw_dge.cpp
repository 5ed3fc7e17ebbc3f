// SPDX-License-Identifier: Apache-2.0
#include "systemc/dge/sw_dge.h"

#include <algorithm>
#include <cstring>

#include "sw/base/math.h"
#include "sw/spec/access_pattern.h"

namespace tern::dge {

namespace {

constexpr std::uint64_t kLookAgain = 64;  // cycles, while a ring is full
constexpr unsigned kProcessors = 8;       // make descriptors at the same time
constexpr std::uint64_t kFirstPass = 1;   // ring id of the first pass through a ring
constexpr std::size_t kFieldRing = offsetof(tern_instr_dma_indirect_t, ring);

}  // namespace

IndirectPairs expand_indirect(const tern_instr_dma_indirect_t& in, unsigned core,
                              const SbufAccess& sbuf) {
  IndirectPairs result;
  const AccessPattern tile(tern_ap_t{in.tile, 1, 1, 1, 0});
  const AccessPattern index(tern_ap_t{in.index, 1, 1, 1, 0});
  const std::uint64_t table = std::uint64_t{in.table_hi} << 32 | in.table_lo;
  const std::uint64_t rows = TERN_CORE_BASE + core * TERN_CORE_STRIDE + TERN_CORE_SBUF_BASE +
                             tile.partition * TERN_CORE_SBUF_STRIDE + tile.byte;
  DescriptorOperation operation;
  operation.write_op = in.write_op;
  std::array<std::uint32_t, kEngines> bytes{};
  std::array<unsigned, kEngines> pairs{};
  for (unsigned i = 0; i < in.partitions; ++i) {
    std::uint32_t row = 0;
    std::memcpy(&row, sbuf.partition(index.partition + i) + index.byte, sizeof row);
    if (row >= in.rows) {
      if (in.bounds == TERN_BOUNDS_MODE_SKIP) continue;
      result.fault = IndirectFault{TERN_ERROR_DMA_INDEX, i, row};
      return result;
    }
    const unsigned engine = in.partitions < kEngines ? i : i * kEngines / in.partitions;
    std::vector<MadePair>& list = result.engines[engine];
    if (list.empty() || pairs[engine] == kPairsPerPacket ||
        bytes[engine] + in.length > kPacketBytes) {
      if (!list.empty()) list.back().tx.last = list.back().rx.last = true;
      pairs[engine] = bytes[engine] = 0;
    }
    const std::uint64_t in_table = table + std::uint64_t{row} * in.pitch;
    const std::uint64_t in_tile = rows + i * TERN_CORE_SBUF_STRIDE;
    const bool gather = in.direction == TERN_DMA_DIRECTION_GATHER;
    MadePair pair;
    pair.engine = engine;
    pair.tx.length = pair.rx.length = in.length;
    pair.tx.address = gather ? in_table : in_tile;
    pair.rx.address = gather ? in_tile : in_table;
    pair.rx.word1 = operation.word();
    pair.tx.first = pair.rx.first = pairs[engine] == 0;
    list.push_back(pair);
    pairs[engine] += 1;
    bytes[engine] += in.length;
  }
  const std::uint64_t semaphore = semaphore_register(core, in.semaphore);
  for (unsigned e = 0; e < kEngines; ++e) {
    std::vector<MadePair>& list = result.engines[e];
    if (!list.empty()) list.back().tx.last = list.back().rx.last = true;
    list.push_back(increment_pair(e, semaphore));
  }
  return result;
}

SwDge::SwDge(const DmaConfig& config, double clock_ghz, unsigned core, SbufAccess sbuf,
             std::uint64_t partition_bytes, RingPort& rings)
    : start_cycles_(config.swdge_start_cycles),
      row_cycles_(config.swdge_row_cycles),
      clock_(clock_ghz),
      core_(core),
      sbuf_(sbuf),
      partition_bytes_(partition_bytes),
      port_(rings) {}

// Bytes of a partition of this core's SBUF, or null.
std::uint8_t* SwDge::place(std::uint64_t address, std::uint64_t bytes) const {
  const std::uint64_t base = TERN_CORE_BASE + core_ * TERN_CORE_STRIDE + TERN_CORE_SBUF_BASE;
  if (address < base || address >= base + TERN_CORE_SBUF_COUNT * TERN_CORE_SBUF_STRIDE) {
    return nullptr;
  }
  const std::uint64_t byte = (address - base) % TERN_CORE_SBUF_STRIDE;
  if (bytes > partition_bytes_ || byte > partition_bytes_ - bytes) return nullptr;
  return sbuf_.partition(static_cast<unsigned>((address - base) / TERN_CORE_SBUF_STRIDE)) + byte;
}

void SwDge::find_lists(Ring& ring) const {
  const std::uint64_t bytes = std::uint64_t{ring.size} * TERN_DESCRIPTOR_BYTES;
  ring.tx = place(ring.tx_at_size, bytes);
  ring.rx = place(ring.rx_at_size, bytes);
}

void SwDge::archive_state(base::StateArchive& archive) {
  for (auto& engine : rings_) {
    for (Ring& ring : engine) {
      archive.numbers(ring.tx_base, ring.rx_base, ring.tx_at_size, ring.rx_at_size, ring.size,
                      ring.written);
      find_lists(ring);
    }
  }
}

void SwDge::register_written(unsigned engine, std::uint32_t offset, std::uint32_t value) {
  constexpr std::uint32_t kStride = TERN_REG_DMA_RING_SIZE_STRIDE;
  if (offset >= kStride * TERN_REG_DMA_RING_SIZE_COUNT) return;
  Ring& ring = rings_.at(engine)[offset / kStride];
  const auto half = [&](std::uint64_t* base, bool high) {
    const unsigned shift = high ? 32 : 0;
    *base = (*base & ~(std::uint64_t{0xFFFFFFFF} << shift)) | std::uint64_t{value} << shift;
  };
  switch (offset % kStride) {
    case TERN_REG_DMA_RING_TX_BASE:
    case TERN_REG_DMA_RING_TX_BASE + 4:
      half(&ring.tx_base, offset % kStride != TERN_REG_DMA_RING_TX_BASE);
      break;
    case TERN_REG_DMA_RING_RX_BASE:
    case TERN_REG_DMA_RING_RX_BASE + 4:
      half(&ring.rx_base, offset % kStride != TERN_REG_DMA_RING_RX_BASE);
      break;
    case TERN_REG_DMA_RING_SIZE: {
      ring.size = value;
      ring.tx_at_size = ring.tx_base;
      ring.rx_at_size = ring.rx_base;
      find_lists(ring);
      ring.written = 0;
      break;
    }
    default:
      break;
  }
}

void SwDge::write(Ring& ring, const MadePair& made) {
  const std::uint64_t at = ring.written % ring.size * TERN_DESCRIPTOR_BYTES;
  MadePair pair = made;
  pair.tx.ring_id = pair.rx.ring_id = (kFirstPass + ring.written / ring.size) % 4;
  pack_descriptor(ring.tx + at, pair.tx);
  pack_descriptor(ring.rx + at, pair.rx);
  ++ring.written;
}

// The processors work at the same time, each for two engines; the descriptors are ready when the
// slowest has finished.
std::optional<IndirectFault> SwDge::execute(const tern_instr_dma_indirect_t& in) {
  std::uint64_t cycle = clock_.now() + start_cycles_;
  IndirectPairs made = expand_indirect(in, core_, sbuf_);
  cycle += ceil_div(in.partitions, kProcessors) * row_cycles_;
  clock_.wait_for(cycle);
  if (made.fault) return made.fault;
  for (unsigned e = 0; e < kEngines; ++e) {
    Ring& ring = rings_[e][in.ring];
    const std::vector<MadePair>& pairs = made.engines[e];
    if (ring.tx == nullptr || ring.rx == nullptr || pairs.size() > ring.size) {
      return IndirectFault{TERN_ERROR_ILLEGAL_FIELD, kFieldRing, 0};
    }
  }
  for (unsigned e = 0; e < kEngines; ++e) {
    Ring& ring = rings_[e][in.ring];
    const std::vector<MadePair>& pairs = made.engines[e];
    const auto room = [&] {
      const auto waiting = static_cast<std::uint32_t>(ring.written) - port_.head(e, in.ring);
      return waiting + pairs.size() <= ring.size;
    };
    while (!port_.stopped(e, in.ring) && !room()) {
      cycle += kLookAgain;
      clock_.wait_for(cycle);
    }
    if (port_.stopped(e, in.ring)) continue;  // its error is in the core's registers
    for (const MadePair& pair : pairs) write(ring, pair);
    port_.doorbell(e, in.ring, static_cast<unsigned>(pairs.size()));
  }
  return std::nullopt;
}

}  // namespace tern::dge
