// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <random>

#include "systemc/link/flit/data_link.h"

namespace tern::tb {

// What a wire does to flits; chances in 1/65536 for each flit.
struct WireFaults {
  unsigned flip = 0;   // one to four bits are wrong
  unsigned lose = 0;   // the receiver gets no flit
  unsigned burst = 0;  // a burst begins: all flits are bad for a while
  unsigned burst_flits = 8;
  flit::LaneMask dead;  // lanes with random bits
};

// One direction of a link: what goes in comes out `delay` cycles later, spoiled by faults.
class Wire {
 public:
  struct Slot {
    bool valid = false, error = false;
    flit::LaneWords lanes{};
  };

  explicit Wire(unsigned delay) : slots_(delay) {}

  WireFaults faults;

  const Slot& out() const { return slots_.front(); }
  // The next flits are bad.
  void spoil_next(unsigned flits) { burst_left_ = flits; }
  void advance(const flit::LinkOutputs& sender, std::mt19937_64& random) {
    slots_.pop_front();
    Slot& slot = slots_.emplace_back();
    if (!sender.tx_valid) return;
    slot.valid = true;
    slot.lanes = sender.tx;
    spoil(slot, random);
  }
  void clear() { slots_.assign(slots_.size(), {}); }

 private:
  static bool chance(unsigned of, std::mt19937_64& random) {
    return of != 0 && random() % 65536 < of;
  }
  void spoil(Slot& slot, std::mt19937_64& random) {
    if (burst_left_ == 0 && chance(faults.burst, random)) burst_left_ = faults.burst_flits;
    if (burst_left_ > 0) {
      --burst_left_;
      slot.lanes[random() % slot.lanes.size()] = static_cast<std::uint32_t>(random());
      slot.error = true;
    }
    if (chance(faults.lose, random)) {
      slot.lanes.fill(0);
      slot.error = true;
    }
    if (chance(faults.flip, random)) flip(slot, random);
    if (faults.dead.none()) return;
    for (unsigned p = 0; p < flit::kPhysical; ++p) {
      if (!faults.dead[p]) continue;
      slot.lanes[p] = static_cast<std::uint32_t>(random());
    }
  }
  // The last byte of a lane may be of the error correction, which is not looked at.
  void flip(Slot& slot, std::mt19937_64& random) {
    for (std::uint64_t bits = 1 + random() % 4; bits > 0; --bits) {
      slot.lanes[random() % slot.lanes.size()] ^= 1u << random() % 24;
    }
  }

  std::deque<Slot> slots_;
  unsigned burst_left_ = 0;
};

}  // namespace tern::tb
