// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <systemc>
#include <utility>
#include <vector>

#include "systemc/dge/copy_expansion.h"
#include "systemc/dge/ring_port.h"
#include "tb/common/test_body.h"
#include "tb/dge/interpret.h"

namespace tern::tb {

// Stands in for 16 DMA engines: records what it receives and when; rooms and heads are settable.
struct RingBench : sc_core::sc_module, dge::RingPort {
  struct Pushed {
    sc_core::sc_time when;
    unsigned engine, ring;
    PairBytes pair;
  };
  struct Rung {
    sc_core::sc_time when;
    unsigned engine, ring, pairs;
  };

  explicit RingBench(sc_core::sc_module_name name) : sc_module(name) {
    SC_HAS_PROCESS(RingBench);
    SC_THREAD(host);
  }
  static const char* bench_name() {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    return "bench";
  }
  void run(std::function<void()> body) { body_.run(std::move(body)); }

  bool push_pair(unsigned engine, unsigned ring, const std::uint8_t* pair) override {
    if (room[engine] == 0) return false;
    --room[engine];
    pushed.push_back({sc_core::sc_time_stamp(), engine, ring, {}});
    std::memcpy(pushed.back().pair.data(), pair, 32);
    return true;
  }
  void doorbell(unsigned engine, unsigned ring, unsigned pairs) override {
    rung.push_back({sc_core::sc_time_stamp(), engine, ring, pairs});
  }
  bool stopped(unsigned engine, unsigned) override { return stopped_engine == int(engine); }
  std::uint32_t head(unsigned engine, unsigned) override {
    return late_head ? late_head(engine) : heads[engine];
  }

  std::array<unsigned, dge::kEngines> room = [] {
    std::array<unsigned, dge::kEngines> all{};
    all.fill(1 << 30);
    return all;
  }();
  std::array<std::uint32_t, dge::kEngines> heads{};
  std::function<std::uint32_t(unsigned engine)> late_head;  // instead of heads
  int stopped_engine = -1;
  std::vector<Pushed> pushed;
  std::vector<Rung> rung;

 private:
  void host() { body_.thread(); }

  TestBody body_;
};

}  // namespace tern::tb
