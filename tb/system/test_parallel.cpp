// SPDX-License-Identifier: Apache-2.0
// A workload on several chips as a user starts it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "sw/data/npy.h"
#include "tb/common/temp_folder.h"
#include "tb/system/process.h"

using namespace tern;  // NOLINT: test file

namespace {

std::string workload(const std::string& chips, const std::string& more = "") {
  return "kind: parallel\nsystem: trn3-nl16-2d\nchips: " + chips +
         "\nmodel: 256\nhidden: 768\ntokens: 48\n" + more;
}

// Of a trace: events of one instant are in no order.
std::vector<std::string> sorted_lines(const std::string& path) {
  std::vector<std::string> lines;
  std::istringstream text(tb::read_bytes(path));
  for (std::string line; std::getline(text, line);) {
    if (!line.empty() && line.back() == ',') line.pop_back();
    lines.push_back(line);
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace

TEST_CASE("tern run: a feed-forward block on chips of a system has the bits of its order on one") {
  tb::TempFolder folder;
  const auto at = [&](const char* name, const std::string& text) { return folder.put(name, text); };
  // A number of chips that divides neither the partitions nor a power of two.
  const auto three = tb::json_of({"run", at("three.yaml", workload("3", "output: three.npy\n")),
                                  "--output", folder.path("three.npy"), "--seed", "5"});
  CHECK(three["passed"] == true);
  CHECK(three["parts"].size() == 3);
  CHECK(three["comparisons"].size() == 3);
  CHECK(three["comparisons"][0]["words"] == 256 * 48);
  const data::NpyArray out =
      data::read_npy_as(folder.path("three.npy"), data::DType::kF32, {256, 48});
  CHECK(out.size() == 256 * 48);
  // The links are the only difference between near and far chips.
  const auto near =
      tb::json_of({"run", at("near.yaml", workload("[server0.tray0.chip0, server0.tray0.chip1]"))});
  const auto far =
      tb::json_of({"run", at("far.yaml", workload("[server0.tray0.chip0, server0.tray5.chip0]"))});
  CHECK(near["parts"][0]["alone_us"] == far["parts"][0]["alone_us"]);
  CHECK(near["us"].get<double>() < far["us"].get<double>());
  CHECK(near["fp64"]["error"] == far["fp64"]["error"]);
  // Levels of the network differ in time, not in bits; near chips wait for nobody at any of them.
  for (const char* level : {"packet", "flow", "ideal"}) {
    INFO(level);
    const auto run = tb::json_of(
        {"run", at("level.yaml", workload("2", std::string("level: ") + level + "\n"))});
    CHECK(run["level"] == level);
    CHECK(run["passed"] == true);
  }
}

TEST_CASE("tern run: the links between chips in the report") {
  tb::TempFolder folder;
  const auto run = [&](const std::string& level) {
    return tb::json_of({"run", folder.put("w.yaml", workload("3", "level: " + level + "\n")),
                        "--report", folder.path(level)});
  };
  const auto packet = run("packet");
  REQUIRE_FALSE(packet["hottest"].empty());
  CHECK(packet["hottest"][0]["use"].get<double>() > 0);
  CHECK(packet["hottest"][0]["use"].get<double>() < 1);
  CHECK(packet.contains("stalled"));
  REQUIRE_FALSE(packet["classes"].empty());
  for (const auto& c : packet["classes"]) {
    // Requests and answers cross at least one link, which has two controllers of 25 ns and more.
    CHECK(c["median_us"].get<double>() > 0.05);
    CHECK(c["transfers"].get<int>() > 0);
    CHECK(c["lost"] == 0);
  }
  const std::string page = tb::read_bytes(folder.path("packet/report.html"));
  CHECK(page.find("Use of the links") != std::string::npos);
  CHECK(page.find("Latency by class") != std::string::npos);
  CHECK_FALSE(tb::read_bytes(folder.path("packet/heat.svg")).empty());
  const auto flow = run("flow");
  CHECK_FALSE(flow["hottest"].empty());
  CHECK_FALSE(flow.contains("stalled"));
  CHECK_FALSE(flow.contains("classes"));
  const auto ideal = run("ideal");
  CHECK_FALSE(ideal.contains("hottest"));
  CHECK(tb::read_bytes(folder.path("ideal/report.html")).find("Use of the links") ==
        std::string::npos);
}

// More than a DMA engine adds at a time.
TEST_CASE("tern run: a feed-forward block on twenty chips") {
  tb::TempFolder folder;
  const auto run = tb::json_of(
      {"run", folder.put("twenty.yaml",
                         "kind: parallel\nsystem: trn3-nl64-3d\nchips: 20\nmodel: 128\nhidden: "
                         "2560\ntokens: 16\n")});
  CHECK(run["passed"] == true);
  CHECK(run["parts"].size() == 20);
  CHECK(run["comparisons"].size() == 20);
}

TEST_CASE("tern run: faults of a placement are named with their line") {
  tb::TempFolder folder;
  const auto refused = [&](const std::string& text, const std::string& message) {
    const std::string line = tb::error_of({"run", folder.put("bad.yaml", text)});
    INFO(line);
    CHECK(line.find("bad.yaml:" + message) != std::string::npos);
  };
  refused(workload("17"), "3: key 'chips': expected a whole number from 1 to 16");
  refused(workload("[]"), "3: key 'chips': expected from 1 to 16 chips");
  refused(workload("[server0.tray9.chip0]"),
          "3: key 'chips[0]': expected the name of a chip of trn3-nl16-2d");
  refused(workload("[server0.tray0.chip0, server0.tray0.chip0]"),
          "3: key 'chips[1]': expected each chip once");
  refused("kind: parallel\nsystem: trn3-nl72x2-gen1\nchips: 65\n",
          "3: key 'chips': expected a whole number from 1 to 64");
  refused("kind: parallel\nsystem: trn9\nchips: 2\n", "2: key 'system'");
  refused("kind: parallel\nsystem: trn4-ualink\nchips: 2\n",
          "2: key 'system': expected a system whose chips have a preset");
  refused(workload("2", "function: sine\n"), "7: key 'function'");
  refused("kind: parallel\nsystem: trn3-nl16-2d\nchips: 3\nhidden: 512\n",
          "4: key 'hidden': expected a multiple of 384");
}

TEST_CASE("tern run --ranks: any number of processes has the same report") {
  tb::TempFolder folder;
  for (const char* level : {"packet", "flow"}) {
    INFO(level);
    const std::string yaml =
        folder.put("w.yaml", workload("3", std::string("level: ") + level + "\n"));
    nlohmann::json alone = tb::json_of(
        {"run", yaml, "--output", folder.path("alone.npy"), "--trace", folder.path("a.json")});
    alone.erase("wall_s");
    for (const char* ranks : {"2", "3"}) {
      INFO(ranks);
      nlohmann::json several = tb::json_of({"run", yaml, "--output", folder.path("several.npy"),
                                            "--ranks", ranks, "--trace", folder.path("s.json")});
      several.erase("wall_s");
      for (const char* key : {"system", "level", "us", "parts", "comparisons", "fp64", "passed",
                              "hottest", "stalled", "classes"})
        CHECK(several[key] == alone[key]);
      CHECK(tb::read_bytes(folder.path("several.npy")) == tb::read_bytes(folder.path("alone.npy")));
      for (const auto& part : alone["parts"]) {
        const std::string chip = part["chip"];
        INFO(chip);
        const std::vector<std::string> trace = sorted_lines(folder.path("a." + chip + ".json"));
        CHECK(trace.size() > 100);
        CHECK((sorted_lines(folder.path("s." + chip + ".json")) == trace));
      }
    }
  }
}

TEST_CASE("tern run --ranks: what cannot be is one line") {
  tb::TempFolder folder;
  const std::string yaml = folder.put("w.yaml", workload("2"));
  CHECK(tb::error_of({"run", yaml, "--ranks", "3"}) ==
        "tern: 3 processes for 2 chips: at most one for each");
  CHECK(tb::error_of({"run",
                      folder.put("m.yaml",
                                 "kind: matmul\na: {random: [8, 8]}\nb: {random: "
                                 "[8, 8]}\n"),
                      "--ranks", "2"})
            .find("--ranks: only with kind parallel") != std::string::npos);
  CHECK(tb::error_of({"run", folder.path("none.yaml"), "--ranks", "2"}).find("cannot read") !=
        std::string::npos);
  CHECK(tb::error_of({"run", yaml, "--ranks", "2", "--chip", "trn2", "--chip", "trn3"}) ==
        "tern: --ranks: of one run, not of several");
  CHECK(tb::error_of({"run", yaml, "--ranks", "0"}).find("--ranks") != std::string::npos);
}

// Longer than the time in which hosts hear of each other.
TEST_CASE("tern run --ranks: links of 20 microseconds") {
  tb::TempFolder folder;
  const std::string far =
      folder.put("far.yaml", "preset: trn3-nl16-2d\nlink: {controller_ns: 10000}\n");
  const std::string yaml =
      folder.put("w.yaml", "kind: parallel\nsystem: " + far +
                               "\nchips: 2\nmodel: 256\nhidden: 256\ntokens: 48\n");
  const nlohmann::json alone = tb::json_of({"run", yaml});
  const nlohmann::json several = tb::json_of({"run", yaml, "--ranks", "2"});
  CHECK(several["us"] == alone["us"]);
  CHECK(several["parts"] == alone["parts"]);
}
