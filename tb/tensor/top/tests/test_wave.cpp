// SPDX-License-Identifier: Apache-2.0
// Waveforms: window, scope, the final name.
#include <catch2/catch.hpp>
#include <filesystem>
#include <memory>
#include <set>

#include "sw/base/user_error.h"
#include "systemc/cosim/tensor_rtl.h"
#include "tb/common/fst_signals.h"
#include "tb/common/temp_folder.h"
#include "tb/tensor/top/bench/test_sbuf.h"

namespace tern::tb {
namespace {

struct Fst {
  explicit Fst(const std::string& file) : reader(fstReaderOpen(file.c_str()), fstReaderClose) {
    REQUIRE(reader != nullptr);
    signals = fst_signals(reader.get());
  }
  std::uint64_t first() const { return fstReaderGetStartTime(reader.get()); }
  std::uint64_t last() const { return fstReaderGetEndTime(reader.get()); }

  std::unique_ptr<void, void (*)(void*)> reader;
  std::set<std::string> signals;
};

void record(const WaveOptions& wave) {
  TestSbuf sbuf(32, 4096);
  TensorRtlOptions options;
  options.config = "tiny";
  options.sbuf = sbuf.view();
  options.sbuf_bytes = 4096;
  options.wave = wave;
  const auto rtl = make_tensor_rtl(options);
  TensorCommand load;
  load.rows = 32;
  load.cols = load.num0 = 16;
  TensorCommand move = load;
  move.op = TensorOp::kMultiplyMoving;
  move.num0 = 16;
  for (const TensorCommand& command : {load, move, move, move}) {
    rtl->push(command);
    rtl->advance_to(rtl->cycle() + 1);
  }
  while (rtl->next_event() != TensorDatapath::kIdle) rtl->advance_to(rtl->next_event());
  REQUIRE(!std::filesystem::exists(wave.file));  // not before it is complete
  REQUIRE(std::filesystem::exists(wave.file + ".partial"));
}

}  // namespace

TEST_CASE("wave: the file appears when complete, one nanosecond per cycle, within its window") {
  const TempFolder folder;
  WaveOptions wave;
  wave.file = folder.path("all.fst");
  record(wave);
  REQUIRE(!std::filesystem::exists(wave.file + ".partial"));
  const Fst all(wave.file);
  REQUIRE(all.signals.count("rtl.tensor_top.u_psum.done_q") == 1);
  REQUIRE(all.last() > 60 * 1000);

  wave.file = folder.path("window.fst");
  wave.from_cycle = 10;
  wave.to_cycle = 20;
  record(wave);
  const Fst window(wave.file);
  REQUIRE(window.first() == 10 * 1000);
  REQUIRE(window.last() == 20 * 1000 + 500);
}

TEST_CASE("wave: only the requested scope") {
  const TempFolder folder;
  WaveOptions wave;
  wave.file = folder.path("scope.fst");
  wave.scope = "u_ctrl.u_load_seq";
  record(wave);
  const Fst fst(wave.file);
  REQUIRE(fst.signals.count("rtl.tensor_top.u_ctrl.u_load_seq.cols_q") == 1);
  for (const std::string& signal : fst.signals) {
    INFO(signal);
    REQUIRE((signal == "rtl.clk_i" || signal.rfind("rtl.tensor_top.u_ctrl.u_load_seq.", 0) == 0));
  }
  wave.file = folder.path("none.fst");
  wave.scope = "u_nothing";
  REQUIRE_THROWS_WITH(record(wave), Catch::Contains("wave scope 'u_nothing': no such instance"));
  REQUIRE(!std::filesystem::exists(wave.file));
  REQUIRE(!std::filesystem::exists(wave.file + ".partial"));
}

}  // namespace tern::tb
