// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>

#include "systemc/link/flit/layout.h"

namespace tern::flit {

// A packet of one of four classes: three double words of header, up to 64 of data.
struct Packet {
  unsigned cls = 0, dwords = 0;  // of data
  std::array<std::uint32_t, kHeadDwords - 1> head{};
  std::array<std::uint32_t, kMaxData> data{};  // above `dwords`: undefined

  bool operator==(const Packet& other) const;
};

using LaneMask = std::bitset<kPhysical>;
using LaneWords = std::array<std::uint32_t, kPhysical>;  // a flit: four bytes on each lane

// What a packet occupies of a buffer, when it leaves it.
struct Freed {
  unsigned cls = 0, dwords = 0;
};

struct LinkOptions {
  unsigned flit_cycles = 4;     // slots are at least that many cycles apart
  unsigned replay_depth = 128;  // flits, a power of two
  unsigned round_trip = 256;    // slots in which a repeated nak is an old one
  unsigned max_replays = 4;     // in vain, until the link asks for training
  unsigned max_bad = 16;        // slots in a row, likewise
  unsigned head_credits = 32;   // of the buffer of each class: packets
  unsigned data_credits = 256;  // and units of 16 bytes
};

// Of one cycle; rtl/link/README.md describes the ports.
struct LinkInputs {
  bool run = true, load = false;
  LaneMask dead;
  const Packet* offer = nullptr;  // none: null
  std::optional<Freed> freed;
  bool slot = false;
  const LaneWords* rx = nullptr;  // no slot: null
  bool rx_error = false;
};

struct LinkOutputs {
  bool running = false, lanes_short = false, up = false;
  bool ready = false;  // the offer is taken
  std::array<std::uint32_t, kClasses> head_left{}, data_left{};
  std::optional<Packet> packet;
  bool tx_valid = false;
  LaneWords tx{};
  bool bad = false, duplicate = false, replay = false, recovery = false, malformed = false,
       protocol_error = false;
};

// One end of a link, cycle by cycle.
class DataLink {
 public:
  DataLink() = default;
  virtual ~DataLink() = default;
  DataLink(const DataLink&) = delete;
  DataLink& operator=(const DataLink&) = delete;

  // The outputs of this cycle, and on to the next one.
  virtual const LinkOutputs& cycle(const LinkInputs& inputs) = 0;
};

}  // namespace tern::flit
