// SPDX-License-Identifier: Apache-2.0
// Waveforms: window, scope, the final name, and the saved GTKWave layout.
#include <gtkwave/fstapi.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>

#include "systemc/config/user_error.h"
#include "systemc/cosim/tensor_rtl.h"
#include "tb/tensor/test_sbuf.h"

namespace tern::tb {
namespace {

struct Fst {
  explicit Fst(const std::string& file) : reader(fstReaderOpen(file.c_str()), fstReaderClose) {
    REQUIRE(reader != nullptr);
    std::vector<std::string> scopes;
    while (const fstHier* item = fstReaderIterateHier(reader.get())) {
      if (item->htyp == FST_HT_SCOPE) scopes.emplace_back(item->u.scope.name);
      if (item->htyp == FST_HT_UPSCOPE) scopes.pop_back();
      if (item->htyp != FST_HT_VAR) continue;
      std::string name;
      for (const std::string& scope : scopes) name += scope + ".";
      name += item->u.var.name;
      signals.insert(name.substr(0, name.find(' ')));
    }
  }
  std::uint64_t first() const { return fstReaderGetStartTime(reader.get()); }
  std::uint64_t last() const { return fstReaderGetEndTime(reader.get()); }

  std::unique_ptr<void, void (*)(void*)> reader;
  std::set<std::string> signals;
};

class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() / ("tern_wave_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
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
  load.cols = 16;
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
  const Folder folder;
  WaveOptions wave;
  wave.file = folder.file("all.fst");
  record(wave);
  REQUIRE(!std::filesystem::exists(wave.file + ".partial"));
  const Fst all(wave.file);
  REQUIRE(all.signals.count("rtl.tensor_top.u_psum.done_q") == 1);
  REQUIRE(all.last() > 60 * 1000);

  wave.file = folder.file("window.fst");
  wave.from_cycle = 10;
  wave.to_cycle = 20;
  record(wave);
  const Fst window(wave.file);
  REQUIRE(window.first() == 10 * 1000);
  REQUIRE(window.last() == 20 * 1000 + 500);
}

TEST_CASE("wave: only the scope that was asked for") {
  const Folder folder;
  WaveOptions wave;
  wave.file = folder.file("scope.fst");
  wave.scope = "u_ctrl.u_load_seq";
  record(wave);
  const Fst fst(wave.file);
  REQUIRE(fst.signals.count("rtl.tensor_top.u_ctrl.u_load_seq.left_q") == 1);
  for (const std::string& signal : fst.signals) {
    INFO(signal);
    REQUIRE((signal == "rtl.clk_i" || signal.rfind("rtl.tensor_top.u_ctrl.u_load_seq.", 0) == 0));
  }
  wave.file = folder.file("none.fst");
  wave.scope = "u_nothing";
  REQUIRE_THROWS_WITH(record(wave),
                      Catch::Matchers::Contains("wave scope 'u_nothing': no such instance"));
  REQUIRE(!std::filesystem::exists(wave.file));
  REQUIRE(!std::filesystem::exists(wave.file + ".partial"));
}

TEST_CASE("wave: every signal of the saved GTKWave layout exists") {
  const Folder folder;
  WaveOptions wave;
  wave.file = folder.file("layout.fst");
  record(wave);
  const Fst fst(wave.file);
  std::ifstream layout(TERN_TENSOR_GTKW);
  REQUIRE(layout);
  unsigned found = 0;
  for (std::string line; std::getline(layout, line);) {
    if (line.rfind("rtl.", 0) != 0) continue;
    const std::string name = line.substr(0, line.rfind('['));
    INFO(line);
    REQUIRE(fst.signals.count(line) + fst.signals.count(name) > 0);
    ++found;
  }
  REQUIRE(found > 20);
}

}  // namespace tern::tb
