// SPDX-License-Identifier: Apache-2.0
// tern run with kind: search. The model is not in the tree: what needs it is skipped without it.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "sw/base/checksum.h"
#include "sw/data/npy.h"
#include "tb/common/temp_folder.h"
#include "tb/system/process.h"

using namespace tern;  // NOLINT: test file
using tb::run_tern;
using Json = nlohmann::json;

namespace {

const std::string kFetched = std::string(TERN_SOURCE_DIR) + "/build/search";
const std::string kSums = std::string(TERN_SOURCE_DIR) + "/sw/examples/search/SHA256SUMS";

bool fetched() {
  if (std::filesystem::exists(kFetched + "/model.json")) return true;
  WARN("skipped: no model in " << kFetched << " (scripts/fetch-search brings it)");
  return false;
}

// A folder for kept indices that nobody else uses.
struct PrivateCache {
  PrivateCache() { ::setenv("XDG_CACHE_HOME", folder.path("").c_str(), 1); }
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> all;
    if (!std::filesystem::exists(folder.path("tern"))) return all;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path("tern")))
      all.push_back(entry.path());
    return all;
  }
  tb::TempFolder folder;
};

std::string workload(const std::string& more) {
  return "kind: search\nmodel: " + kFetched + "\ntext: " + kFetched +
         "/moby-dick.txt\nchecksums: " + kSums + "\n" + more;
}

}  // namespace

TEST_CASE("search: a query finds its own passage, in every format") {
  if (!fetched()) return;
  const PrivateCache cache;
  const tb::TempFolder folder;
  const auto yaml =
      folder.put("s.yaml", workload("passages: {count: 6}\nbest: 2\n"
                                    "formats: [bf16, mxfp8, mxfp8_ocp, w4a8]\n"
                                    "output: {embeddings: e.npy, similarities: s.npy}\n"));
  const std::string report = folder.path("out");
  const std::string query =
      "Call me Ishmael. Some years ago, having little or no money in my purse, I thought I would "
      "sail about and see the watery part of the world.";
  const tb::Outcome outcome =
      run_tern({"run", yaml, "--json", "--report", report, "--query", query});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const Json result = Json::parse(outcome.out);
  CHECK(result["passages"] == 6);
  REQUIRE(result["queries"].size() == 1);
  const Json& hits = result["queries"][0]["hits"];
  REQUIRE(hits.size() == 2);
  CHECK(hits[0]["text"].get<std::string>().find("Call me Ishmael.") == 0);
  CHECK(hits[0]["place"] == "CHAPTER 1. Loomings. passage 1, line 3");
  CHECK(hits[0]["similarity"].get<double>() > hits[1]["similarity"].get<double>());
  REQUIRE(result["rows"].size() == 4);
  CHECK(result["rows"][0]["least_cosine"] > 0.9999);
  CHECK(result["rows"][1]["least_cosine"] > 0.98);
  CHECK(result["rows"][3]["weight_bytes"] < result["rows"][1]["weight_bytes"]);
  CHECK(tb::read_bytes(report + "/report.html").find("Call me Ishmael.") != std::string::npos);
  CHECK(tb::read_bytes(report + "/report.md").find("| w4a8 |") != std::string::npos);
  const auto similarities =
      data::read_npy_as(report + "/s.npy", data::DType::kF32, {1, 6}).values<float>();
  CHECK(similarities[0] == hits[0]["similarity"].get<float>());
  const auto embeddings =
      data::read_npy_as(report + "/e.npy", data::DType::kF32, {6, 512}).values<float>();
  float length = 0;
  for (std::size_t i = 0; i < 512; ++i) length += embeddings[i] * embeddings[i];
  CHECK(length == Approx(1).epsilon(1e-3));
}

TEST_CASE("search: parts of the passages on several cores have the bits of one") {
  if (!fetched()) return;
  const PrivateCache cache;
  const tb::TempFolder folder;
  const std::string few =
      "passages: {count: 12, every: 50}\nqueries: [whale, a calm sea]\n"
      "formats: [bf16, mxfp8]\n"
      "output: {embeddings: e.npy, similarities: s.npy}\n";
  const auto run = [&](const std::string& plan) {
    const auto yaml = folder.put("s.yaml", workload(few + plan));
    const tb::Outcome outcome =
        run_tern({"run", yaml, "--json", "--no-index", "--report", folder.path("out")});
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    return Json::parse(outcome.out);
  };
  const auto similarities = [&] {
    return data::read_npy_as(folder.path("out") + "/s.npy", data::DType::kF32, {2, 12})
        .values<float>();
  };
  const Json one = run("");
  const std::string embeddings = tb::read_bytes(folder.path("out") + "/e.npy");
  const auto alone = similarities();
  CHECK(one.count("plan") == 0);
  const Json parts = run("plan: {system: trn3-nl16-2d, chips: 2, cores: 2, data: 4}\n");
  CHECK(parts["plan"]["data"] == 4);
  CHECK(!parts["plan"]["broadcast"].get<std::string>().empty());
  CHECK(tb::read_bytes(folder.path("out") + "/e.npy") == embeddings);
  CHECK(similarities() == alone);
  CHECK(parts["rows"][0]["simulated_us"] < one["rows"][0]["simulated_us"]);
  CHECK_THAT(tb::read_bytes(folder.path("out") + "/report.md"),
             Catch::Contains("passages in 4 parts, the queries' embeddings by"));
  // Stages hand on what they have, and add nothing.
  const Json stages =
      run("plan: {system: trn3-nl16-2d, chips: 2, cores: 2, data: 2, pipeline: 2}\n");
  CHECK(stages["plan"]["pipeline"] == 2);
  const Json& shares = stages["rows"][0]["stage_shares"];
  REQUIRE(shares.size() == 2);
  CHECK(shares[0].get<double>() > 0);
  CHECK(shares[1].get<double>() > 0);
  CHECK((shares[0].get<double>() + shares[1].get<double>()) / 2 ==
        Approx(stages["rows"][0]["tensor_share"].get<double>()));
  CHECK(tb::read_bytes(folder.path("out") + "/e.npy") == embeddings);
  CHECK(similarities() == alone);
  CHECK_THAT(
      tb::read_bytes(folder.path("out") + "/report.md"),
      Catch::Contains("blocks in 2 stages") && Catch::Contains("Of rank 0 of 4, in stage 1 of 2."));
  // Each rank has some tokens of every batch, and gathers the others.
  const Json tokens = run("plan: {system: trn3-nl16-2d, chips: 4, data: 2, sequence: 2}\n");
  CHECK(tokens["plan"]["sequence"] == 2);
  CHECK(!tokens["plan"]["gather"].get<std::string>().empty());
  CHECK(tb::read_bytes(folder.path("out") + "/e.npy") == embeddings);
  CHECK(similarities() == alone);
  CHECK_THAT(tb::read_bytes(folder.path("out") + "/report.md"),
             Catch::Contains("tokens of a batch in 2 parts, gathered by"));
  // The planner takes the fastest way, and the bits are those of the others.
  const Json planned = run("plan: {system: trn3-nl16-2d, chips: 2, data: auto, sequence: auto}\n");
  const Json& trials = planned["plan"]["trials"];
  REQUIRE(trials.size() == 2);
  CHECK(trials[0]["us"].get<double>() < trials[1]["us"].get<double>());
  CHECK(planned["plan"]["data"] == trials[0]["data"]);
  CHECK(planned["plan"]["sequence"] == trials[0]["sequence"]);
  CHECK(planned["rows"][0]["simulated_us"].get<double>() ==
        Approx(trials[0]["us"].get<double>()).epsilon(0.1));
  CHECK(tb::read_bytes(folder.path("out") + "/e.npy") == embeddings);
  CHECK_THAT(tb::read_bytes(folder.path("out") + "/report.md"), Catch::Contains("Plans tried"));
  // Sums have another order.
  const Json heads = run("plan: {system: trn3-nl16-2d, chips: 2, cores: 2, data: 2, tensor: 2}\n");
  CHECK(heads["plan"]["tensor"] == 2);
  CHECK(heads["rows"][0]["least_cosine"] > 0.9999);
  CHECK(heads["rows"][1]["least_cosine"] > 0.98);
  const auto summed = similarities();
  for (std::size_t i = 0; i < alone.size(); ++i) CHECK(summed[i] == Approx(alone[i]).margin(2e-3));
}

TEST_CASE("search: a query of more than 128 tokens is split") {
  if (!fetched()) return;
  const PrivateCache cache;
  const tb::TempFolder folder;
  const auto yaml = folder.put("s.yaml", workload("passages: {count: 1}\n"));
  std::string text;
  for (unsigned i = 0; i < 30; ++i) text += "The whale swims in the sea. ";
  const tb::Outcome outcome = run_tern({"run", yaml, "--json", "--query", text});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const Json result = Json::parse(outcome.out);
  const auto parts = result["queries"][0]["parts"].get<unsigned>();
  CHECK(parts > 1);
  CHECK(result["queries"][0]["tokens"] > 128 * (parts - 1));
}

TEST_CASE("search: every, count and best from the command line, and no control characters") {
  if (!fetched()) return;
  const PrivateCache cache;
  const tb::TempFolder folder;
  std::string text;
  for (unsigned i = 0; i < 10; ++i)
    text += "CHAPTER " + std::to_string(i) + "\n\nThe \x1b[31mwhale swims.\n\n";
  folder.put("t.txt", text);
  const auto yaml =
      folder.put("s.yaml", "kind: search\nmodel: " + kFetched + "\ntext: t.txt\nbest: 1\n");
  const std::vector<std::string> arguments = {"run", yaml,      "--query", "whale",  "--every",
                                              "3",   "--count", "3",       "--best", "2"};
  const tb::Outcome shown = run_tern(arguments);
  INFO(shown.err);
  REQUIRE(shown.exit_code == 0);
  CHECK(shown.out.find("3 of 10 passages, each 3rd") != std::string::npos);
  CHECK(shown.out.find("[31mwhale swims.") != std::string::npos);
  CHECK(shown.out.find('\x1b') == std::string::npos);
  const Json result = tb::json_of(arguments);
  CHECK(result["every"] == 3);
  CHECK(result["passages"] == 3);
  CHECK(result["queries"][0]["hits"].size() == 2);
}

TEST_CASE("search: a kept index gives the bits of a run without it") {
  if (!fetched()) return;
  const PrivateCache cache;
  const tb::TempFolder folder;
  const auto yaml = folder.put(
      "s.yaml", workload("passages: {count: 8, every: 400}\nbest: 3\nformats: [bf16, mxfp8]\n"));
  const auto ask = [&](const std::string& query, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"run", yaml, "--query", query});
    return tb::json_of(more);
  };
  const Json first = ask("the whiteness of the whale");
  CHECK(first["index"]["used"] == false);
  REQUIRE(cache.files().size() == 1);
  const Json second = ask("a cannibal sells heads");
  CHECK(second["index"]["used"] == true);
  CHECK(second["passages"] == 8);
  CHECK(second["all_passages"] == 3571);
  CHECK(second["rows"][0]["index_us"] == first["rows"][0]["simulated_us"]);
  const Json without = ask("a cannibal sells heads", {"--no-index"});
  CHECK(without.count("index") == 0);
  CHECK(second["queries"] == without["queries"]);  // similarities to the last bit
  for (unsigned f = 0; f < 2; ++f) {
    for (const char* key : {"least_cosine", "similarity_error", "same_best"})
      CHECK(second["rows"][f][key] == without["rows"][f][key]);
  }
  // Another chip has an index of its own.
  CHECK(ask("a cannibal sells heads", {"--set", "dma.clock_ghz=1.3"})["index"]["used"] == false);
  REQUIRE(cache.files().size() == 2);

  // Damaged: encoded again, and mended.
  for (const auto& path : cache.files()) {
    std::string bytes = tb::read_bytes(path.string());
    bytes[bytes.size() / 2] ^= 1;
    std::ofstream(path, std::ios::binary) << bytes;
  }
  const tb::Outcome damaged = run_tern({"run", yaml, "--query", "whale"});
  CHECK(damaged.exit_code == 0);
  CHECK(damaged.err.find("not an index of this search") != std::string::npos);
  // The right checksum, but other formats.
  for (const auto& path : cache.files()) {
    const std::string bytes = tb::read_bytes(path.string());
    const std::size_t end = bytes.find('\n');
    std::string body = bytes.substr(end + 1);
    body.replace(body.find("bf16"), 4, "bf17");
    std::ofstream(path, std::ios::binary)
        << bytes.substr(0, end - 8) << fmt::format("{:08x}\n", base::crc32_of(body)) << body;
  }
  CHECK(run_tern({"run", yaml, "--query", "whale"}).exit_code == 0);
  for (const auto& path : cache.files()) std::filesystem::resize_file(path, 100);
  CHECK(ask("whale")["index"]["used"] == false);
  CHECK(ask("whale")["index"]["used"] == true);
}

TEST_CASE("search: faults of the file and of the command line are reported in one line") {
  const tb::TempFolder folder;
  const auto error_of = [&](const std::string& text, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"run", folder.put("s.yaml", text)});
    return tb::error_of(more);
  };
  const auto contains = [](const std::string& text, const std::string& part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  };
  const std::string sum(64, '0');
  folder.put("sums", sum + "  model.json\n");
  const std::string paths = "kind: search\nmodel: .\ntext: t.txt\nchecksums: sums\n";
  contains(error_of(paths), "s.yaml:4: key 'checksums': ");
  contains(error_of(paths), "model.json: no such file (scripts/fetch-search brings it)");
  folder.put("model.json", "{}");
  contains(error_of(paths),
           "model.json: is not the expected file (SHA-256) (scripts/fetch-search brings it)");
  contains(error_of("kind: search\nmodel: .\ntext: t.txt\n"),
           "model.json: not a TensorFlow.js model");
  contains(error_of("kind: search\nmodel: nothere\ntext: t.txt\n"), "s.yaml:2: key 'model': ");
  contains(error_of(paths + "formats: [fp4]\n"),
           "s.yaml:5: key 'formats[0]': expected one of bf16, mxfp8, mxfp8_ocp, w4a8");
  contains(error_of(paths + "formats: [bf16, bf16]\n"), "expected each format once");
  contains(error_of(paths + "passages: {every: 0}\n"), "key 'passages.every'");
  contains(error_of("kind: matmul\na: {random: [8, 8]}\nb: {random: [8, 8]}\n", {"--query", "x"}),
           "--query: ");
  const auto matmul = "kind: matmul\na: {random: [8, 8]}\nb: {random: [8, 8]}\n";
  for (const char* option : {"--every", "--count", "--best"})
    contains(error_of(matmul, {option, "2"}), std::string(option) + ": ");
  for (const char* count : {"0", "-1", "16777217", "x"}) {
    contains(error_of(paths, {"--count", count}),
             std::string("--count: expected a whole number from 1 to 16777216, got '") + count);
  }
  contains(error_of(paths, {"--every", "0"}),
           "--every: expected a whole number from 1 to 16777216");
  contains(error_of(paths, {"--best", "101"}), "--best: expected a whole number from 1 to 100");
  contains(error_of(paths + "formats: [mxfp8, mxfp8_e4m3fn]\n"), "expected each format once");
  const auto planned = [&](const std::string& keys) {
    return error_of(paths + "plan: {system: trn3-nl16-2d, chips: 4, " + keys + "}\n");
  };
  contains(planned("data: 4, expert: 2"),
           "s.yaml:5: key 'plan': a search is divided by 'data', 'sequence', 'pipeline' and "
           "'tensor', not by 'expert'");
  contains(planned("data: 4, expert: auto"), "not by 'expert'");
  contains(planned("data: 4, optimiser_sharding: auto"), "not with 'optimiser_sharding'");
  const auto timed = [&](const std::string& keys, const std::string& parts) {
    return error_of(paths + keys, {"--time-plan", parts});
  };
  contains(timed("", "1,1,1,1,1,1"), "--time-plan: ");
  const std::string four = "plan: {system: trn3-nl16-2d, chips: 4, data: auto}\n";
  contains(timed(four, "2,1,1,1,1,1"), "s.yaml:5: key 'plan' has 4 ranks");
  contains(timed(four, "4,1,1,1,1,2"), "expected four numbers from 1 on, then 1,1");
  contains(planned("data: 4, sum: ring"), "not with 'sum'");
  contains(planned("data: 4, micro_batches: 2"), "micro_batches");
  contains(planned("data: 2"), "4: the cores of all chips");
  if (!fetched()) return;
  const PrivateCache cache;
  const auto few = [&](const std::string& keys, std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--query", "whale"});
    return error_of(
        workload("passages: {count: 2}\nplan: {system: trn3-nl16-2d, chips: 8, " + keys + "}\n"),
        more);
  };
  contains(few("data: 8"),
           "s.yaml:6: key 'plan': data: 8 parts, and all texts have 2 batches, 1 a program");
  contains(few("data: 1, tensor: 8"),
           "s.yaml:6: key 'plan': encoder: 4 heads do not divide into 8 parts");
  contains(error_of(workload("plan: {system: trn3-nl16-2d, chips: 3, sequence: 3}\n"),
                    {"--query", "whale"}),
           "s.yaml:5: key 'plan': encoder: 3 parts of a batch's 128 tokens, not 1, 2 or 4");
  contains(few("data: 1, sequence: 8"),
           "s.yaml:6: key 'plan': encoder: 8 parts of a batch's 128 tokens, not 1, 2 or 4");
  contains(few("data: 2, pipeline: 4"),
           "s.yaml:6: key 'plan': encoder: 4 stages, and it has 2 blocks");
  contains(few("data: 8", {"--core", "1"}), "not with --core");
  contains(few("data: 8", {"--rtl", "tensor"}), "not with RTL");
  const std::string model = "kind: search\nmodel: " + kFetched + "\ntext: t.txt\n";
  folder.put("t.txt", std::string("A \x1b[31mred whale.\0", 18));
  contains(error_of(model, {"--query", "whale"}),
           "t.txt: expected a text in UTF-8; byte 17 is no part of one: 0x0");
  folder.put("t.txt", "A whale.\n\xff");
  contains(error_of(model, {"--query", "whale"}), "s.yaml:3: key 'text': ");
  contains(error_of(model, {"--query", "whale"}), "byte 9 is no part of one: 0xff");
  contains(error_of(workload("")), "no query: give one by --query");
  contains(error_of(workload(""), {"--query", " "}), "--query: expected a text");
  contains(error_of(workload(""), {"--query", ""}), "--query: expected a text");
  contains(error_of(workload("passages: {first: 999999}\n"), {"--query", "whale"}),
           "s.yaml:5: key 'passages.first': expected less than the 3571 passages of ");
}
