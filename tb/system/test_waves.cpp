// SPDX-License-Identifier: Apache-2.0
// Waveforms of runs: Verilated blocks and models in one file, on one axis of time.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "tb/common/fst_contents.h"
#include "tb/common/temp_folder.h"
#include "tb/system/process.h"

using namespace tern;  // NOLINT: test file

namespace {

const char* const kSmall = "kind: matmul\na: {random: [256, 160]}\nb: {random: [256, 600]}\n";

tb::Contents record(const tb::TempFolder& folder, const std::vector<std::string>& options) {
  const std::string yaml = folder.put("w.yaml", kSmall), file = folder.path("w.fst");
  std::vector<std::string> arguments = {"run", yaml, "--quiet", "--wave", file};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const tb::Outcome outcome = tb::run_tern(arguments);
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return tb::read_fst(file);
}

bool has_below(const tb::Contents& wave, const std::string& scope) {
  const auto found = wave.lower_bound(scope);
  return found != wave.end() && found->first.compare(0, scope.size(), scope) == 0;
}

constexpr std::uint64_t kCycle = 417;  // of the tensor engine, ps

// The cycles in which a bit of the tensor engine is set.
std::vector<std::uint64_t> cycles_of(const tb::Changes& changes) {
  std::vector<std::uint64_t> cycles;
  for (std::size_t i = 1; i < changes.size(); ++i) {
    const auto& [from, value] = changes[i - 1];
    if (value != "1") continue;
    for (std::uint64_t ps = from; ps + kCycle / 2 < changes[i].first; ps += kCycle)
      cycles.push_back(ps);
  }
  return cycles;
}

}  // namespace

TEST_CASE("waves: every Verilated block of the chosen cores, and what the models do") {
  const tb::TempFolder folder;
  const tb::Contents wave =
      record(folder, {"--rtl", "all", "--rtl-cores", "2,5", "--core", "5", "--wave-to", "4000"});
  for (const char* core : {"core2", "core5"}) {
    for (const char* block : {".tensor.", ".exp.", ".mx_quantize3.", ".mx_dequantize0.",
                              ".near_memory.", ".dma0.", ".dma15."}) {
      CAPTURE(core, block);
      CHECK(has_below(wave, std::string(core) + block));
    }
  }
  CHECK_FALSE(has_below(wave, "core0.tensor."));
  for (const char* scope :
       {"core5.queues.tensor.instruction", "core5.queues.vector.waits_for", "core5.semaphores.s",
        "core5.dma_packets.dma0", "hbm2.pc0.row", "hbm2.pc0.column", "noc.core5."}) {
    CAPTURE(scope);
    CHECK(has_below(wave, scope));
  }
  std::uint64_t first = ~std::uint64_t{0}, last = 0;
  for (const auto& [path, changes] : wave) {
    for (const auto& [ps, value] : changes) {
      first = std::min(first, ps);
      last = std::max(last, ps);
    }
  }
  CHECK(first > 0);  // simulated time, in which the host's copies come first
  CHECK(last - first <= 4000 * 10000 / 24 + 1);
  CHECK(last - first > 3900 * 10000 / 24);
}

TEST_CASE("waves: the RTL's statuses are where the model's instructions end") {
  const tb::TempFolder folder;
  const tb::Contents wave =
      record(folder, {"--tensor", "rtl", "--wave-scope", "core0", "--wave-levels", "1"});
  const std::vector<std::uint64_t> statuses = cycles_of(wave.at("core0.tensor.status_valid_o"));
  // The first instruction and the last are not the engine's: nop and halt.
  std::vector<std::uint64_t> ends;
  const tb::Changes& executes = wave.at("core0.queues.tensor.executes");
  for (std::size_t i = 1; i < executes.size(); ++i) {
    const std::string& before = executes[i - 1].second;
    const bool work = before.rfind("load_", 0) == 0 || before.rfind("multiply_", 0) == 0;
    if (work) ends.push_back(executes[i].first);
  }
  REQUIRE(statuses.size() == ends.size());
  for (std::size_t i = 0; i < ends.size(); ++i) {
    CAPTURE(i, statuses[i], ends[i]);
    CHECK(ends[i] + kCycle >= statuses[i]);
    CHECK(ends[i] <= statuses[i] + 2 * kCycle);
  }
}

TEST_CASE("waves: from an instruction on, or only the end") {
  const tb::TempFolder folder;
  const tb::Contents all = record(folder, {"--wave-scope", "core0.queues"});
  const tb::Changes& issued = all.at("core0.queues.tensor.instruction");
  const auto ninth = std::find_if(issued.begin(), issued.end(), [](const auto& change) {
    return change.second == std::string(28, '0') + "1001";
  });
  REQUIRE(ninth != issued.end());
  const tb::Contents from = record(folder, {"--wave-scope", "core0.queues", "--wave-on",
                                            "core0.tensor instruction 9", "--wave-to", "100"});
  CHECK(from.at("core0.queues.tensor.instruction").front().first == ninth->first);
  CHECK(from.at("core0.queues.tensor.instruction").front().second == ninth->second);
  CHECK(from.at("core0.queues.tensor.status").front().second == "running");

  const tb::Contents end = record(folder, {"--wave-scope", "core0.tensor", "--wave-levels", "1",
                                           "--wave-last", "200", "--rtl", "tensor"});
  const tb::Changes& clock = end.at("core0.tensor.clk_i");
  CHECK(clock.back().first - clock.front().first <= 200 * 10000 / 24);
  CHECK(clock.size() > 100);
}

TEST_CASE("waves: the steps of a training in RTL") {
  const tb::TempFolder folder;
  const std::string data = std::string(TERN_SOURCE_DIR) + "/sw/examples/digits/data/";
  const auto digits = [&](const std::string& name, const char* count) {
    return "{images: " + data + name + "-images-idx3-ubyte.gz, labels: " + data + name +
           "-labels-idx1-ubyte.gz, count: " + count + "}\n";
  };
  const std::string file = folder.path("w.fst");
  const std::string yaml =
      folder.put("w.yaml",
                 "kind: train\nnetwork: {hidden: [16], classes: 10}\nbatch: 50\nepochs: 1\n"
                 "optimiser: {kind: sgd, learning_rate: 0.1}\ndata:\n  training: " +
                     digits("train10k", "100") + "  test: " + digits("t10k", "50"));
  const tb::Outcome outcome =
      tb::run_tern({"run", yaml, "--quiet", "--rtl-steps", "1", "--wave", file, "--wave-on",
                    "core0.tensor instruction 3", "--wave-to", "3000"});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const tb::Contents wave = tb::read_fst(file);
  CHECK(has_below(wave, "core0.tensor."));
  CHECK(has_below(wave, "core0.queues.vector.executes"));
}

TEST_CASE("waves: of kind qos one policy, with DMA engines in RTL") {
  const tb::TempFolder folder;
  const std::string
      file = folder.path("w.fst"),
      shape = "kind: qos\nbatches: [8]\nhidden: 1024\nweights_kib: 256\nlayers: 8\nhost_kib: 4\n";
  const std::string one = folder.put("one.yaml", shape + "policies: [strict]\n");
  const tb::Outcome outcome =
      tb::run_tern({"run", one, "--quiet", "--rtl", "dma", "--wave", file, "--wave-to", "20000"});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const tb::Contents wave = tb::read_fst(file);
  CHECK(has_below(wave, "core0.dma0."));
  CHECK(has_below(wave, "core3.dma_packets.dma0"));
  const std::string two = folder.put("two.yaml", shape + "policies: [off, strict]\n");
  CHECK(tb::error_of({"run", two, "--wave", file}) ==
        "tern: --wave: of one policy; name only one under 'policies'");
  CHECK(tb::error_of({"run", one, "--wave", file, "--wave-from", "9", "--wave-to", "8"}) ==
        "tern: --wave-to: expected at least 9, the cycle of --wave-from, got 8");
}

TEST_CASE("waves: --wave-from beyond the end of the run is a warning") {
  const tb::TempFolder folder;
  const std::string yaml = folder.put("w.yaml", kSmall), file = folder.path("w.fst");
  CHECK(tb::run_tern({"run", yaml, "--quiet", "--wave", file, "--wave-from", "99999999"}).err ==
        "tern: warning: --wave-from: the run ended before cycle 99999999; the waveform is empty\n");
}

TEST_CASE("waves: a signal that never gets the value is a warning, one that is not there another") {
  const tb::TempFolder folder;
  const std::string yaml = folder.put("w.yaml", kSmall), file = folder.path("w.fst");
  const auto warning = [&](const char* trigger) {
    return tb::run_tern({"run", yaml, "--quiet", "--wave", file, "--wave-on", trigger}).err;
  };
  CHECK(warning("core0.vector instruction 99999") ==
        "tern: warning: --wave-on: 'core0.queues.vector.instruction' was never 99999; the waveform "
        "is empty\n");
  CHECK(warning("core0.\x1b[31m 1").find('\x1b') == std::string::npos);
  CHECK(warning("core0.nothing s3 1") ==
        "tern: warning: --wave-on: there is no signal 'core0.nothing.s3'; the waveform is empty\n");
}
