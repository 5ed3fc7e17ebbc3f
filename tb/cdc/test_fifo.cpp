// SPDX-License-Identifier: Apache-2.0
// The FIFO between foreign clocks: random frequencies and phases, edges at the same time included.
#include <VCdcFifo.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "systemc/cosim/rtl_block.h"
#include "tb/common/bench_inputs.h"
#include "tb/common/bench_wave.h"
#include "tb/common/check_mismatch.h"
#include "tb/common/seed.h"

using namespace tern;      // NOLINT: a test uses the names of what it tests
using namespace tern::tb;  // NOLINT

namespace {

constexpr unsigned kDepth = 8, kStages = 2;

// The FIFO as its README describes it: all words ever written, and how many either side has seen
// of the other one's count, a few edges late.
struct Model {
  std::vector<std::uint16_t> words{};
  std::uint64_t read = 0;
  std::array<std::uint64_t, kStages> writes_seen{}, reads_seen{};

  bool ready() const { return words.size() - reads_seen.back() < kDepth; }
  bool valid() const { return read < writes_seen.back(); }
};

class FifoBench {
 public:
  FifoBench() { reset(); }
  ~FifoBench() { CHECK_NO_MISMATCH(log_); }
  FifoBench(const FifoBench&) = delete;
  FifoBench& operator=(const FifoBench&) = delete;

  void reset() {
    VCdcFifo& dut = rtl_.model;
    dut.write_clk_i = dut.read_clk_i = 0;
    dut.write_rst_ni = dut.read_rst_ni = 1;
    dut.eval();
    dut.write_rst_ni = dut.read_rst_ni = 0;
    dut.eval();
    dut.write_rst_ni = dut.read_rst_ni = 1;
    dut.eval();
    model_ = {};
  }

  // Inputs for the next edges; outputs are compared.
  void offer(bool valid, std::uint16_t word, bool ready) {
    VCdcFifo& dut = rtl_.model;
    dut.write_valid_i = valid;
    dut.write_data_i = word;
    dut.read_ready_i = ready;
    settle();
  }

  // Either clock rises, or both at the same time.
  void rise(bool write, bool read) {
    VCdcFifo& dut = rtl_.model;
    const bool push = write && dut.write_valid_i != 0 && model_.ready();
    const bool pop = read && dut.read_ready_i != 0 && model_.valid();
    const std::uint64_t writes = model_.words.size(), reads = model_.read;
    if (write) {
      dut.write_clk_i = 1;
      shift(model_.reads_seen, reads);
    }
    if (read) {
      dut.read_clk_i = 1;
      shift(model_.writes_seen, writes);
    }
    if (push) model_.words.push_back(dut.write_data_i);
    if (pop) ++model_.read;
    settle();
  }
  void fall(bool write, bool read) {
    if (write) rtl_.model.write_clk_i = 0;
    if (read) rtl_.model.read_clk_i = 0;
    settle();
  }

  const Model& model() const { return model_; }
  VCdcFifo& dut() { return rtl_.model; }

 private:
  static void shift(std::array<std::uint64_t, kStages>& seen, std::uint64_t count) {
    for (unsigned i = kStages - 1; i > 0; --i) seen[i] = seen[i - 1];
    seen[0] = count;
  }
  void settle() {
    VCdcFifo& dut = rtl_.model;
    dut.eval();
    if (wave_) wave_->dump(time_, 0);
    inputs_ = fmt::format("write valid {:d}, word {:04X}, read ready {:d}", dut.write_valid_i,
                          dut.write_data_i, dut.read_ready_i);
    const auto at = [&](const char* port) {
      return [this, port] { return Where{fmt::format("port {}", port), inputs_, time_}; };
    };
    log_.compare(model_.ready(), dut.write_ready_o, 1, at("write_ready_o"));
    log_.compare(model_.valid(), dut.read_valid_o, 1, at("read_valid_o"));
    if (model_.valid()) {
      log_.compare(model_.words[model_.read], dut.read_data_o, 16, at("read_data_o"));
    }
    ++time_;
  }

  cosim::RtlModel<VCdcFifo> rtl_;
  std::unique_ptr<cosim::WaveFile> wave_ = cosim::open_wave(&rtl_.model, bench_wave(), "cdc_fifo");
  Model model_;
  MismatchLog log_;
  std::uint64_t time_ = 0;
  std::string inputs_;
  BenchInputs shown_{[this] { return inputs_; }};
};

void cycle(FifoBench& bench, bool write, bool read) {
  bench.rise(write, read);
  bench.fall(write, read);
}

}  // namespace

TEST_CASE("cdc fifo: every word once and in order, between any two clocks") {
  std::mt19937_64 random(test_seed());
  FifoBench bench;
  for (unsigned trial = 0; trial < 200; ++trial) {
    // Half periods; equal ones make edges at the same time.
    const std::uint64_t half[2] = {1 + random() % 40, random() % 4 == 0 ? 20 : 1 + random() % 40};
    std::uint64_t next[2] = {random() % 40, random() % 40};
    bool high[2] = {};
    const unsigned valid = random() % 9, ready = random() % 9;
    for (unsigned event = 0; event < 400; ++event) {
      const std::uint64_t now = std::min(next[0], next[1]);
      const bool due[2] = {next[0] == now, next[1] == now};
      bool up[2], down[2];
      for (unsigned i = 0; i < 2; ++i) {
        up[i] = due[i] && !high[i];
        down[i] = due[i] && high[i];
        if (!due[i]) continue;
        high[i] = !high[i];
        next[i] += half[i];
      }
      bench.fall(down[0], down[1]);
      bench.offer(random() % 8 < valid, static_cast<std::uint16_t>(random()), random() % 8 < ready);
      bench.rise(up[0], up[1]);
    }
    bench.fall(true, true);
    if (trial % 8 == 7) bench.reset();  // whatever is inside is gone
  }
}

TEST_CASE("cdc fifo: a word is valid after two edges of the reader, and all of Depth fit") {
  FifoBench bench;
  for (unsigned i = 0; i < kDepth; ++i) {
    CHECK(bench.dut().write_ready_o == 1);
    bench.offer(true, static_cast<std::uint16_t>(0x100 + i), false);
    cycle(bench, true, false);
  }
  CHECK(bench.dut().write_ready_o == 0);
  cycle(bench, true, false);  // not taken
  bench.offer(false, 0, true);
  for (unsigned edge = 0; edge < kStages; ++edge) {
    CHECK(bench.dut().read_valid_o == 0);
    cycle(bench, false, true);
  }
  for (unsigned i = 0; i < kDepth; ++i) {
    CHECK(bench.dut().read_valid_o == 1);
    CHECK(bench.dut().read_data_o == 0x100 + i);
    cycle(bench, false, true);
  }
  CHECK(bench.dut().read_valid_o == 0);
  // The writer learns of the free places after two of its own edges.
  for (unsigned edge = 0; edge < kStages; ++edge) {
    CHECK(bench.dut().write_ready_o == 0);
    cycle(bench, true, false);
  }
  CHECK(bench.dut().write_ready_o == 1);
}
