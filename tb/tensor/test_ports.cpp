// SPDX-License-Identifier: Apache-2.0
// The ports themselves, driven signal by signal: back-pressure of the status port, handshakes,
// waiting of the access port, reset, and the counters.
#include <VTensorTiny.h>

#include <catch2/catch.hpp>
#include <deque>
#include <functional>
#include <memory>

#include "systemc/cosim/verilated_ports.h"
#include "systemc/cosim/wave_file.h"
#include "tb/common/seed.h"
#include "tb/tensor/operands.h"
#include "tb/tensor/tensor_bench.h"

namespace tern::tb {
namespace {

// All operands are one, so that sums are counts.
class Ports {
 public:
  Ports() : dut_(&context_, "rtl") {
    if (const WaveOptions wave = wave_of_environment(); !wave.file.empty()) {
      context_.traceEverOn(true);
      wave_ = std::make_unique<cosim::WaveFile>(wave, "rtl", "tensor_top",
                                                [this](auto* fst) { dut_.trace(fst, 99); });
    }
    dut_.sbuf_bytes_i = 4096;
    reset();
  }
  ~Ports() { wave_.reset(); }

  void reset() {
    dut_.rst_ni = 0;
    settle();
    dut_.rst_ni = 1;
    for (unsigned i = 0; i < 16; ++i) dut_.load_data_i.m_storage[i] = 0x3F803F80;
    for (unsigned i = 0; i < 4; ++i) dut_.move_data_i.m_storage[i] = 0x3F803F80;
    settle();
  }
  void settle() {
    dut_.clk_i = 0;
    dut_.eval();
  }
  void edge() {
    settle();
    dut_.clk_i = 1;
    dut_.eval();
    ++cycle;
    if (wave_) wave_->dump(cycle, 0);
    settle();
    if (wave_) wave_->dump(cycle, 1);
  }

  // Fields of a command; the tile is the whole array.
  void command(unsigned op, unsigned tag, unsigned columns, unsigned bank, unsigned column,
               bool accumulate) {
    auto& word = dut_.cmd_i.m_storage;
    word[4] = op << 28 | 6u << 24 | tag << 16 | 8;
    word[3] = 8u << 24 | bank << 17 | std::uint32_t{accumulate} << 16 | column;
    word[2] = 0;
    word[1] = columns << 16 | 1;
    word[0] = 1u << 16;
    dut_.cmd_valid_i = 1;
  }
  void access(bool write, unsigned bank, unsigned column) {
    dut_.access_i =
        std::uint64_t{write} << 39 | std::uint64_t{bank} << 32 | std::uint64_t{column} << 16 | 8;
    dut_.access_valid_i = 1;
    settle();
  }

  VTensorTiny* operator->() { return &dut_; }
  unsigned cycle = 0;

 private:
  VerilatedContext context_;
  VTensorTiny dut_;
  std::unique_ptr<cosim::WaveFile> wave_;
};

std::uint64_t counter(Ports& ports, unsigned i) {
  return std::uint64_t{cosim::port_word(ports->perf_o, 15 - 2 * i)} << 32 |
         cosim::port_word(ports->perf_o, 14 - 2 * i);
}

}  // namespace

TEST_CASE(
    "tiny: a status waits for its taker, unchanged, and blocks the command port when 16 wait") {
  Ports ports;
  Random random(test_seed());
  std::deque<unsigned> tags;
  unsigned sent = 0, taken = 0, full = 0;
  bool was_waiting = false;
  unsigned waiting_status = 0;
  ports.command(0, 0, 1, 0, 0, false);
  while (taken < 400) {
    REQUIRE(ports.cycle < 60000);
    // Long stretches without a taker, then some with.
    ports->status_ready_i = (ports.cycle / 150) % 2 != 0 && below(random, 3) != 0;
    ports->cmd_valid_i = sent < 400 && below(random, 4) != 0;
    ports.settle();
    if (was_waiting) {
      REQUIRE(ports->status_valid_o == 1);
      REQUIRE(ports->status_o == waiting_status);
    }
    REQUIRE((ports->cmd_ready_o != 0) == (tags.size() < 16));
    full += tags.size() == 16;
    const bool accept = ports->cmd_valid_i != 0 && ports->cmd_ready_o != 0;
    const bool take = ports->status_valid_o != 0 && ports->status_ready_i != 0;
    was_waiting = ports->status_valid_o != 0 && !take;
    waiting_status = ports->status_o;
    if (take) {
      REQUIRE(!tags.empty());
      REQUIRE(ports->status_o == (tags.front() << 4));
      tags.pop_front();
      ++taken;
    }
    if (accept) tags.push_back(sent & 0xFF);
    ports.edge();
    if (accept) {
      ++sent;
      ports.command(sent % 5 == 0 ? 0 : 1, sent & 0xFF, 1 + sent % 3, sent % 8, sent % 13,
                    sent % 2 != 0);
    }
  }
  REQUIRE(full > 100);
  REQUIRE(counter(ports, 1) == 80);
  REQUIRE(counter(ports, 2) == 320);
}

TEST_CASE("tiny: a command offered without being taken has no effect") {
  Ports ports;
  ports->status_ready_i = 1;
  ports.command(0, 1, 1, 0, 0, false);
  ports.settle();
  ports->cmd_valid_i = 0;
  for (int i = 0; i < 40; ++i) {
    ports.edge();
    REQUIRE(ports->status_valid_o == 0);
    REQUIRE(ports->load_req_o == 0);
  }
  REQUIRE(counter(ports, 0) == 0);
}

TEST_CASE("tiny: partition r is read r cycles after partition 0") {
  Ports ports;
  ports->status_ready_i = 1;
  ports.command(0, 1, 1, 0, 0, false);
  ports.edge();  // cycle 1: issue
  ports.command(1, 2, 2, 0, 0, false);
  ports.edge();
  ports->cmd_valid_i = 0;
  // s = 1, two groups: partition r in cycles s+1+r and s+2+r. t = s + 3 = 4, two columns.
  for (; ports.cycle < 20; ports.edge()) {
    unsigned load = 0, move = 0;
    for (unsigned r = 0; r < 8; ++r) {
      if (ports.cycle == 2 + r || ports.cycle == 3 + r) load |= 1u << r;
      if (ports.cycle == 5 + r || ports.cycle == 6 + r) move |= 1u << r;
    }
    INFO("cycle " << ports.cycle);
    REQUIRE(static_cast<unsigned>(ports->load_req_o) == load);
    REQUIRE(static_cast<unsigned>(ports->move_req_o) == move);
  }
}

TEST_CASE("tiny: the access port waits exactly while the array reads the same bank") {
  Ports ports;
  ports->status_ready_i = 1;
  ports.command(0, 1, 1, 0, 0, false);
  ports.edge();
  ports.command(1, 2, 6, 3, 2, false);
  ports.edge();
  ports->cmd_valid_i = 0;
  // t = 4: sums of column n in cycle t + n + R + 2, the read of its PSUM word one cycle earlier.
  unsigned conflicts = 0;
  for (; ports.cycle < 30; ports.edge()) {
    INFO("cycle " << ports.cycle);
    const bool reading = ports.cycle >= 4 + 8 + 1 && ports.cycle < 4 + 8 + 1 + 6;
    ports.access(false, 2, 0);
    REQUIRE(ports->access_ready_o == 1);
    ports.access(false, 3, 15);
    REQUIRE(ports->access_ready_o == (reading ? 0 : 1));
    REQUIRE(ports->retire_valid_o == (ports.cycle >= 14 && ports.cycle < 20 ? 1 : 0));
    conflicts += reading;
  }
  REQUIRE(counter(ports, 6) == conflicts);
  REQUIRE(conflicts == 6);
}

TEST_CASE("tiny: read data follows an accepted read by one cycle, a write is read back at once") {
  Ports ports;
  for (unsigned i = 0; i < 8; ++i) ports->access_wdata_i.m_storage[i] = 0x11111111 * (i + 1);
  ports.access(true, 5, 9);
  ports.edge();
  REQUIRE(ports->access_rvalid_o == 0);
  ports.access(false, 5, 9);  // the write is still in its second stage
  ports.edge();
  ports->access_valid_i = 0;
  REQUIRE(ports->access_rvalid_o == 1);
  for (unsigned i = 0; i < 8; ++i)
    REQUIRE(ports->access_rdata_o.m_storage[i] == 0x11111111 * (i + 1));
  ports.edge();
  REQUIRE(ports->access_rvalid_o == 0);
}

TEST_CASE("tiny: reset in the middle of work leaves nothing under way") {
  Ports ports;
  ports->status_ready_i = 1;
  ports.command(0, 1, 1, 0, 0, false);
  ports.edge();
  ports.command(1, 2, 16, 0, 0, false);
  for (int i = 0; i < 9; ++i) ports.edge();
  REQUIRE(ports->move_req_o != 0);
  ports->cmd_valid_i = 0;
  ports.reset();
  for (int i = 0; i < 60; ++i) {
    REQUIRE(ports->move_req_o == 0);
    REQUIRE(ports->retire_valid_o == 0);
    REQUIRE(ports->status_valid_o == 0);
    ports.edge();
  }
  REQUIRE(counter(ports, 0) == 0);
  // Weights loaded before the reset do not count.
  ports.command(1, 3, 1, 0, 0, false);
  ports.edge();
  ports->cmd_valid_i = 0;
  ports.edge();
  REQUIRE(ports->status_valid_o == 1);
  REQUIRE(ports->status_o == (3u << 4 | static_cast<unsigned>(TensorStatusCode::kNoStationary)));
}

TEST_CASE("tiny: counters of a program with known counts") {
  TensorBench bench("tiny");
  const TensorCommand load = bench.load(0, 8, 8, 0), part = bench.load(4, 3, 5, 64);
  auto bad = load;
  bad.rows = 0;
  // Cycles 0..7: pushes. Loads at 1, moves as the issue rules say.
  const auto statuses =
      bench.run({load, bench.move(load, 10, 0, 0, 0), bad, part, bench.move(part, 3, 0, 1, 0)});
  const TensorRtlCounters counters = bench.rtl().counters();
  REQUIRE(counters.load_commands == 2);
  REQUIRE(counters.move_commands == 2);
  REQUIRE(counters.errors == 1);
  REQUIRE(counters.moving_columns == 13);
  REQUIRE(counters.macs == 10 * 64 + 3 * 15);
  // Busy from the cycle after the first push to that of the last status, which counts when it ends:
  // the clock has stopped before.
  REQUIRE(counters.busy_cycles == statuses.back().retire - 1);
  // The first multiply waits in cycles 2 and 3 for the two groups of its weights; the second one
  // for the interval.
  REQUIRE(counters.weight_stalls == 2);
  REQUIRE(counters.psum_conflicts == 0);
  // The clock stands still when there is no work.
  REQUIRE(bench.rtl().cycles_simulated() == statuses.back().retire);
  bench.rtl().skip_to(bench.rtl().cycle() + 1000000);
  REQUIRE(bench.rtl().cycles_simulated() == statuses.back().retire);
  REQUIRE(bench.rtl().next_event() == TensorDatapath::kIdle);
}

}  // namespace tern::tb
