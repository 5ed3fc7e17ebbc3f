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

// Parameters of the RTL.
struct LinkOptions {
  unsigned flit_cycles = TERN_LINK_FLIT_CYCLES;
  unsigned replay_depth = TERN_LINK_REPLAY_DEPTH;
  unsigned round_trip = TERN_LINK_ROUND_TRIP;
  unsigned max_replays = TERN_LINK_MAX_REPLAYS;
  unsigned max_bad = TERN_LINK_MAX_BAD;
  unsigned head_credits = TERN_LINK_HEAD_CREDITS;
  unsigned data_credits = TERN_LINK_DATA_CREDITS;
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
  DataLink& operator=(const DataLink&) = delete;

  // The outputs of this cycle, and on to the next one.
  virtual const LinkOutputs& cycle(const LinkInputs& inputs) = 0;

 protected:
  DataLink(const DataLink&) = default;  // an end that is only state may be copied
};

}  // namespace tern::flit
