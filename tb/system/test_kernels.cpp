// SPDX-License-Identifier: Apache-2.0
// Kernels of the catalogue as a user starts them.
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tb/common/temp_folder.h"
#include "tb/system/process.h"

using namespace tern;  // NOLINT: test file
using tb::run_tern;
using Json = nlohmann::json;

TEST_CASE("tern run: a kernel with its cost model, its report and its picture") {
  tb::TempFolder folder;
  const std::string yaml = folder.put(
      "k.yaml", "kind: kernel\nkernel: rotary\nparameters: {seq: 200, heads: 2, d: 32}\n");
  const std::string report = folder.path("out");
  const tb::Outcome text = run_tern({"run", yaml, "--report", report});
  INFO(text.err);
  REQUIRE(text.exit_code == 0);
  CHECK(text.out.find("rotary embedding of [200, 2, 32]") != std::string::npos);
  CHECK(text.out.find("against FP64") != std::string::npos);
  CHECK(text.out.find("cost model") != std::string::npos);
  CHECK(text.out.find("bound by         fill ") != std::string::npos);
  CHECK(tb::read_bytes(report + "/report.md").find("## What bounds each phase") !=
        std::string::npos);
  CHECK(text.out.find("busy             ") != std::string::npos);
  CHECK(std::filesystem::file_size(report + "/timeline.svg") > 2000);

  const tb::Outcome json = run_tern({"run", yaml, "--json"});
  const Json result = Json::parse(json.out);
  CHECK(result["passed"] == true);
  CHECK(result["outputs"][0]["name"] == "out");
  CHECK(result["outputs"][0]["largest_error"].get<double>() <=
        result["outputs"][0]["tolerance"].get<double>());
  double phases_us = 0;
  for (const auto& phase : result["executions"][0]["phases"])
    phases_us += phase["us"].get<double>();
  CHECK(phases_us == Approx(result["executions"][0]["simulated_us"].get<double>()));
  for (const auto& line : result["cost"]) {
    CHECK(line["microseconds"].get<double>() <=
          result["executions"][0]["simulated_us"].get<double>());
  }
}

TEST_CASE("tern run: faults of a kernel's file are named with their line") {
  tb::TempFolder folder;
  const auto refused = [&](const std::string& text, const std::string& message) {
    const tb::Outcome outcome = run_tern({"run", folder.put("bad.yaml", text)});
    INFO(outcome.err);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.err.find(message) != std::string::npos);
  };
  refused("kind: kernel\nkernel: rotari\n", "bad.yaml:2: key 'kernel': expected one of");
  refused("kind: kernel\nkernel: rotary\nparameters:\n  seq: 0\n",
          "bad.yaml:4: parameter 'seq': expected a whole number 1 .. 131072, got '0'");
  refused("kind: kernel\nkernel: rotary\nparameters:\n  sequence: 5\n", "bad.yaml:4:");
}

TEST_CASE("tern kernels: lists the catalogue, or one kernel") {
  const tb::Outcome all = run_tern({"kernels"});
  CHECK(all.exit_code == 0);
  CHECK(all.out.find("rotary: rotary position embedding") != std::string::npos);
  const Json one = Json::parse(run_tern({"kernels", "pooling", "--json"}).out);
  REQUIRE(one.size() == 1);
  CHECK(one[0]["parameters"][0]["name"] == "channels");
  const tb::Outcome none = run_tern({"kernels", "poling"});
  CHECK(none.exit_code == 2);
  CHECK(none.err.find("no kernel 'poling': expected one of") != std::string::npos);
}

TEST_CASE("tern run: the attention example, and what a slower exponential does to it") {
  const std::string yaml = std::string(TERN_SOURCE_DIR) + "/sw/examples/attention/attention.yaml";
  const auto microseconds = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"run", yaml, "--json"});
    const tb::Outcome outcome = run_tern(arguments);
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    const Json result = Json::parse(outcome.out);
    return result["executions"][0]["simulated_us"].get<double>();
  };
  const double fast = microseconds({}),
               slow = microseconds({"--set", "core.vector.exp_per_cycle=1"});
  CHECK(slow > 1.2 * fast);
}
