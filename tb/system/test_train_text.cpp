// SPDX-License-Identifier: Apache-2.0
// tern run with kind: train on a text, as a user starts it.
#include <catch2/catch.hpp>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <map>
#include <random>
#include <string>

#include "tb/common/seed.h"
#include "tb/common/temp_folder.h"
#include "tb/system/process.h"

using namespace tern;  // NOLINT: test file
using Catch::Contains;
using tb::run_tern;
using Json = nlohmann::json;

namespace {

// Words in random order: characters are easy to predict within them.
std::string book() {
  std::mt19937_64 random(tb::test_seed());
  const char* const words[] = {"Harpoon", "whale", "sea", "ship", "captain"};
  std::string text;
  while (text.size() < 6000)
    text += std::string(words[random() % 5]) + (random() % 8 ? " " : ".\n");
  return text;
}

// Single lines may be replaced.
std::string workload(const std::map<std::string, std::string>& changes = {}) {
  std::map<std::string, std::string> lines = {
      {"data", "{text: book.txt, alphabet: \" abcdefghijklmnopqrstuvwxyz.\"}"},
      {"network", "{width: 32, heads: 2, blocks: 1, context: 16, hidden: 48}"},
      {"batch", "8"},
      {"steps", "40"},
      {"evaluate", "{every: 16, windows: 12}"},
      {"optimiser", "{kind: adamw, learning_rate: 0.02, beta2: 0.95}"},
      {"sample", "{prompt: \"The sh\", characters: 20, temperature: 0.5}"},
      {"expect", "{loss: 2.2}"}};
  for (const auto& [key, value] : changes) lines[key] = value;
  std::string text = "kind: train\n";
  for (const auto& [key, value] : lines) {
    if (value.empty()) continue;
    text.append(key).append(": ").append(value).append("\n");
  }
  return text;
}

// Writes workloads of four steps.
auto short_runs_in(tb::TempFolder& folder) {
  return [&folder](const char* name, std::map<std::string, std::string> changes) {
    changes.insert({{"steps", "4"}, {"evaluate", "{every: 4, windows: 12}"}, {"expect", ""}});
    return folder.put(name, workload(changes));
  };
}

}  // namespace

TEST_CASE("train text: learns, evaluates, writes, repeats steps on the RTL") {
  tb::TempFolder folder;
  folder.put("book.txt", book());
  const std::string yaml = folder.put("w.yaml", workload());
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
      {"run", folder.put("w.yaml", workload({{"expect", "{loss: 0.1}"}, {"steps", "2"}}))});
  CHECK(missed.exit_code == 1);
  CHECK_THAT(missed.out, Contains("at most 0.100 expected  FAILED") && Contains("nats ("));
}

TEST_CASE("train text: interrupted and resumed it is the same training, sample and all") {
  tb::TempFolder folder;
  folder.put("book.txt", book());
  const std::string yaml = folder.put(
      "w.yaml",
      workload({{"expect", ""}, {"steps", "20"}, {"evaluate", "{every: 8, windows: 12}"}}));
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
      {"run", folder.put("w.yaml", workload({{"optimiser", "{kind: sgd, learning_rate: 1e30}"}}))});
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.error_line(),
             Contains("first in step") && Contains("written by") && Contains("from sw/"));
}

TEST_CASE("train text: faults of the file are reported in one line") {
  tb::TempFolder folder;
  folder.put("book.txt", book());
  const auto error_of = [&](const std::map<std::string, std::string>& changes) {
    return tb::error_of({"run", folder.put("w.yaml", workload(changes))});
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
      folder.put("w.yaml", workload({{"output", "trained"}, {"steps", "20"}, {"expect", ""}}));
  const Json result = tb::json_of({"run", first, "--report", folder.path(".")});
  // A table of characters and positions; norms and dense layers of one block; norm and logits.
  CHECK(result["written"].size() == 1 + 2 + 2 + 2 + 2 + 2 + 2 + 2 + 2);
  CHECK(result["written"][0]["result"] == "embedding");
  CHECK(result["written"][0]["shape"] == Json::array({28 + 16, 32}));
  for (const char* file : {"b0.qkv.w.npy", "b0.norm1.gain.npy", "norm.offset.npy", "logits.b.npy"})
    CHECK(std::filesystem::exists(folder.path("trained/" + std::string(file))));
  CHECK(!std::filesystem::exists(folder / "trained/mlp.yaml"));
  const std::string second =
      folder.put("s.yaml", workload({{"start", "trained"}, {"steps", "2"}, {"expect", ""}}));
  const Json started = tb::json_of({"run", second, "--report", folder.path("second")});
  CHECK(started["loss"][0].get<double>() < result["loss"][0].get<double>() - 0.5);
}

TEST_CASE("train text: a plan divides the batch among chips, and continues from its checkpoint") {
  tb::TempFolder folder;
  folder.put("book.txt", book());
  folder.put("plan.yaml", "system: trn3-nl16-2d\nchips: 2\ndata: 4\ncores: 2\n");
  const auto put = short_runs_in(folder);
  const std::string one = put("one.yaml", {}), four = put("four.yaml", {{"plan", "plan.yaml"}});
  const std::string report = folder.path("report");
  const Json alone = tb::json_of({"run", one, "--checkpoint", folder.path("one.checkpoint")});
  CHECK(alone.count("plan") == 0);
  const std::string kept = folder.path("four.checkpoint");
  const Json result = tb::json_of({"run", four, "--checkpoint", kept, "--report", report});
  CHECK(result["plan"]["data"] == 4);
  CHECK(result["plan"]["tensor"] == 1);
  CHECK(result["plan"]["sum"] == "mesh");
  CHECK(result["plan"]["tensor_sum"].get<std::string>().empty());
  CHECK(result["plan"]["alone_us"].get<double>() > 0);
  CHECK(result["plan"]["alone_us"].get<double>() < result["step_us"].get<double>());
  for (unsigned step = 0; step < 4; ++step)
    CHECK(result["loss"][step].get<double>() ==
          Approx(alone["loss"][step].get<double>()).epsilon(1e-4));
  CHECK(result["text"]["held_out_loss"].get<double>() ==
        Approx(alone["text"]["held_out_loss"].get<double>()).epsilon(1e-3));
  const auto text = run_tern({"run", four, "--checkpoint", kept, "--resume"});
  CHECK(text.exit_code == 0);
  CHECK_THAT(text.out, Contains("4 ranks: the batch in 4 parts, gradients by mesh"));
  // A checkpoint belongs to its plan, and what is of one chip is refused with the place.
  const auto other = run_tern({"run", one, "--checkpoint", kept, "--resume"});
  CHECK(other.exit_code != 0);
  CHECK_THAT(other.err, Contains("of another training") && Contains("sums of gradients"));
  // Other chips sum in the same order: the bits are theirs, too. Another order is another training.
  folder.put("chips.yaml", "system: trn2-nl16\nchips: 4\ndata: 4\nsum: mesh\n");
  const Json chips = tb::json_of({"run", put("chips4.yaml", {{"plan", "chips.yaml"}}),
                                  "--checkpoint", folder.path("chips.checkpoint")});
  CHECK(chips["chip"] == "trn2");  // that of the system, in the report and its values
  CHECK(chips["preset"] == "trn2");
  const Json named = tb::json_of({"run", folder.path("chips4.yaml"), "--chip", "trn3",
                                  "--checkpoint", folder.path("named.checkpoint")});
  CHECK(named["chip"] == "trn3");
  CHECK(named["loss"] == result["loss"]);
  folder.put("ring.yaml", "system: trn3-nl16-2d\nchips: 4\ndata: 4\nsum: ring\n");
  const auto ring = run_tern(
      {"run", put("ring4.yaml", {{"plan", "ring.yaml"}}), "--checkpoint", kept, "--resume"});
  CHECK_THAT(ring.err, Contains("sums of gradients was mesh among 4 ranks") &&
                           Contains("now it is ring among 4 ranks"));
  for (const char* option : {"--rtl=tensor", "--save-chip=s.chip"}) {
    const auto refused = run_tern({"run", four, option});
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.err, Contains("four.yaml:") && Contains("key 'plan': not with"));
  }
  const auto uneven =
      run_tern({"run", put("uneven.yaml", {{"plan", "plan.yaml"}, {"batch", "6"}})});
  CHECK_THAT(uneven.err, Contains("cannot be shared by 4 ranks"));
}

TEST_CASE("train text: a plan divides layers as well") {
  tb::TempFolder folder;
  folder.put("book.txt", book());
  const auto put = short_runs_in(folder);
  const std::string one = put("one.yaml", {});
  const std::string plan = "{system: trn3-nl16-2d, chips: 2, cores: 2, data: 2, tensor: 2}";
  const std::string four = put("four.yaml", {{"plan", plan}});
  const std::string report = folder.path("report"), kept = folder.path("four.checkpoint");
  const Json alone = tb::json_of({"run", one, "--checkpoint", folder.path("one.checkpoint")});
  const Json result = tb::json_of({"run", four, "--checkpoint", kept, "--report", report});
  const Json& made = result["plan"];
  CHECK(made["data"] == 2);
  CHECK(made["tensor"] == 2);
  CHECK(made["sum"] == "mesh");
  CHECK(made["tensor_sum"] == "mesh");
  CHECK(made["exposed_us"].get<double>() > 0);
  // Multiplications of all ranks over 4 arrays of 2.4 GHz.
  CHECK(made["mfu"].get<double>() ==
        Approx(result["step_macs"].get<double>() /
               (result["step_us"].get<double>() * 2400 * 4 * 128 * 128)));
  for (unsigned step = 0; step < 4; ++step)
    CHECK(result["loss"][step].get<double>() ==
          Approx(alone["loss"][step].get<double>()).epsilon(1e-3));
  CHECK(result["text"]["held_out_loss"].get<double>() ==
        Approx(alone["text"]["held_out_loss"].get<double>()).epsilon(1e-3));
  const auto other = run_tern({"run", one, "--checkpoint", kept, "--resume"});
  CHECK(other.exit_code != 0);
  CHECK_THAT(other.err, Contains("of another training") && Contains("sums of"));
  const auto uneven =
      run_tern({"run", put("uneven.yaml",
                           {{"plan", "{system: trn3-nl16-2d, chips: 8, data: 1, tensor: 8}"}})});
  CHECK(uneven.exit_code == 2);
  CHECK_THAT(uneven.err, Contains("uneven.yaml:") && Contains("key 'plan'") &&
                             Contains("2 heads and 48 hidden columns"));
}

TEST_CASE("train text: the planner times every way to divide, and trains in the fastest") {
  tb::TempFolder folder;
  folder.put("book.txt", book());
  const auto put = short_runs_in(folder);
  const std::string ranks = "system: trn3-nl16-2d, chips: 2, cores: 2";
  const std::string open =
      put("open.yaml", {{"plan", "{" + ranks + ", data: auto, tensor: auto}"}});
  const std::string checkpoint = folder.path("open.checkpoint"), report = folder.path("report");
  const Json result = tb::json_of({"run", open, "--checkpoint", checkpoint, "--report", report});
  const Json& trials = result["plan"]["trials"];
  // Four parts of layers are too many for two heads.
  REQUIRE(trials.size() == 3);
  CHECK(trials[0]["step_us"].get<double>() < trials[1]["step_us"].get<double>());
  CHECK(trials[2]["tensor"] == 4);
  CHECK_THAT(trials[2]["refused"].get<std::string>(), Contains("2 heads"));
  CHECK(result["plan"]["data"] == trials[0]["data"]);
  CHECK(result["plan"]["tensor"] == trials[0]["tensor"]);
  CHECK_THAT(tb::read_bytes(report + "/report.md"), Contains("Plans tried") && Contains("chosen"));
  // What it trains is what the file with these numbers trains: its checkpoint says so.
  const std::string chosen =
      put("chosen.yaml", {{"plan", "{" + ranks + ", data: " + trials[0]["data"].dump() +
                                       ", tensor: " + trials[0]["tensor"].dump() + "}"}});
  CHECK(tb::json_of({"run", chosen, "--checkpoint", checkpoint, "--resume"})["loss"] ==
        result["loss"]);
  const auto timed = run_tern({"run", open, "--time-plan", "2,2"});
  CHECK(timed.exit_code == 0);
  CHECK(Json::parse(timed.out)["step_us"] == trials[1]["step_us"]);
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& why) {
    const auto run = run_tern(arguments);
    CHECK(run.exit_code == 2);
    CHECK_THAT(run.err, Contains(why));
  };
  refused({"run", open, "--time-plan", "3,2"}, "has 4 ranks");
  refused({"run", open, "--time-plan", "1,4"}, "2 heads");
  refused({"run", open, "--time-plan", "4"}, "--time-plan");
  refused({"run", open, "--time-plan", "2,2", "--report", report}, "not with --report");
  refused({"run", put("one.yaml", {}), "--time-plan", "2,2"}, "has no key 'plan'");
  refused({"run", put("none.yaml", {{"plan", "{" + ranks + ", data: 1, tensor: auto}"}})},
          "no way to divide");
  refused({"run", put("three.yaml", {{"plan", "{" + ranks + ", data: 3, tensor: auto}"}})},
          "key 'plan.data': expected 4");
}
