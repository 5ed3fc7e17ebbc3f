// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "systemc/cosim/link_lockstep.h"
#include "systemc/cosim/link_rtl.h"
#include "systemc/link/flit/link_model.h"
#include "tb/common/bench_wave.h"
#include "tb/datalink/reference.h"

namespace tern::tb {

// One end, RTL and model in lockstep, whose test plays the other end flit by flit.
class SingleEnd {
 public:
  explicit SingleEnd(LinkSize size = LinkSize::kFull)
      : flit_cycles_(link_options(size).flit_cycles),
        end_(std::make_unique<flit::LinkModel>(link_options(size)),
             make_link_rtl(size, bench_wave())) {}

  flit::LinkInputs inputs;  // rx and slot aside
  // Since they were cleared.
  struct Seen {
    std::vector<RefFlit> flits;  // that left it
    std::vector<flit::Packet> packets;
    unsigned bad = 0, duplicates = 0, replays = 0, recoveries = 0, malformed = 0,
             protocol_errors = 0, taken = 0;
  } seen;
  flit::LinkOutputs outputs;  // of the last cycle
  flit::LaneMask dead;        // where its flits are not

  void idle(unsigned cycles) {
    for (; cycles > 0; --cycles) cycle(nullptr, false);
  }
  // A slot in both directions; none from the other end: null.
  void slot(const RefFlit* flit, bool error = false) {
    flit::LaneWords lanes{};
    if (flit != nullptr) lanes = ref_lanes(*flit);
    slot_of(flit != nullptr ? &lanes : nullptr, error);
  }
  void slot_of(const flit::LaneWords* lanes, bool error = false) {
    inputs.slot = true;
    cycle(lanes, error);
    inputs.slot = false;
    for (unsigned i = 1; i < flit_cycles_; ++i) cycle(nullptr, false);
  }
  void slot(const RefFlit& flit) { slot(&flit); }
  // Past the search for lanes and the exchange of credits; the buffers of the other end are `heads`
  // and `data`.
  void start(unsigned heads = 127, unsigned data = 2047) {
    while (!outputs.running) idle(1);
    for (const unsigned type : {0x40u, 0xC0u}) {
      for (unsigned cls = 0; cls < 4; ++cls) {
        RefFlit flit = nop();
        flit.type = type | cls;
        flit.heads = heads;
        flit.data = data;
        slot(flit);
      }
    }
    drain();
    REQUIRE(outputs.up);
    seen = {};
  }
  // What is in the pipelines.
  void drain() { idle(8); }

  // Flits of the other end.
  static RefFlit nop() {
    RefFlit flit;
    flit.type = 0x31;  // no credits
    return flit;
  }
  static RefFlit ack(unsigned number, bool nak = false) {
    RefFlit flit = nop();
    flit.command = nak ? 2 : 1;
    flit.number = number;
    return flit;
  }
  static RefFlit payload(std::uint32_t mark) {
    RefFlit flit = nop();
    flit.usage = 2;
    flit.tlp[0] = 0x80000000 | 1;  // class 0, one double word of data
    flit.tlp[4] = mark;
    return flit;
  }
  static RefFlit numbered(RefFlit flit, unsigned number) {
    flit.command = 0;
    flit.number = number;
    return flit;
  }

 private:
  void cycle(const flit::LaneWords* rx, bool error) {
    inputs.rx = rx;
    inputs.rx_error = error;
    outputs = end_.cycle(inputs);
    if (outputs.tx_valid) seen.flits.push_back(ref_flit(outputs.tx, dead));
    if (outputs.packet) seen.packets.push_back(*outputs.packet);
    if (outputs.ready) {
      ++seen.taken;
      inputs.offer = nullptr;
    }
    seen.bad += outputs.bad;
    seen.duplicates += outputs.duplicate;
    seen.replays += outputs.replay;
    seen.recoveries += outputs.recovery;
    seen.malformed += outputs.malformed;
    seen.protocol_errors += outputs.protocol_error;
  }

  unsigned flit_cycles_;
  LinkLockstep end_;
};

}  // namespace tern::tb
