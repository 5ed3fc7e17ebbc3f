// SPDX-License-Identifier: Apache-2.0
// tern run with kind: train, as a user starts it, on the digits of the repository.
#include <catch2/catch.hpp>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sw/base/checksum.h"
#include "sw/data/npy.h"
#include "tb/common/temp_folder.h"
#include "tb/system/process.h"

using namespace tern;  // NOLINT: test file
using Catch::Contains;
using tb::run_tern;
using Json = nlohmann::json;

namespace {

const std::string kData = std::string(TERN_SOURCE_DIR) + "/sw/examples/digits/data/";

// 20 steps of a small network; single lines may be replaced.
std::string workload(const std::map<std::string, std::string>& changes = {}) {
  std::map<std::string, std::string> lines = {{"network", "{hidden: [16], classes: 10}"},
                                              {"batch", "50"},
                                              {"epochs", "2"},
                                              {"optimiser", "{kind: sgd, learning_rate: 0.1}"},
                                              {"images", kData + "train10k-images-idx3-ubyte.gz"},
                                              {"labels", kData + "train10k-labels-idx1-ubyte.gz"},
                                              {"more", ""}};
  for (const auto& [key, value] : changes) lines[key] = value;
  std::string text = "kind: train\n";
  for (const char* key : {"network", "batch", "epochs", "optimiser"})
    text += std::string(key) + ": " + lines[key] + "\n";
  text += "data:\n  training: {images: " + lines["images"] + ", labels: " + lines["labels"] +
          ", count: 500}\n  test: {images: " + kData +
          "t10k-images-idx3-ubyte.gz, labels: " + kData +
          "t10k-labels-idx1-ubyte.gz, count: 120}\n";
  return text + lines["more"];
}

}  // namespace

TEST_CASE("train: learns, evaluates, reports, repeats steps on the RTL") {
  tb::TempFolder folder;
  for (const char* precision : {"bf16", "mxfp8", "stochastic"}) {
    const std::string yaml =
        folder.put("w.yaml", workload({{"more", std::string("precision: ") + precision +
                                                    "\nexpect: {accuracy: 0.5}\n"}}));
    const std::string report = folder.path(precision);
    const tb::Outcome outcome =
        run_tern({"run", yaml, "--json", "--report", report, "--rtl-steps", "0,13"});
    INFO(precision << "\n" << outcome.out.substr(0, 2000) << outcome.err);
    REQUIRE(outcome.exit_code == 0);
    const Json result = Json::parse(outcome.out);
    CHECK(result["steps"] == 20);
    CHECK(result["loss"].size() == 20);
    // Steps take nearly the same time.
    CHECK(result["steps_us"].get<double>() ==
          Approx(20 * result["step_us"].get<double>()).epsilon(0.1));
    CHECK(result["epochs"].size() == 2);
    CHECK(result["loss"][0].get<double>() > 2.0);  // about log 10
    CHECK(result["loss"][19].get<double>() < 1.2);
    CHECK(result["accuracy"].get<double>() > 0.5);
    REQUIRE(result["rtl_steps"].size() == 2);
    for (const Json& step : result["rtl_steps"]) {
      CHECK(step["mismatches"] == 0);
      CHECK(step["words"].get<int>() > 784 * 16 * 2);
      CHECK(step["rtl_cycles"] == step["model_cycles"]);
      CHECK(step["rtl_us"] == step["model_us"]);
    }
    CHECK(result["rtl_steps"][1]["step"] == 13);
    for (const char* file : {"loss.svg", "accuracy.svg", "report.md", "report.html"})
      CHECK(!tb::read_bytes(report + "/" + file).empty());
    CHECK(std::filesystem::exists(report + "/w.checkpoint"));
  }
}

TEST_CASE("train: all steps on the blocks that the command line asks for") {
  tb::TempFolder folder;
  const std::string yaml =
      folder.put("w.yaml", workload({{"epochs", "1"}, {"more", "precision: mxfp8\ncores: 2\n"}}));
  const Json result = tb::json_of({"run", yaml, "--rtl", "mx,near-memory,dma", "--rtl-cores", "all",
                                   "--mx", "both", "--checkpoint", folder.path("c")});
  CHECK(result["passed"] == true);
  REQUIRE(result["rtl_steps"].size() == 10);
  for (const Json& step : result["rtl_steps"]) {
    CHECK(step["mismatches"] == 0);
    CHECK(step["rtl_us"] == step["model_us"]);
  }
}

TEST_CASE("train: engines of several cores in RTL, bits and times on any number of threads") {
  tb::TempFolder folder;
  const std::string yaml =
      folder.put("w.yaml", workload({{"epochs", "1"}, {"more", "cores: 2\n"}}));
  Json first;
  for (const char* threads : {"1", "2", "3"}) {
    INFO(threads);
    Json result = tb::json_of({"run", yaml, "--rtl", "tensor,exp,dma", "--rtl-cores", "all",
                               "--rtl-threads", threads, "--rtl-steps", "0,1"});
    CHECK(result["passed"] == true);
    REQUIRE(result["rtl_steps"].size() == 2);
    for (Json& step : result["rtl_steps"]) {
      CHECK(step["mismatches"] == 0);
      CHECK(step["rtl_us"] == step["model_us"]);
      CHECK(step["rtl_cycles"] == step["model_cycles"]);
      step.erase("wall_s");
    }
    if (first.is_null()) first = result["rtl_steps"];
    CHECK(result["rtl_steps"] == first);
  }
  CHECK(tb::error_of({"run", yaml, "--rtl-threads", "0"}).find("--rtl-threads") !=
        std::string::npos);
}

TEST_CASE("train: several cores share the batches, one of them on the RTL at times") {
  tb::TempFolder folder;
  std::map<unsigned, Json> results;
  for (const unsigned cores : {1u, 5u}) {
    const std::string yaml =
        folder.put("w.yaml", workload({{"more", "cores: " + std::to_string(cores) + "\n"}}));
    const tb::Outcome outcome =
        run_tern({"run", yaml, "--json", "--rtl-steps", "1", "--report", folder.path("report")});
    INFO(outcome.out.substr(0, 2000) << outcome.err);
    REQUIRE(outcome.exit_code == 0);
    results[cores] = Json::parse(outcome.out);
    CHECK(results[cores]["cores"] == cores);
    CHECK(results[cores]["rtl_steps"][0]["mismatches"] == 0);
    CHECK(results[cores]["rtl_steps"][0]["rtl_us"] == results[cores]["rtl_steps"][0]["model_us"]);
  }
  // The same training but for the order of sums.
  for (unsigned step = 0; step < 20; ++step) {
    CHECK(results[5]["loss"][step].get<double>() ==
          Approx(results[1]["loss"][step].get<double>()).epsilon(0.01));
  }
  CHECK(results[5]["loss"] != results[1]["loss"]);
  CHECK(results[5]["accuracy"].get<double>() > 0.5);
}

TEST_CASE("train: scaling: tables of strong and weak scaling, the same learning on every core") {
  tb::TempFolder folder;
  const std::string yaml = folder.put(
      "w.yaml",
      workload({{"batch", "64"},
                {"more", "scaling: {cores: [1, 2, 4], batch_per_core: 16, steps: 2}\n"}}));
  const std::string report = folder.path("report");
  const tb::Outcome outcome = run_tern({"run", yaml, "--json", "--report", report});
  INFO(outcome.out.substr(0, 2000) << outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const Json result = Json::parse(outcome.out);
  CHECK(result["loss_difference"].get<double>() < 1e-4);
  REQUIRE(result["points"].size() == 6);
  for (std::size_t i = 0; i < 6; ++i) {
    const Json& p = result["points"][i];
    const unsigned cores = 1u << i % 3;
    CHECK(p["cores"] == cores);
    CHECK(p["batch"] == (i < 3 ? 64 : 16 * cores));
    CHECK(p["images_per_s"].get<double>() ==
          Approx(p["batch"].get<double>() / p["step_us"].get<double>() * 1e6));
    CHECK(p["step_us"].get<double>() ==
          Approx(p["engines_us"].get<double>() + p["sums_us"].get<double>() +
                 p["rest_us"].get<double>()));
    CHECK((p["sums_us"].get<double>() > 1) == (cores > 1));
    // Every core adds what the others have on its share, and gives the sum to each: per other core
    // twice the gradients of 784-16-10 all together.
    CHECK(p["bytes_between_cores"] == 2 * (cores - 1) * 4 * (784 * 16 + 16 + 16 * 10 + 10));
    CHECK(p["loss"].size() == 2);
  }
  CHECK(result["points"][0]["efficiency"] == 1.0);
  for (const char* file : {"speed.svg", "step.svg", "report.md", "report.html"})
    CHECK(!tb::read_bytes(report + "/" + file).empty());
  const tb::Outcome text = run_tern({"run", yaml});
  CHECK_THAT(text.out, Contains("Strong scaling: 64 images\n"));
  CHECK_THAT(text.out, Contains("Weak scaling: 16 images per core\n"));
  CHECK_THAT(text.out, Contains("every core has the same weights and moments  ok"));
}

TEST_CASE("train: scaling that cannot be measured is refused with the line") {
  tb::TempFolder folder;
  const auto message = [&](const std::string& scaling, std::vector<std::string> options = {}) {
    const std::string yaml =
        folder.put("w.yaml", workload({{"more", "scaling: " + scaling + "\n"}}));
    options.insert(options.begin(), {"run", yaml});
    const tb::Outcome outcome = run_tern(options);
    CHECK(outcome.exit_code == 2);
    return outcome.err;
  };
  CHECK_THAT(message("{cores: [1, 4], batch_per_core: 8}"),
             Contains("w.yaml:9: key 'scaling.cores[1]': expected a number that divides the batch "
                      "of 50, got '4'"));
  CHECK_THAT(
      message("{cores: [2, 5], batch_per_core: 8}"),
      Contains("w.yaml:9: key 'scaling.cores': expected rising numbers of cores, the first 1"));
  CHECK_THAT(
      message("{cores: [1, 10], batch_per_core: 8}"),
      Contains("w.yaml:9: key 'scaling.cores': expected at most the 8 of chip 'trn3', got 10"));
  CHECK_THAT(message("{cores: [1, 2], batch_per_core: 8}", {"--chip", "trn1"}),
             Contains("does not add near the memory"));
  CHECK_THAT(message("{cores: [1, 2], batch_per_core: 4000}"),
             Contains("key 'scaling.batch_per_core': expected at most 4096 on all cores together"));
  CHECK_THAT(message("{cores: [1], batch_per_core: 8}", {"--resume"}),
             Contains("not with a section 'scaling'"));
}

TEST_CASE("train: cores that cannot share a batch are refused with the line") {
  tb::TempFolder folder;
  const auto message = [&](const std::string& batch, const std::string& cores,
                           const std::string& chip) {
    const std::string yaml =
        folder.put("w.yaml", workload({{"batch", batch}, {"more", "cores: " + cores + "\n"}}));
    const tb::Outcome outcome = run_tern({"run", yaml, "--chip", chip});
    CHECK(outcome.exit_code == 2);
    return outcome.err;
  };
  CHECK_THAT(
      message("50", "4", "trn3"),
      Contains("w.yaml:9: key 'cores': expected a number that divides the batch of 50, got '4'"));
  CHECK_THAT(message("50", "0", "trn3"), Contains("w.yaml:9: key 'cores': expected"));
  CHECK_THAT(message("50", "10", "trn3"),
             Contains("w.yaml:9: key 'cores': expected at most the 8 of chip 'trn3', got 10"));
  CHECK_THAT(message("50", "2", "trn2"),
             Contains("w.yaml:9: key 'cores': chip 'trn2' does not add near the memory"));
}

TEST_CASE("train: interrupted and resumed, the bits are those of an uninterrupted run") {
  tb::TempFolder folder;
  for (const char* precision : {"bf16", "stochastic"}) {
    const std::string yaml = folder.put(
        "w.yaml",
        workload({{"optimiser", "{kind: adamw, learning_rate: 0.003}"},
                  {"more", std::string("checkpoint_every: 3\nprecision: ") + precision + "\n"}}));
    const std::string whole = folder.path("whole"), parts = folder.path("parts");
    std::filesystem::remove(parts);
    REQUIRE(run_tern({"run", yaml, "--checkpoint", whole}).exit_code == 0);
    const tb::Outcome cut =
        run_tern({"run", yaml, "--checkpoint", parts}, tb::signal_once_there(parts, SIGINT));
    INFO(cut.out << cut.err);
    REQUIRE(cut.exit_code == 1);
    CHECK_THAT(cut.out, Contains("of 20: go on with --resume"));
    REQUIRE(tb::read_bytes(parts) != tb::read_bytes(whole));
    const tb::Outcome resumed =
        run_tern({"run", yaml, "--checkpoint", parts, "--resume", "--json"});
    INFO(resumed.err);
    REQUIRE(resumed.exit_code == 0);
    CHECK(tb::read_bytes(parts) == tb::read_bytes(whole));
    CHECK(Json::parse(resumed.out)["loss"].size() == 20);
    const tb::Outcome passed =
        run_tern({"run", yaml, "--checkpoint", parts, "--resume", "--rtl-steps", "19,3"});
    CHECK(passed.exit_code == 2);
    CHECK(passed.error_line() == "tern: --rtl-steps: step 3: the checkpoint stands behind step 19");
    // Of another training.
    const tb::Outcome other =
        run_tern({"run", yaml, "--checkpoint", parts, "--resume", "--seed", "1"});
    CHECK(other.exit_code == 2);
    CHECK(other.error_line() ==
          "tern: " + parts + ": of another training: seed was 0, now it is 1");
    // The right checksum over a state that no step writes.
    std::string bytes = tb::read_bytes(parts);
    bytes.replace(bytes.find("\n\n") + 2, 4, "\xC0\x7F\xC0\x7F");
    bytes.resize(bytes.size() - 4);
    const std::uint32_t crc = base::crc32_of(bytes);
    bytes.append(reinterpret_cast<const char*>(&crc), sizeof crc);
    CHECK_THAT(tb::error_of({"run", yaml, "--checkpoint", folder.put("nan", bytes), "--resume"}),
               Contains(": damaged: 'w0' is not finite"));
  }
}

TEST_CASE("train: epochs that end in one step have its loss") {
  tb::TempFolder folder;
  const std::string yaml = folder.put("w.yaml", workload({{"batch", "1000"}}));
  const Json result = tb::json_of({"run", yaml, "--checkpoint", folder.path("c")});
  REQUIRE(result["loss"].size() == 1);
  REQUIRE(result["epochs"].size() == 2);
  for (const Json& epoch : result["epochs"]) CHECK(epoch["loss"] == result["loss"][0]);
}

TEST_CASE("train: pruned and retrained, interrupted or not") {
  tb::TempFolder folder;
  const std::string yaml =
      folder.put("w.yaml", workload({{"epochs", "4"},
                                     {"more",
                                      "prune: {pattern: 4_16, after_epochs: 3, most_lost: 0.05}\n"
                                      "checkpoint_every: 30\n"}}));
  const std::string whole = folder.path("whole"), parts = folder.path("parts");
  const tb::Outcome outcome = run_tern({"run", yaml, "--checkpoint", whole, "--json"});
  INFO(outcome.out.substr(0, 3000) << outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const Json pruning = Json::parse(outcome.out)["pruning"];
  CHECK(pruning["pattern"] == "4_16");
  CHECK(pruning["accuracy_pruned"].get<double>() > 0);
  CHECK(2 * pruning["sparse_cycles"].get<int>() < pruning["dense_cycles"].get<int>());
  // Weights are pruned before step 30.
  REQUIRE(run_tern({"run", yaml, "--checkpoint", parts}, tb::signal_once_there(parts, SIGINT))
              .exit_code == 1);
  REQUIRE(run_tern({"run", yaml, "--checkpoint", parts, "--resume"}).exit_code == 0);
  CHECK(tb::read_bytes(parts) == tb::read_bytes(whole));
  const tb::Outcome late = run_tern(
      {"run",
       folder.put("l.yaml", workload({{"more", "prune: {pattern: 4_8, after_epochs: 2}\n"}}))});
  CHECK(late.exit_code == 2);
  CHECK_THAT(late.error_line(), Contains("key 'prune.after_epochs': expected"));
}

TEST_CASE("train: images of any size are pruned, the last group of the pattern is not full") {
  tb::TempFolder folder;
  // 35 pixels: two groups of 16, and 3.
  std::string pixels("\0\0\x08\x03\0\0\0\x30\0\0\0\x05\0\0\0\x07", 16);
  std::string labels("\0\0\x08\x01\0\0\0\x30", 8);
  for (unsigned i = 0; i < 48; ++i) {
    labels.push_back(static_cast<char>(i % 4));
    for (unsigned p = 0; p < 35; ++p)
      pixels.push_back(static_cast<char>(p % 4 == i % 4 ? 200 + p : i + p));
  }
  folder.put("i.idx", pixels);
  folder.put("l.idx", labels);
  const std::string yaml =
      folder.put("w.yaml",
                 "kind: train\ndata:\n  training: {images: i.idx, labels: l.idx}\n"
                 "  test: {images: i.idx, labels: l.idx}\nnetwork: {hidden: [16], classes: 4}\n"
                 "batch: 16\nepochs: 2\noptimiser: {kind: sgd, learning_rate: 0.1}\n"
                 "prune: {pattern: 4_16, after_epochs: 1, most_lost: 1}\n");
  const tb::Outcome outcome = run_tern({"run", yaml, "--checkpoint", folder.path("c"), "--json"});
  INFO(outcome.out.substr(0, 3000) << outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK(Json::parse(outcome.out)["pruning"]["largest_difference"].get<double>() < 1e-3);
}

TEST_CASE("train: a loss that is not a number names the tensor and the instruction") {
  tb::TempFolder folder;
  const std::string yaml = folder.put(
      "w.yaml", workload({{"optimiser", "{kind: sgd, learning_rate: 1e38, momentum: 0}"}}));
  const tb::Outcome outcome = run_tern({"run", yaml, "--checkpoint", folder.path("c")});
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.error_line(),
             Contains("is nan; first in step ") && Contains(" [") && Contains("written by ") &&
                 Contains(" queue, instruction ") && Contains(", from sw/train/"));
  CHECK(!std::filesystem::exists(folder.path("c")));
}

TEST_CASE("train: faults of files and options are reported in one line") {
  tb::TempFolder folder;
  const auto error_of = [&](const std::string& text, std::vector<std::string> more = {}) {
    more.insert(more.begin(),
                {"run", folder.put("w.yaml", text), "--checkpoint", folder.path("checkpoint")});
    const auto outcome = run_tern(more);
    INFO(outcome.out << outcome.err);
    CHECK(outcome.exit_code == 2);
    return outcome.error_line();
  };
  CHECK_THAT(error_of("kind: train\n"), Contains("w.yaml:1: key 'network': missing"));
  CHECK_THAT(error_of(workload({{"images", "none"}})), Contains("none: no such file"));
  CHECK_THAT(error_of(workload({{"batch", "0"}})), Contains("key 'batch': expected"));
  CHECK_THAT(error_of(workload({{"network", "{hidden: [16], classes: 9}"}})), Contains("label"));
  CHECK_THAT(
      error_of(workload({{"network", "{hidden: [16384, 16384], classes: 10}"}})),
      Contains("w.yaml: keys 'network', 'batch', 'plan': together too large for SBUF: sbuf_tile "));
  CHECK_THAT(error_of(workload({{"optimiser", "{kind: adam, learning_rate: 1}"}})),
             Contains("expected one of sgd, adamw"));
  CHECK_THAT(error_of(workload({{"optimiser", "{kind: sgd, learning_rate: 1, beta1: 0.5}"}})),
             Contains("unknown key"));
  CHECK_THAT(error_of(workload({{"more", "precision: int8\n"}})),
             Contains("expected one of bf16, mxfp8, stochastic, fp32"));
  CHECK_THAT(error_of(workload(), {"--resume"}), Contains("no such file"));
  CHECK_THAT(error_of(workload(), {"--set", "tensor=rtl"}),
             Contains("key 'tensor': 'rtl': not with kind train, which runs on the model"));
  CHECK_THAT(error_of(workload(), {"--wave", folder.path("w.fst")}),
             Contains("--wave: of kind train the steps in RTL: add --rtl-steps or --rtl"));
  CHECK_THAT(error_of(workload(), {"--rtl-steps", "20"}),
             Contains("step 20: this training has steps 0..19"));
  CHECK_THAT(error_of(workload(), {"--rtl-steps", "x"}), Contains("--rtl-steps"));
  CHECK_THAT(error_of(workload({{"network", "{hidden: [1], classes: 10}"}})),
             Contains("key 'network.hidden[0]': expected a whole number from 2 to"));
  CHECK_THAT(
      error_of(workload({{"epochs", "1"}, {"more", "prune: {pattern: 4_8, after_epochs: 1}\n"}})),
      Contains("key 'prune.after_epochs': expected at least 2 epochs"));
  CHECK_THAT(error_of(workload({{"network", "{hidden: [], classes: 10}"},
                                {"more", "prune: {pattern: 4_8, after_epochs: 1}\n"}})),
             Contains("key 'prune': expected a hidden layer"));
  CHECK_THAT(
      error_of(workload({{"batch", "1000"}, {"more", "prune: {pattern: 4_8, after_epochs: 1}\n"}})),
      Contains("key 'prune.after_epochs': expected a step after it"));
  // An unwritable location for the training is reported before it begins.
  for (const auto& [file, complaint] : {std::pair{folder.path(""), "a file was expected"},
                                        std::pair{folder.path("w.yaml/c"), "cannot write"}}) {
    const auto outcome =
        run_tern({"run", folder.put("w.yaml", workload()), "--checkpoint", file, "--json"});
    CHECK(outcome.exit_code == 2);
    CHECK_THAT(outcome.err, Contains(complaint) && !Contains("step 1"));
  }
  CHECK(error_of(workload(), {"--trace", folder.path("t.json")}) ==
        "tern: --trace: not with kind train; --report draws the first step of the run");
  CHECK_THAT(error_of(workload({{"more", "seed: 3\n"}})), Contains("key 'seed': unknown key"));
  // The error names the script that fetches the data; a checksum that does not match.
  std::string text = workload({{"images", "none"}});
  text.insert(text.find("  training"), "  fetch: scripts/fetch-mnist\n");
  CHECK_THAT(error_of(text), Contains("none: no such file; it is fetched by: scripts/fetch-mnist"));
  text = workload();
  text.insert(text.find(", count"), ", images_crc32: 0x12345678");
  CHECK_THAT(error_of(text), Contains("CRC-32 0x") && Contains("expected 0x12345678"));
  const auto other = run_tern({"run",
                               folder.put("m.yaml",
                                          "kind: matmul\na: {random: [8, 8]}\n"
                                          "b: {random: [8, 8]}\n"),
                               "--resume"});
  CHECK(other.exit_code == 2);
  CHECK_THAT(other.error_line(), Contains("only with kind train"));
}

TEST_CASE("train: weights leave as .npy, and a workload that classifies with them") {
  tb::TempFolder folder;
  for (const char* precision : {"bf16", "stochastic"}) {
    const std::string yaml = folder.put(
        "w.yaml",
        workload({{"network", "{hidden: [16, 12], classes: 10}"},
                  {"more", std::string("name: 'a \"b\" # c'\noutput: trained\nprecision: ") +
                               precision + "\nexpect: {accuracy: 0.3}\n"}}));
    const std::string report = folder.path(precision), trained = report + "/trained";
    const tb::Outcome outcome = run_tern({"run", yaml, "--report", report, "--json"});
    INFO(precision << "\n" << outcome.out.substr(0, 2000) << outcome.err);
    REQUIRE(outcome.exit_code == 0);
    const Json training = Json::parse(outcome.out);
    REQUIRE(training["written"].size() == 7);
    CHECK(training["written"][0] == Json{{"result", "w1"},
                                         {"path", trained + "/w1.npy"},
                                         {"dtype", "float32"},
                                         {"shape", {784, 16}}});
    CHECK(training["written"][3]["shape"] == Json::array({12}));
    const tb::Outcome inference = run_tern({"run", trained + "/mlp.yaml", "--json"});
    INFO(inference.err);
    REQUIRE(inference.exit_code == 0);
    const Json result = Json::parse(inference.out);
    CHECK(result["workload"] == "a \"b\" # c");
    CHECK(result["judged"] == 120);
    CHECK(result["accuracy"] == training["accuracy"]);
    CHECK(result["accuracy_expected"] == 0.3);
    // Also later, from the checkpoint, to another place.
    const std::string again = folder.path("again");
    REQUIRE(run_tern({"run", yaml, "--report", report, "--resume", "--output", again}).exit_code ==
            0);
    CHECK(tb::read_bytes(again + "/w3.npy") == tb::read_bytes(trained + "/w3.npy"));
  }
}

TEST_CASE("train: begins with given weights, also after an interruption") {
  tb::TempFolder folder;
  const std::string first = folder.put("first.yaml", workload({{"more", "output: trained\n"}}));
  REQUIRE(run_tern({"run", first, "--report", folder.path(".")}).exit_code == 0);
  const std::string yaml = folder.put(
      "w.yaml", workload({{"more", "start: trained\noutput: trained2\ncheckpoint_every: 1\n"}}));
  const std::string whole = folder.path("whole"), parts = folder.path("parts");
  const tb::Outcome outcome = run_tern({"run", yaml, "--report", whole, "--json"});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const Json result = Json::parse(outcome.out);
  CHECK(result["loss"][0].get<double>() < 1.2);  // not that of random weights, log 10
  const tb::Outcome cut = run_tern({"run", yaml, "--report", parts},
                                   tb::signal_once_there(parts + "/w.checkpoint", SIGINT));
  REQUIRE(cut.exit_code == 1);
  CHECK(!std::filesystem::exists(parts + "/trained2"));
  REQUIRE(run_tern({"run", yaml, "--report", parts, "--resume"}).exit_code == 0);
  CHECK(tb::read_bytes(parts + "/trained2/w1.npy") == tb::read_bytes(whole + "/trained2/w1.npy"));
  // Other weights, another training.
  std::filesystem::copy_file(whole + "/trained2/b1.npy", folder.path("trained/b1.npy"),
                             std::filesystem::copy_options::overwrite_existing);
  const tb::Outcome other = run_tern({"run", yaml, "--report", parts, "--resume"});
  CHECK(other.exit_code == 2);
  CHECK_THAT(other.error_line(), Contains("of another training: start was 0x"));
}

TEST_CASE("train: weights that do not fit, and places that they must not go to") {
  tb::TempFolder folder;
  const auto message = [&](const std::string& more, std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"run", folder.put("w.yaml", workload({{"more", more}})),
                                     "--report", folder.path(".")});
    const tb::Outcome outcome = run_tern(options);
    INFO(outcome.out << outcome.err);
    CHECK(outcome.exit_code == 2);
    return outcome.error_line();
  };
  CHECK_THAT(message("start: none\n"),
             Contains("w.yaml:9: key 'start': ") && Contains("none/w1.npy: no such file"));
  std::filesystem::create_directory(folder / "own");
  const auto put = [&](const data::Shape& shape, const std::vector<float>& values) {
    data::write_npy(folder / "own/w1.npy", data::make_array(data::DType::kF32, shape, values));
  };
  put({16, 784}, std::vector<float>(16 * 784));
  CHECK_THAT(message("start: own\n"),
             Contains("own/w1.npy: expected shape [784, 16], found [16, 784]"));
  put({784, 16}, std::vector<float>(16 * 784, NAN));
  CHECK_THAT(message("start: own\n"), Contains("w1.npy: expected finite numbers"));
  data::write_npy(folder / "own/w1.npy", data::make_array(data::DType::kI32, {784, 16},
                                                          std::vector<std::int32_t>(16 * 784)));
  CHECK_THAT(message("start: own\n"),
             Contains("expected float16, float32 or float64, found int32"));
  for (const char* name : {"../own", "/etc", ".ssh", "..", "a/b", "{w0: w.npy}", "\"\""})
    CHECK_THAT(message(std::string("output: ") + name + "\n"),
               Contains("w.yaml:9: key 'output': expected the plain name of a folder"));
  CHECK_THAT(message("output: w.yaml\n"), Contains("w.yaml: exists and is not a folder"));
  std::filesystem::create_directory_symlink("own", folder / "link");
  CHECK_THAT(message("output: link\n"), Contains("link: exists and is not a folder"));
  // The weights it begins with are not overwritten, by no name.
  const std::string small = "output: kept\n";
  REQUIRE(run_tern({"run", folder.put("w.yaml", workload({{"more", small}})), "--report",
                    folder.path(".")})
              .exit_code == 0);
  CHECK_THAT(message("start: kept\noutput: kept\n"),
             Contains("kept/w1.npy: an input of this run would be overwritten"));
  CHECK_THAT(message("start: kept\n", {"--output", folder.path("kept")}),
             Contains("--output: ") && Contains("an input of this run would be overwritten"));
  CHECK_THAT(message("start: kept\nscaling: {cores: [1, 2], batch_per_core: 8}\n"),
             Contains("not with a section 'scaling'"));
}

TEST_CASE("train: the name of a workload does not lead its checkpoint out of the folder") {
  tb::TempFolder folder;
  const std::string yaml = folder.put("w.yaml", workload({{"more", "name: ../../away\n"}}));
  REQUIRE(run_tern({"run", yaml, "--report", folder.path("a/b")}).exit_code == 0);
  CHECK(std::filesystem::exists(folder / "a/b/.._.._away.checkpoint"));
}

TEST_CASE("train: a checkpoint replaces only a checkpoint, and needs no folder to stay") {
  tb::TempFolder folder;
  const std::string yaml = folder.put("w.yaml", workload({{"more", "checkpoint_every: 1\n"}}));
  const std::string notes = folder.put("notes", "mine");
  CHECK(tb::error_of({"run", yaml, "--checkpoint", notes}) ==
        "tern: " + notes + ": exists and is not a checkpoint, so it is not replaced");
  CHECK(tb::read_bytes(notes) == "mine");
  const std::string own = folder.path("own/w.checkpoint");
  std::filesystem::create_directory(folder / "own");
  const tb::Outcome outcome = run_tern({"run", yaml, "--checkpoint", own}, [&](int pid) {
    tb::signal_once_there(own, 0)(pid);
    std::filesystem::remove_all(folder / "own");
  });
  INFO(outcome.err);
  CHECK(outcome.exit_code == 0);
  CHECK(std::filesystem::exists(own));
}
