// SPDX-License-Identifier: Apache-2.0
// tern run with kind: train on a text, as a user starts it.
#include <catch2/catch.hpp>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <map>
#include <string>

#include "tb/common/temp_folder.h"
#include "tb/system/process.h"
#include "tb/system/text_workload.h"

using namespace tern;  // NOLINT: test file
using Catch::Contains;
using tb::book;
using tb::run_tern;
using tb::text_workload;
using Json = nlohmann::json;

TEST_CASE("train text: learns, evaluates, writes, repeats steps on the RTL") {
  tb::TempFolder folder;
  folder.put("book.txt", book());
  const std::string yaml = folder.put("w.yaml", text_workload());
  const std::string report = folder.path("report");
  const Json result = tb::json_of({"run", yaml, "--report", report, "--rtl-steps", "1"});
  CHECK(result["loss"].size() == 40);
  REQUIRE(result["evaluations"].size() == 3);
  CHECK(result["evaluations"][1]["step"] == 32);
  CHECK(result["evaluations"][2]["step"] == 40);
  const Json& text = result["text"];
  CHECK(text["held_out_loss"] < text["unigram_entropy"].get<double>() - 0.3);
  CHECK(text["bigram_entropy"] < text["unigram_entropy"]);
  CHECK(text["sample"].get<std::string>().size() == 20);
  CHECK(result["rtl_steps"][0]["mismatches"] == 0);
  CHECK(result["rtl_steps"][0]["words"] > 10000);
  for (const char* file : {"report.html", "loss.svg", "accuracy.svg", "report.md"})
    CHECK(std::filesystem::file_size(report + "/" + file) > 100);
  CHECK_THAT(tb::read_bytes(report + "/report.html"),
             Contains("Written by the chip") && Contains(text["sample"].get<std::string>()));

  // A limit that it misses.
  const tb::Outcome missed = run_tern(
      {"run", folder.put("w.yaml", text_workload({{"expect", "{loss: 0.1}"}, {"steps", "2"}}))});
  CHECK(missed.exit_code == 1);
  CHECK_THAT(missed.out, Contains("at most 0.100 expected  FAILED") && Contains("nats ("));
}

TEST_CASE("train text: interrupted and resumed it is the same training, sample and all") {
  tb::TempFolder folder;
  folder.put("book.txt", book());
  const std::string yaml = folder.put(
      "w.yaml",
      text_workload({{"expect", ""}, {"steps", "20"}, {"evaluate", "{every: 8, windows: 12}"}}));
  const Json whole = tb::json_of({"run", yaml, "--checkpoint", folder.path("whole")});
  const std::string part = folder.path("part");
  const tb::Outcome stopped =
      run_tern({"run", yaml, "--checkpoint", part}, tb::signal_once_there(part, SIGINT));
  INFO(stopped.out << stopped.err);
  Json resumed = tb::json_of({"run", yaml, "--checkpoint", part, "--resume"});
  CHECK(resumed["loss"] == whole["loss"]);
  CHECK(resumed["text"] == whole["text"]);
  CHECK(tb::read_bytes(part) == tb::read_bytes(folder.path("whole")));
  // Other chips compute other bits.
  const auto resumed_with = [&](std::vector<std::string> chip) {
    chip.insert(chip.begin(), {"run", yaml, "--checkpoint", part, "--resume"});
    return tb::error_of(chip);
  };
  CHECK(resumed_with({"--chip", "trn2"}) ==
        "tern: " + part + ": of another training: chip was trn3, now it is trn2");
  CHECK(resumed_with({"--set", "core.vector.exp_per_cycle=0"}) ==
        "tern: " + part +
            ": of another training: exponential instruction was true, now it is false");
  // Another seed is another training.
  CHECK(tb::json_of({"run", yaml, "--seed", "5"})["loss"] != whole["loss"]);
}

TEST_CASE("train text: a loss that is not a number names the tensor and the instruction") {
  tb::TempFolder folder;
  folder.put("book.txt", book());
  const tb::Outcome outcome = run_tern(
      {"run",
       folder.put("w.yaml", text_workload({{"optimiser", "{kind: sgd, learning_rate: 1e30}"}}))});
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.error_line(),
             Contains("first in step") && Contains("written by") && Contains("from sw/"));
}

TEST_CASE("train text: faults of the file are reported in one line") {
  tb::TempFolder folder;
  folder.put("book.txt", book());
  const auto error_of = [&](const std::map<std::string, std::string>& changes) {
    return tb::error_of({"run", folder.put("w.yaml", text_workload(changes))});
  };
  CHECK_THAT(error_of({{"data", "{text: none.txt, fetch: scripts/fetch-search}"}}),
             Contains("none.txt: no such file; it is fetched by: scripts/fetch-search"));
  CHECK_THAT(error_of({{"data", "{text: book.txt, text_crc32: 1}"}}),
             Contains("expected 0x00000001"));
  CHECK_THAT(error_of({{"data", "{text: book.txt, alphabet: aa}"}}), Contains("has 'a' twice"));
  CHECK_THAT(error_of({{"data", "{text: book.txt, alphabet: \"01\"}"}}),
             Contains("no character of the alphabet"));
  CHECK_THAT(error_of({{"data", "{text: book.txt, held_out: 0.001}"}}),
             Contains("key 'data.text': expected a text with more than 16 characters"));
  CHECK_THAT(error_of({{"network", "{width: 32, heads: 5, blocks: 1, context: 16}"}}),
             Contains("key 'network': transformer: expected a width that the heads divide"));
  CHECK_THAT(error_of({{"network", "{width: 68, heads: 4, blocks: 1, context: 16}"}}),
             Contains("key 'network': transformer: expected heads (width / heads) of a multiple of "
                      "4 with this precision"));
  CHECK_THAT(error_of({{"network", "{width: 32, heads: 2, blocks: 1, context: 20}"}}),
             Contains("a power of two"));
  CHECK_THAT(error_of({{"precision", "mxfp8"}}), Contains("precision bf16 or fp32"));
  CHECK_THAT(error_of({{"epochs", "3"}}), Contains("'epochs'"));
  CHECK_THAT(error_of({{"sample", "{prompt: \"123\", characters: 5}"}}),
             Contains("key 'sample.prompt': expected characters of the alphabet"));
  CHECK_THAT(error_of({{"expect", "{accuracy: 0.5}"}}), Contains("expect"));
}

TEST_CASE("train text: every tensor of the network leaves as .npy, and starts another training") {
  tb::TempFolder folder;
  folder.put("book.txt", book());
  const std::string first =
      folder.put("w.yaml", text_workload({{"output", "trained"}, {"steps", "20"}, {"expect", ""}}));
  const Json result = tb::json_of({"run", first, "--report", folder.path(".")});
  // A table of characters and positions; norms and dense layers of one block; norm and logits.
  CHECK(result["written"].size() == 1 + 2 + 2 + 2 + 2 + 2 + 2 + 2 + 2);
  CHECK(result["written"][0]["result"] == "embedding");
  CHECK(result["written"][0]["shape"] == Json::array({28 + 16, 32}));
  for (const char* file : {"b0.qkv.w.npy", "b0.norm1.gain.npy", "norm.offset.npy", "logits.b.npy"})
    CHECK(std::filesystem::exists(folder.path("trained/" + std::string(file))));
  CHECK(!std::filesystem::exists(folder / "trained/mlp.yaml"));
  const std::string second =
      folder.put("s.yaml", text_workload({{"start", "trained"}, {"steps", "2"}, {"expect", ""}}));
  const Json started = tb::json_of({"run", second, "--report", folder.path("second")});
  CHECK(started["loss"][0].get<double>() < result["loss"][0].get<double>() - 0.5);
}
