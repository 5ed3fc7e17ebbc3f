// SPDX-License-Identifier: Apache-2.0
// tern run with kind: qos, as a user starts it.
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tb/common/temp_folder.h"
#include "tb/system/process.h"

using namespace tern;  // NOLINT: test file
using tb::run_tern;
using Json = nlohmann::json;

TEST_CASE("qos: classes of service change who waits, and lose no bytes") {
  tb::TempFolder folder;
  const std::string yaml =
      folder.put("q.yaml",
                 "kind: qos\nbatches: [8]\nhidden: 4096\nweights_kib: 2048\nlayers: 8\n"
                 "host_kib: 4\npolicies: [off, strict]\n");
  const std::string report = folder.path("out");
  const tb::Outcome outcome = run_tern({"run", yaml, "--json", "--report", report});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const Json result = Json::parse(outcome.out);
  REQUIRE(result["runs"].size() == 2);
  std::map<std::string, double> exchange;
  for (const Json& run : result["runs"]) {
    INFO(run.dump());
    const Json& classes = run["classes"];
    CHECK(classes["exchange"]["samples"] == 8 * 4);  // cores x layers in the steady state
    CHECK(classes["prefetch"]["samples"] == 8 * 4);
    CHECK(classes["exchange"]["p50_us"] <= classes["exchange"]["p99_us"]);
    CHECK(classes["exchange"]["p50_us"] > 1.0);  // the doorbell latency alone is longer
    // Bytes of a layer over its time.
    CHECK(classes["prefetch"]["gb_per_s"].get<double>() ==
          Approx(8 * 2048 * 1024 / (run["layer_us"].get<double>() * 1e3)).epsilon(1e-3));
    exchange[run["policy"]] = classes["exchange"]["p50_us"];
  }
  // The exchange overtakes prefetches that keep the engines busy.
  CHECK(exchange["strict"] < 0.8 * exchange["off"]);
  CHECK(tb::read_bytes(report + "/qos.svg").find("</svg>") != std::string::npos);
  CHECK(tb::read_bytes(report + "/report.md").find("| exchange |") != std::string::npos);
}

TEST_CASE("qos: DMA engines and their arbiters in RTL take the times of the model") {
  tb::TempFolder folder;
  const std::string yaml =
      folder.put("q.yaml",
                 "kind: qos\nbatches: [8]\nhidden: 1024\nweights_kib: 256\nlayers: 8\n"
                 "host_kib: 4\npolicies: [weighted]\n");
  const Json model = tb::json_of({"run", yaml});
  CHECK(model.count("passed") == 0);
  const Json rtl = tb::json_of({"run", yaml, "--rtl", "all", "--rtl-cores", "0,3"});
  CHECK(rtl["runs"][0]["model_agrees"] == true);
  CHECK(rtl["runs"][0]["classes"] == model["runs"][0]["classes"]);
}

TEST_CASE("qos: faults of the file and of the command line are reported in one line") {
  tb::TempFolder folder;
  const auto error_of = [&](const std::string& text, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"run", folder.put("q.yaml", "kind: qos\n" + text)});
    return tb::error_of(more);
  };
  const auto contains = [](const std::string& text, const std::string& part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  };
  contains(error_of(""), "batches");
  contains(error_of("batches: []\n"), "q.yaml:2: key 'batches': expected at least one batch");
  contains(error_of("batches: [8, 8]\n"), "key 'batches[1]': expected each one once");
  contains(error_of("batches: [8]\npolicies: [fair]\n"), "expected one of off, strict, weighted");
  contains(error_of("batches: [8]\nshares: {exchange: 1, prefetch: 1, host: 0}\n"),
           "a sum of at most 1");
  contains(error_of("batches: [8]\nhidden: 1000\n"), "key 'hidden'");
  contains(error_of("batches: [4096]\n"),
           "q.yaml: keys 'batches', 'hidden', 'weights_kib': batch 4096: two layers");
  contains(error_of("batches: [8]\n", {"--tensor", "rtl"}), "not with kind qos");
  contains(error_of("batches: [8]\n", {"--rtl", "exp"}), "--rtl exp: not with kind qos");
  contains(error_of("batches: [8]\n", {"--rtl", "dma", "--rtl-cores", "8"}),
           "--rtl: key 'dma_backend.8': expected a core from 0 to 7");
  contains(error_of("batches: [8]\n", {"--set", "tensor=rtl"}),
           "key 'tensor': 'rtl': not with kind qos, which runs on the model");
  contains(error_of("batches: [8]\n", {"--trace", "t.json"}), "--trace: of one policy");
  contains(error_of("batches: [8]\nlayer: 9\n"), "layer");
}
