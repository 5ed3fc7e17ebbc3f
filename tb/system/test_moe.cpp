// SPDX-License-Identifier: Apache-2.0
// tern run with kind: moe, as a user starts it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>

#include "tb/common/seed.h"
#include "tb/common/temp_folder.h"
#include "tb/system/process.h"

using namespace tern;  // NOLINT: test file
using tb::run_tern;
using Json = nlohmann::json;

namespace {

const std::string kSmall = "kind: moe\ntokens: 256\nwidth: 128\nhidden: 128\nexperts: 4\n";

// The run's JSON; everything in it agrees with itself, and both variants with FP64.
Json passed(tb::TempFolder& folder, const std::string& text, unsigned tokens, unsigned top_k) {
  const std::string yaml = folder.put("m.yaml", text);
  const auto outcome = run_tern({"run", yaml, "--json", "--seed", std::to_string(tb::test_seed())});
  INFO(text << outcome.out << outcome.err);
  REQUIRE(outcome.exit_code == 0);
  Json result = Json::parse(outcome.out);
  for (const Json& routing : result["routings"]) {
    std::vector<unsigned> counts = routing["tokens_of_experts"];
    CHECK(std::accumulate(counts.begin(), counts.end(), 0u) == tokens * top_k);
    CHECK(*std::max_element(counts.begin(), counts.end()) <= tokens);
    CHECK(routing["comparisons"][0]["what"] == "out: indexed = permuted");
    for (const Json& bits : routing["comparisons"]) {
      CHECK(bits["words"] > 0);
      CHECK(bits["mismatches"] == 0);
    }
    const Json& fp64 = routing["fp64"];
    CHECK(fp64["wrong_choices"] == 0);
    CHECK(fp64["tokens_computed"] > 0);
    CHECK(fp64["out_error"] <= fp64["out_tolerance"]);
    CHECK(fp64["out_tolerance"] < 0.1);
  }
  return result;
}

}  // namespace

TEST_CASE("moe: indexed in place and permuted first give the same bits, also with a skew") {
  tb::TempFolder folder;
  const Json result = passed(folder, kSmall + "top_k: 2\nrouting: [uniform, {zipf: 2}]\n", 256, 2);
  const auto& routings = result["routings"];
  REQUIRE(routings.size() == 2);
  std::vector<unsigned> skewed = routings[1]["tokens_of_experts"];
  CHECK(std::is_sorted(skewed.rbegin(), skewed.rend()));
  CHECK(skewed[0] > 2 * skewed[3]);
  for (const Json& routing : routings) {
    const Json &indexed = routing["variants"]["indexed"],
               &permuted = routing["variants"]["permuted"];
    CHECK(indexed["passes"].size() == 2);
    CHECK(permuted["passes"].size() == 4);
    // At least the rows of x and the weights of four experts; and out, cleared and added to twice.
    const double choices = 512, row = 128 * 2, weights = 4 * 2 * 128 * 128 * 2;
    CHECK(indexed["passes"][1]["hbm_bytes_read"] >= choices * row + weights + choices * 2 * row);
    CHECK(indexed["passes"][1]["hbm_bytes_written"] >= 256 * 2 * row + choices * 2 * row);
    CHECK(permuted["passes"][1]["hbm_bytes_written"] >= choices * row);
    CHECK(permuted["passes"][2]["hbm_bytes_read"] >= choices * row + weights);
    CHECK(permuted["passes"][3]["hbm_bytes_read"] >= choices * 2 * row);
    CHECK(indexed["tensor_utilisation"] > 0);
    CHECK(indexed["tensor_utilisation"] < 1);
  }
}

TEST_CASE("moe: all tokens to one expert, experts without tokens") {
  tb::TempFolder folder;
  const Json one = passed(
      folder, kSmall + "top_k: 1\nfunction: relu\nrouting: [{bias: [0, 0, 100, 0]}]\n", 256, 1);
  CHECK(one["routings"][0]["tokens_of_experts"] == Json({0, 0, 256, 0}));
  const Json none = passed(
      folder, kSmall + "top_k: 3\nfunction: silu\nrouting: [{bias: [0, -100, 0, 0]}]\n", 256, 3);
  CHECK(none["routings"][0]["tokens_of_experts"] == Json({256, 0, 256, 256}));
}

TEST_CASE("moe: more experts than one search or eight processors take, every expert chosen") {
  tb::TempFolder folder;
  passed(folder, "kind: moe\ntokens: 128\nwidth: 256\nhidden: 128\nexperts: 20\ntop_k: 8\n", 128,
         8);
  const Json all = passed(
      folder, "kind: moe\ntokens: 128\nwidth: 128\nhidden: 256\nexperts: 1\ntop_k: 1\n", 128, 1);
  CHECK(all["routings"][0]["tokens_of_experts"] == Json({128}));
}

TEST_CASE("moe: the report holds table, pictures and counts") {
  tb::TempFolder folder;
  const std::string report = folder.path("out");
  const auto outcome =
      run_tern({"run", folder.put("m.yaml", kSmall + "top_k: 2\n"), "--report", report});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK(outcome.out.find("PASSED") != std::string::npos);
  CHECK(outcome.out.find("Tokens of the experts") != std::string::npos);
  CHECK(tb::read_bytes(report + "/moe.svg").find("</svg>") != std::string::npos);
  CHECK(tb::read_bytes(report + "/report.md").find("| unpermute |") != std::string::npos);
  CHECK(tb::read_bytes(report + "/report.html").find("<svg") != std::string::npos);
  CHECK(Json::parse(tb::read_bytes(report + "/report.json"))["passed"] == true);
}

TEST_CASE("moe: faults of the file and of the command line are reported in one line") {
  tb::TempFolder folder;
  const auto error_of = [&](const std::string& text, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"run", folder.put("m.yaml", "kind: moe\n" + text)});
    return tb::error_of(more);
  };
  const auto contains = [](const std::string& text, const std::string& part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  };
  contains(error_of("tokens: 200\n"), "m.yaml:2: key 'tokens': expected a multiple of 128");
  contains(error_of("width: 2048\n"), "m.yaml:2: key 'width': expected a whole number from 128");
  contains(error_of("hidden: 0\n"), "m.yaml:2: key 'hidden': expected a whole number from 128");
  contains(error_of("experts: 65\n"), "m.yaml:2: key 'experts'");
  contains(error_of("experts: 4\ntop_k: 5\n"),
           "m.yaml:3: key 'top_k': expected at most 4, the experts there are");
  contains(error_of("experts: 1\n"), "m.yaml:2: key 'experts': expected at least 2, the top_k");
  contains(error_of("width: 1024\nhidden: 8192\n"), "m.yaml:3: key 'hidden': expected width x");
  contains(error_of("tokens: 16384\nexperts: 64\n"), "m.yaml:2: key 'tokens': expected tokens x");
  contains(error_of("function: tanh\n"), "expected one of gelu, silu, relu, got 'tanh'");
  contains(error_of("routing: []\n"), "m.yaml:2: key 'routing': expected at least one routing");
  contains(error_of("routing: [even]\n"), "key 'routing[0]': expected uniform, {zipf: EXPONENT}");
  contains(error_of("routing: [{zipf: -1}]\n"), "key 'routing[0].zipf'");
  contains(error_of("routing: [{zipf: .nan}]\n"), "key 'routing[0].zipf'");
  contains(error_of("routing: [{bias: [1, 2]}]\n"),
           "key 'routing[0].bias': expected 8 numbers, one per expert");
  contains(error_of("routing: [{zipf: 1, bias: [1]}]\n"), "bias");
  contains(error_of("tokenz: 5\n"), "did you mean 'tokens'?");
  contains(error_of("", {"--chip", "trn2"}), "chip 'trn2' does not add near the memory");
}
