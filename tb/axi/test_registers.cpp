// SPDX-License-Identifier: Apache-2.0
// The register port as an AXI4-Lite subordinate: random accesses against a register file.
#include <VAxiLite.h>
#include <fmt/format.h>

#include <map>
#include <optional>
#include <random>
#include <string>

#include "systemc/cosim/rtl_block.h"
#include "tb/axi/bus.h"
#include "tb/common/bench_inputs.h"
#include "tb/common/bench_wave.h"
#include "tb/common/check_mismatch.h"
#include "tb/common/rtl_reset.h"
#include "tb/common/seed.h"

using namespace tern;      // NOLINT: a test uses the names of what it tests
using namespace tern::tb;  // NOLINT

namespace {

// Registers at multiples of 4 below 0x800; those of 0x400 on are read-only.
bool exists(unsigned offset, bool write) {
  return offset % 4 == 0 && offset < (write ? 0x400U : 0x800U);
}

struct Response {
  unsigned code;
  std::uint32_t data;
};

}  // namespace

TEST_CASE("axi registers: random accesses, back-pressure, partial words and resets") {
  std::mt19937_64 random(test_seed());
  cosim::RtlBlock<VAxiLite> block(bench_wave(), "axi_lite_registers");
  VAxiLite& dut = block.model;
  std::string inputs;
  const BenchInputs shown([&] { return inputs; });
  MismatchLog log;
  const auto compare = [&](const char* port, std::uint64_t expected, std::uint64_t got,
                           unsigned bits) {
    log.compare(expected, got, bits, [&] { return Where{fmt::format("port {}", port), inputs}; });
  };
  std::map<unsigned, std::uint32_t> registers;
  std::optional<Response> written, read;
  bool aw = false, w = false, ar = false, write_last = false;
  unsigned pace = 4, accesses = 0;
  const auto reset = [&] {
    reset_between_edges(dut);
    written.reset();
    read.reset();
    aw = w = ar = write_last = false;
    compare("b_valid_o", 0, dut.b_valid_o, 1);
    compare("r_valid_o", 0, dut.r_valid_o, 1);
  };
  dut.rst_ni = 1;
  dut.aw_valid_i = dut.w_valid_i = dut.ar_valid_i = 0;
  reset();
  for (unsigned cycle = 0; cycle < 50000; ++cycle) {
    if (random() % 128 == 0) pace = random() % 9;
    const auto offset = [&] {
      return static_cast<unsigned>(random() % 8 == 0 ? random() % 4096 : random() % 0x840 / 4 * 4);
    };
    if (!aw && random() % 8 < pace) {
      aw = true;
      dut.aw_addr_i = offset();
    }
    if (!w && random() % 8 < pace) {
      w = true;
      dut.w_data_i = static_cast<std::uint32_t>(random());
      dut.w_strb_i = random() % 8 == 0 ? random() % 16 : 15;
    }
    if (!ar && random() % 8 < pace) {
      ar = true;
      dut.ar_addr_i = offset();
    }
    dut.clk_i = 0;
    dut.aw_valid_i = aw;
    dut.w_valid_i = w;
    dut.ar_valid_i = ar;
    dut.b_ready_i = random() % 4 != 0;
    dut.r_ready_i = random() % 4 != 0;
    dut.eval();
    inputs = fmt::format("AW {:d} {:03X}, W {:d} {:08X} {:X}, AR {:d} {:03X}, ready {:d} {:d}", aw,
                         dut.aw_addr_i, w, dut.w_data_i, dut.w_strb_i, ar, dut.ar_addr_i,
                         dut.b_ready_i, dut.r_ready_i);
    // One access a cycle, alternately.
    const bool may_write = aw && w && (!written || dut.b_ready_i != 0);
    const bool may_read = ar && (!read || dut.r_ready_i != 0);
    const bool write = may_write && !(may_read && write_last), reads = may_read && !write;
    const bool whole = dut.w_strb_i == 15;
    compare("aw_ready_o", write, dut.aw_ready_o, 1);
    compare("w_ready_o", write, dut.w_ready_o, 1);
    compare("ar_ready_o", reads, dut.ar_ready_o, 1);
    compare("reg_valid_o", reads || (write && whole), dut.reg_valid_o, 1);
    if (dut.reg_valid_o != 0) compare("reg_write_o", write, dut.reg_write_o, 1);
    const unsigned at = dut.reg_offset_o;
    dut.reg_ok_i = exists(at, dut.reg_write_o != 0);
    dut.reg_data_i = exists(at, false) ? registers[at] : 0;
    dut.eval();
    compare("b_valid_o", written.has_value(), dut.b_valid_o, 1);
    if (written) compare("b_resp_o", written->code, dut.b_resp_o, 2);
    compare("r_valid_o", read.has_value(), dut.r_valid_o, 1);
    if (read) {
      compare("r_resp_o", read->code, dut.r_resp_o, 2);
      compare("r_data_o", read->data, dut.r_data_o, 32);
    }
    const std::uint32_t stored = dut.reg_data_o;
    block.clock.edge();
    if (dut.b_ready_i != 0) written.reset();
    if (dut.r_ready_i != 0) read.reset();
    if (write) {
      const bool good = whole && exists(dut.aw_addr_i, true);
      written = Response{good ? kOkay : kSlvErr, 0};
      if (good) {
        compare("reg_data_o", dut.w_data_i, stored, 32);
        registers[dut.aw_addr_i] = dut.w_data_i;
      }
      aw = w = false;
    }
    if (reads) {
      const bool good = exists(dut.ar_addr_i, false);
      read = Response{good ? kOkay : kSlvErr, good ? registers[dut.ar_addr_i] : 0};
      ar = false;
    }
    if (write || reads) write_last = write;
    accesses += write || reads ? 1 : 0;
    if (random() % 5000 == 0) reset();
  }
  CHECK_NO_MISMATCH(log);
  CHECK(accesses > 5000);
}
