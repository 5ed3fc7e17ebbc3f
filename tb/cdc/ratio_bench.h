// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <random>
#include <string>

#include "systemc/cosim/rtl_block.h"
#include "tb/cdc/ratio_model.h"
#include "tb/common/bench_inputs.h"
#include "tb/common/bench_wave.h"
#include "tb/common/check_mismatch.h"
#include "tb/common/rtl_reset.h"

namespace tern::tb {

// What a bench of either direction has: the block, its clock and what differs from the model.
template <typename Dut, typename Model>
class RatioBench {
 public:
  RatioBench(const char* top, unsigned ratio) : ratio_(ratio), block_(bench_wave(), top) {
    block_.model.rst_ni = 1;
    reset();
  }
  ~RatioBench() { CHECK_NO_MISMATCH(log_); }
  RatioBench(const RatioBench&) = delete;
  RatioBench& operator=(const RatioBench&) = delete;

  void reset() {
    reset_between_edges(block_.model);
    model_ = Model{ratio_};
  }
  Dut& dut() { return block_.model; }
  Model& model() { return model_; }

 protected:
  void compare(const char* port, std::uint64_t expected, std::uint64_t got, unsigned bits) {
    log_.compare(expected, got, bits, [&] { return Where{fmt::format("port {}", port), inputs_}; });
  }
  void compare_words(const Words& expected, std::uint64_t got) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      log_.compare(expected[i], got >> 8 * i & 0xff, 8, [&] {
        return Where{fmt::format("port data_o, word {}", i), inputs_};
      });
    }
  }
  void edge() { block_.clock.edge(); }

  std::string inputs_;
  unsigned ratio_;

 private:
  cosim::RtlBlock<Dut> block_;
  Model model_{0};
  MismatchLog log_;
  BenchInputs shown_{[this] { return inputs_; }};
};

// cdc_down: a cycle of the fast clock. ready of the slow side may change only after its edge.
template <typename Dut>
class DownBench : public RatioBench<Dut, DownModel> {
 public:
  explicit DownBench(unsigned ratio) : RatioBench<Dut, DownModel>("cdc_down", ratio) {}

  void step(bool slow_edge, bool valid, std::uint8_t word, bool slow_ready) {
    Dut& dut = this->dut();
    DownModel& model = this->model();
    this->inputs_ = fmt::format("edge {:d}, valid {:d}, word {:02X}, ready of the slow side {:d}",
                                slow_edge, valid, word, slow_ready);
    dut.clk_i = 0;
    dut.edge_i = slow_edge;
    dut.valid_i = valid;
    dut.data_i = word;
    dut.ready_i = slow_ready;
    dut.eval();
    this->compare("ready_o", model.ready(slow_edge, slow_ready), dut.ready_o, 1);
    this->compare("valid_o", !model.offered.empty(), dut.valid_o, 1);
    this->compare("count_o", model.offered.size(), dut.count_o, 3);
    this->compare_words(model.offered, dut.data_o);
    this->edge();
    model.tick(slow_edge, valid, word, slow_ready);
  }
};

template <typename Dut>
class UpBench : public RatioBench<Dut, UpModel> {
 public:
  explicit UpBench(unsigned ratio) : RatioBench<Dut, UpModel>("cdc_up", ratio) {}

  void step(bool slow_edge, bool valid, const Words& words, bool fast_ready) {
    Dut& dut = this->dut();
    UpModel& model = this->model();
    std::uint64_t data = 0x5A5A5A5A;  // above the words: anything
    for (std::size_t i = 0; i < words.size(); ++i) {
      data = (data & ~(0xffULL << 8 * i)) | std::uint64_t{words[i]} << 8 * i;
    }
    this->inputs_ =
        fmt::format("edge {:d}, valid {:d}, {} words {:08X}, ready of the fast side {:d}",
                    slow_edge, valid, words.size(), data, fast_ready);
    dut.clk_i = 0;
    dut.edge_i = slow_edge;
    dut.valid_i = valid;
    dut.count_i = words.size();
    dut.data_i = data;
    dut.ready_i = fast_ready;
    dut.eval();
    this->compare("ready_o", model.ready, dut.ready_o, 1);
    this->compare("valid_o", !model.waiting.empty(), dut.valid_o, 1);
    if (!model.waiting.empty()) this->compare("data_o", model.waiting.front(), dut.data_o, 8);
    this->edge();
    model.tick(slow_edge, valid, words, fast_ready);
  }
};

}  // namespace tern::tb
