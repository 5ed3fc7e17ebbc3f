// SPDX-License-Identifier: Apache-2.0
// The ports themselves, driven signal by signal: back-pressure of the status port, handshakes,
// waiting of the access port, reset, and the counters.
#include <VTensorTiny.h>

#include <catch2/catch.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "systemc/cosim/generated/tensor_ports.h"
#include "systemc/cosim/port_bits.h"
#include "systemc/cosim/rtl_block.h"
#include "systemc/cosim/tensor_rtl.h"
#include "tb/common/bench_inputs.h"
#include "tb/common/bench_wave.h"
#include "tb/common/port_hex.h"
#include "tb/common/seed.h"
#include "tb/tensor/top/bench/operands.h"
#include "tb/tensor/top/bench/tensor_bench.h"

namespace tern::tb {
namespace {

// All operands are one, so that sums are counts.
class Ports {
 public:
  Ports() {
    dut_.sbuf_bytes_i = 4096;
    dut_.ramp_cycles_i = 0;
    dut_.cmd_valid_i = dut_.access_valid_i = 0;  // ports may begin with any value
    dut_.rst_ni = 1;                             // the reset is an edge
    settle();
    reset();
  }

  void reset() {
    dut_.rst_ni = 0;
    settle();
    dut_.rst_ni = 1;
    for (auto& word : dut_.load_data_i.m_storage) word = 0x3F803F80;
    for (auto& word : dut_.move_data_i.m_storage) word = 0x3F803F80;
    settle();
  }
  void settle() {
    dut_.clk_i = 0;
    dut_.eval();
  }
  void edge() {
    settle();
    block_.clock.edge();
    ++cycle;
    settle();
  }

  // A dense BF16 command; the tile is the whole array.
  void command(unsigned op, unsigned tag, unsigned columns, unsigned bank, unsigned column,
               bool accumulate) {
    tensor_ports::Cmd cmd;
    cmd.op = op;
    cmd.dtype = TERN_DTYPE_BF16;
    cmd.accumulate = accumulate;
    cmd.tag = tag;
    cmd.rows = 32;
    cmd.cols = 16;
    cmd.psum_bank = bank;
    cmd.psum_column = column;
    cmd.num0 = op == TERN_TENSOR_OP_MULTIPLY_MOVING ? columns : cmd.cols;
    cmd.step0 = 1;
    cmd.num1 = 1;
    cmd.pack(dut_.cmd_i);
    dut_.cmd_valid_i = 1;
  }
  void mode(unsigned dtype, unsigned mode) {
    auto cmd = tensor_ports::Cmd::unpack(dut_.cmd_i);
    cmd.dtype = dtype;
    cmd.mode = mode;
    cmd.pack(dut_.cmd_i);
  }
  void access(bool write, unsigned bank, unsigned column) {
    tensor_ports::Access access;
    access.write = write;
    access.bank = bank;
    access.column = column;
    access.count = 16;
    access.pack(dut_.access_i);
    dut_.access_valid_i = 1;
    settle();
  }

  VTensorTiny* operator->() { return &dut_; }
  unsigned cycle = 0;

 private:
  std::string inputs() const {
    return "rst_ni " + port_hex(dut_.rst_ni) + ", cmd_valid_i " + port_hex(dut_.cmd_valid_i) +
           ", cmd_i " + port_hex(dut_.cmd_i) + ", status_ready_i " + port_hex(dut_.status_ready_i) +
           ", access_valid_i " + port_hex(dut_.access_valid_i) + ", access_i " +
           port_hex(dut_.access_i);
  }

  cosim::RtlBlock<VTensorTiny> block_{bench_wave(), "tensor_top"};
  VTensorTiny& dut_ = block_.model;
  BenchInputs inputs_{[this] { return inputs(); }};
};

tensor_ports::Perf counters_of(Ports& ports) {
  return tensor_ports::Perf::unpack(ports->perf_o);
}

bool is_status(Ports& ports, unsigned tag, TensorStatusCode code) {
  const auto status = tensor_ports::Status::unpack(ports->status_o);
  return status.tag == tag && status.code == static_cast<unsigned>(code);
}

}  // namespace

TEST_CASE("tiny: dense multiplies of whole rows read no plane, no tag and no scale") {
  Ports ports;
  ports->status_ready_i = 1;
  ports.command(0, 0, 1, 0, 0, false);
  unsigned moves = 0;
  for (unsigned sent = 0; ports.cycle < 200;) {
    if (sent == 3) ports->cmd_valid_i = 0;
    ports.settle();
    const bool accept = ports->cmd_valid_i != 0 && ports->cmd_ready_o != 0;
    REQUIRE(cosim::get_bits(ports->plane_req_o, 0, 64) == 0);
    REQUIRE(cosim::get_bits(ports->plane_req_o, 64, 32) == 0);
    REQUIRE(ports->load_plane_req_o == 0);
    REQUIRE(ports->tag_req_o == 0);
    REQUIRE(ports->scale_load_req_o == 0);
    REQUIRE(ports->scale_move_req_o == 0);
    moves += ports->move_req_o != 0;
    ports.edge();
    if (!accept) continue;
    ++sent;
    ports.command(1, sent, 4, sent, 0, false);
  }
  REQUIRE(moves != 0);
}

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
      REQUIRE(is_status(ports, tags.front(), TensorStatusCode::kOk));
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
  REQUIRE(counters_of(ports).load_commands == 80);
  REQUIRE(counters_of(ports).move_commands == 320);
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
  REQUIRE(counters_of(ports).busy_cycles == 0);
}

TEST_CASE(
    "tiny: array A reads the weights of partition r r cycles later, moving elements by fours") {
  Ports ports;
  ports->status_ready_i = 1;
  ports.command(0, 1, 1, 0, 0, false);
  ports.edge();  // cycle 1: issue
  ports.command(1, 2, 2, 0, 0, false);
  ports.edge();
  ports->cmd_valid_i = 0;
  // s = 1, four groups: partition r in cycles s+1+r to s+4+r. t = s + 5 = 6, two columns.
  for (; ports.cycle < 50; ports.edge()) {
    std::uint32_t load = 0, move = 0;
    for (unsigned r = 0; r < 32; ++r) {
      if (ports.cycle >= 2 + r && ports.cycle <= 5 + r) load |= 1u << r;
      const unsigned first = 7 + 4 * (r / 4);
      if (ports.cycle == first || ports.cycle == first + 1) move |= 1u << r;
    }
    INFO("cycle " << ports.cycle);
    REQUIRE(static_cast<std::uint32_t>(ports->load_req_o) == load);
    REQUIRE(static_cast<std::uint32_t>(ports->move_req_o) == move);
    REQUIRE(ports->scale_load_req_o == 0);
    REQUIRE(ports->tag_req_o == 0);
  }
}

TEST_CASE("tiny: array X reads the eight partitions of a block in one cycle, and its scales") {
  Ports ports;
  ports->status_ready_i = 1;
  ports.command(0, 1, 1, 0, 0, false);
  ports.mode(20, 3);
  ports.edge();  // cycle 1: issue
  ports.command(1, 2, 2, 0, 0, false);
  ports.mode(20, 3);
  ports.edge();
  ports->cmd_valid_i = 0;
  for (; ports.cycle < 30; ports.edge()) {
    std::uint32_t load = 0, move = 0;
    for (unsigned b = 0; b < 4; ++b) {
      if (ports.cycle >= 2 + b && ports.cycle <= 5 + b) load |= 1u << b;
      if (ports.cycle == 7 + b || ports.cycle == 8 + b) move |= 1u << b;
    }
    INFO("cycle " << ports.cycle);
    for (unsigned p = 0; p < 32; ++p) {
      REQUIRE((static_cast<std::uint32_t>(ports->load_req_o) >> p & 1) == (load >> (p / 8) & 1));
      REQUIRE((static_cast<std::uint32_t>(ports->move_req_o) >> p & 1) == (move >> (p / 8) & 1));
    }
    REQUIRE(static_cast<std::uint32_t>(ports->scale_load_req_o) == load);
    REQUIRE(static_cast<std::uint32_t>(ports->scale_move_req_o) == move);
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
  // t = 6: sums of column n in cycle t + n + R + 2, the read of its PSUM word one cycle earlier.
  unsigned conflicts = 0;
  for (; ports.cycle < 60; ports.edge()) {
    INFO("cycle " << ports.cycle);
    const bool reading = ports.cycle >= 39 && ports.cycle < 39 + 6;
    ports.access(false, 2, 0);
    REQUIRE(ports->access_ready_o == 1);
    ports.access(false, 3, 15);
    REQUIRE(ports->access_ready_o == (reading ? 0 : 1));
    // Port 3, a tile that begins in column group 0.
    const bool writing = ports.cycle >= 40 && ports.cycle < 40 + 6;
    REQUIRE(ports->retire_valid_o == (writing ? 1u << 12 : 0));
    conflicts += reading;
  }
  REQUIRE(counters_of(ports).psum_conflicts == conflicts);
  REQUIRE(conflicts == 6);
}

TEST_CASE("tiny: read data follows an accepted read by one cycle, a write is read back at once") {
  Ports ports;
  for (unsigned i = 0; i < 16; ++i) ports->access_wdata_i.m_storage[i] = 0x11111111 * (i + 1);
  ports.access(true, 5, 9);
  ports.edge();
  REQUIRE(ports->access_rvalid_o == 0);
  ports.access(false, 5, 9);  // the write is still in its second stage
  ports.edge();
  ports->access_valid_i = 0;
  REQUIRE(ports->access_rvalid_o == 1);
  for (unsigned i = 0; i < 16; ++i)
    REQUIRE(ports->access_rdata_o.m_storage[i] == 0x11111111 * (i + 1));
  ports.edge();
  REQUIRE(ports->access_rvalid_o == 0);
}

TEST_CASE("tiny: reset in the middle of work leaves nothing in flight") {
  Ports ports;
  ports->status_ready_i = 1;
  ports.command(0, 1, 1, 0, 0, false);
  ports.edge();
  ports.command(1, 2, 16, 0, 0, false);
  for (int i = 0; i < 12; ++i) ports.edge();
  REQUIRE(ports->move_req_o != 0);
  ports->cmd_valid_i = 0;
  ports.reset();
  for (int i = 0; i < 60; ++i) {
    REQUIRE(ports->move_req_o == 0);
    REQUIRE(ports->retire_valid_o == 0);
    REQUIRE(ports->status_valid_o == 0);
    ports.edge();
  }
  REQUIRE(counters_of(ports).busy_cycles == 0);
  // Weights loaded before the reset do not count.
  ports.command(1, 3, 1, 0, 0, false);
  ports.edge();
  ports->cmd_valid_i = 0;
  ports.edge();
  REQUIRE(ports->status_valid_o == 1);
  REQUIRE(is_status(ports, 3, TensorStatusCode::kNoStationary));
}

TEST_CASE("tiny: counters of a program with known counts") {
  TensorBench bench("tiny");
  const TensorCommand load = bench.load(0, 32, 16, 0), part = bench.load(8, 3, 5, 64);
  TensorCommand x = bench.load(0, 32, 16, 0, TensorType::kE4m3fnX4);
  x.mode = TensorMode::kMx;
  TensorCommand rows = bench.load(0, 16, 9, 0, TensorType::kE5m2);
  rows.mode = TensorMode::kDoubleRow;
  auto bad = load;
  bad.rows = 0;
  const auto statuses =
      bench.run({load, bench.move(load, 10, 0, 0, 0), bad, part, bench.move(part, 3, 0, 1, 0)});
  TensorCounters counters = bench.counters();
  REQUIRE(counters.load_commands == 2);
  REQUIRE(counters.move_commands == 2);
  REQUIRE(counters.errors == 1);
  REQUIRE(counters.moving_columns == 13);
  REQUIRE(counters.macs == 10 * 512 + 3 * 15);
  // Busy from the cycle after the first push to that of the last status, which counts when it ends:
  // the clock has stopped before.
  REQUIRE(counters.busy_cycles == statuses.back().retire - 1);
  // The first multiply waits in cycles 2 to 5 for the four groups of its weights; the second one
  // for the interval.
  REQUIRE(counters.weight_stalls == 4);
  REQUIRE(counters.psum_conflicts == 0);
  // The clock is stopped when there is no work and nothing is left to wait for.
  const auto& rtl = dynamic_cast<const TensorRtl&>(bench.engine());
  const std::uint64_t simulated = statuses.back().retire;
  REQUIRE(rtl.cycles_simulated() == simulated);
  bench.engine().skip_to(bench.engine().cycle() + 1000000);
  REQUIRE(rtl.cycles_simulated() == simulated + 32);
  REQUIRE(bench.engine().next_event() == TensorDatapath::kIdle);
  bench.run({x, bench.move(x, 2, 0, 0, 0, false, x.type), rows,
             bench.move(rows, 3, 0, 0, 0, false, rows.type),
             bench.transpose(0, 32, 16, 0, 2, 0, TensorType::kBf16)});
  counters = bench.counters();
  REQUIRE(counters.load_commands == 5);
  REQUIRE(counters.move_commands == 4);
  REQUIRE(counters.moving_columns == 13 + 5);
  REQUIRE(counters.macs == 10 * 512 + 3 * 15 + 2 * 4 * 512 + 3 * 2 * 16 * 9);
}

}  // namespace tern::tb
