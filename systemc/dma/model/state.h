// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "systemc/dma/model/fixed_queue.h"
#include "systemc/dma/model/packet_scan.h"
#include "systemc/qos/arbiter.h"

namespace tern::dma::model {

// A packet that waits for the arbiter.
struct ReadyPacket : PacketInfo {
  std::uint64_t place = 0;  // of its first pair in the ring's prefetch buffer
  std::uint64_t index = 0;  // of its first pair since the ring was set up
};

// A ring: its registers and its prefetch buffer. Positions are counted, never wrapped.
struct Ring {
  std::uint64_t tx_base = 0, rx_base = 0;
  std::uint32_t size = 0;
  std::uint32_t traffic_class = qos::kClasses - 1;
  std::uint64_t tail = 0, fetched = 0, head = 0;  // pairs since the ring was set up
  bool stopped = false;
  std::uint64_t stop_cycle = kNever;
  unsigned fault = TERN_DMA_FAULT_NONE;
  std::uint32_t fault_index = 0;
  std::uint64_t fault_address = 0;
  std::uint32_t crc = 0;
  unsigned generation = 0;  // changes when the ring is stopped or restarted

  // A fetch or its dropped answers are in flight.
  bool fetching = false;

  // Prefetch buffer: pair p is in places[p % kPrefetchPairs]; freed <= dispatched <= put.
  std::array<Pair, kPrefetchPairs> places{};
  std::uint64_t put = 0, dispatched = 0, freed = 0;

  PacketScan scan;
  bool scan_ended = false;                           // a faulty packet was found
  std::uint64_t packet_place = 0, packet_index = 0;  // of the packet that the scan is reading
  FixedQueue<ReadyPacket, kPrefetchPairs> ready;

  const Pair& at(std::uint64_t place) const { return places[place % kPrefetchPairs]; }
  unsigned room() const { return kPrefetchPairs - static_cast<unsigned>(put - freed); }
  std::uint32_t position(std::uint64_t index) const {
    return static_cast<std::uint32_t>(size == 0 ? index & 0xffffff : index % size);
  }
};

// An entry of the packet table, from dispatch until all its writes are complete.
struct Packet : ReadyPacket {
  unsigned ring = 0;
  unsigned traffic_class = 0;
  std::uint64_t number = 0;          // among those that move bytes
  std::uint64_t begin = 0;           // cycle of its dispatch
  std::uint64_t dead_from = kNever;  // it writes nothing in this cycle and later
  std::uint64_t moved = kNever;      // cycle of its last beat
  unsigned writes = 0;               // tags taken and not answered
  bool read_out_once = false;        // by source or target: the second one frees its slots
};

enum Stage : unsigned {
  kFetchStage,
  kDispatchStage,
  kScanStage,
  kSourceStage,
  kTargetStage,
  kMoverStage,
  kWriteStage,
  kCompletionStage,
  kInputStage,
  kStages
};

// State shared by the stages: rings, packet table, arbiter, and when each stage is next due.
struct State {
  State(const UnitConfig& unit_config, Environment& unit_environment)
      : config(unit_config), environment(unit_environment) {
    wake.fill(kNever);
  }

  // Only the earliest call is kept: a stage that runs too early for what it waits for calls again.
  void wake_at(Stage stage, std::uint64_t cycle) {
    if (cycle < wake[stage]) wake[stage] = cycle;
    if (cycle < next_wake) next_wake = cycle;
  }
  void find_next_wake() {
    next_wake = kNever;
    for (const std::uint64_t cycle : wake) next_wake = cycle < next_wake ? cycle : next_wake;
  }
  Packet& packet(std::uint64_t entry) { return table[entry % kPackets]; }
  bool table_full() const { return newest - oldest == kPackets; }

  // The ring stops, visible from cycle + 1; the first fault is kept.
  void stop(std::uint64_t cycle, unsigned ring, unsigned fault, std::uint32_t index,
            std::uint64_t address);
  // The same for a packet's pair `offset`; nothing if the packet is one of an earlier life.
  void stop_packet(std::uint64_t cycle, std::uint64_t entry, unsigned fault, unsigned offset,
                   std::uint64_t address);
  // Everything that was not dispatched is discarded; the ring's packets are dead from `cycle` on.
  void drop(std::uint64_t cycle, unsigned ring);
  // Source or target has read all pairs of the packet in `cycle`.
  void read_out(std::uint64_t cycle, std::uint64_t entry);

  const UnitConfig config;
  Environment& environment;
  std::array<Ring, kRings> rings;
  std::array<std::uint32_t, kRings> classes{};  // for the arbiter
  std::uint32_t hungry = 0;                     // rings with fetched < tail
  std::uint32_t ready = 0;                      // rings with a ready packet
  std::uint32_t restarting = 0;                 // rings restarted by an input of restart_cycle
  std::uint64_t restart_cycle = kNever;
  qos::Arbiter arbiter{kRings};

  std::array<Packet, kPackets> table;
  std::uint64_t oldest = 0, newest = 0;  // entries in use: oldest .. newest - 1
  std::uint64_t numbers = 0;             // packets dispatched that move bytes

  std::array<std::uint64_t, kStages> wake;
  std::uint64_t next_wake = kNever;  // the earliest of them, while no stage runs
};

}  // namespace tern::dma::model
