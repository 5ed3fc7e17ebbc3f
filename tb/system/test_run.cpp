// SPDX-License-Identifier: Apache-2.0
// The main job, as a user starts it.
#include <catch2/catch.hpp>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>

#include "sw/data/npy.h"
#include "tb/common/seed.h"
#include "tb/common/temp_folder.h"
#include "tb/system/process.h"

using namespace tern;  // NOLINT: test file
using tb::run_tern;

namespace {

const std::string kDigits = std::string(TERN_SOURCE_DIR) + "/sw/examples/digits/digits.yaml";
const std::string kMatmul = std::string(TERN_SOURCE_DIR) + "/sw/examples/matmul/matmul.yaml";

nlohmann::json run_json(std::vector<std::string> arguments) {
  arguments.emplace_back("--json");
  const tb::Outcome outcome = run_tern(arguments);
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return nlohmann::json::parse(outcome.out);
}

std::string write_floats(const tb::TempFolder& folder, const std::string& name, data::Shape shape,
                         const std::vector<float>& values) {
  data::write_npy(folder.path(name), data::make_array(data::DType::kF32, std::move(shape), values));
  return name;
}

}  // namespace

TEST_CASE("digits on the RTL: accuracy, and the same bits and cycles as the model") {
  const auto result = run_json({"run", kDigits, "--tensor", "rtl"});
  CHECK(result["passed"] == true);
  CHECK(result["judged"] >= 1000);
  CHECK(result["accuracy"] >= 0.95);
  CHECK(result["cycles_agree"] == true);
  CHECK(result["times_agree"] == true);
  REQUIRE(result["comparisons"].size() == 2);
  for (const auto& c : result["comparisons"]) CHECK(c["mismatches"] == 0);
  CHECK(result["executions"][0]["backend"] == "rtl");
  CHECK(result["executions"][0]["rtl_cycles"] > 1000);
  CHECK(result["executions"][1]["backend"] == "model");
}

TEST_CASE("every block of core 0 in RTL: the bits, cycles and times of the models") {
  tb::TempFolder folder;
  const std::string yaml =
      folder.put("w.yaml", "kind: matmul\na: {random: [256, 160]}\nb: {random: [256, 600]}\n");
  const auto result = run_json({"run", yaml, "--rtl", "all"});
  CHECK(result["passed"] == true);
  CHECK(result["cycles_agree"] == true);
  CHECK(result["times_agree"] == true);
  const auto& rtl = result["executions"][0];
  for (const char* key :
       {"backend", "exp_backend", "mx_backend", "near_memory_backend", "dma_backend"}) {
    CHECK(rtl[key] == "rtl");
    CHECK(result["executions"][1][key] == "model");
  }
  CHECK(rtl["rtl_cycles"] > 0);
  CHECK(rtl["dma_rtl_cycles"] > 0);
  // A chip without the unit of exponentials, MX and adders has the other blocks.
  const auto old = run_json({"run", yaml, "--rtl", "all", "--chip", "trn2"});
  CHECK(old["passed"] == true);
  CHECK(old["executions"][0]["exp_backend"] == "model");
  CHECK(old["executions"][0]["dma_backend"] == "rtl");
  CHECK(tb::error_of({"run", yaml, "--rtl", "mx", "--chip", "trn2"}) ==
        "tern: key 'mx': 'rtl': chip 'trn2' has no MX converters (core.tensor.features.mx is "
        "false)");
  CHECK(tb::error_of({"run", yaml, "--rtl", "all", "--rtl-cores", "1"}) ==
        "tern: --rtl-cores: core 0, which runs this workload, is not among them");
  CHECK(tb::error_of({"run", yaml, "--rtl", "array"})
            .find("expected all, tensor, exp, mx, near-memory, dma, got 'array'") !=
        std::string::npos);
}

TEST_CASE("a workload on another core takes the same time, on the model and in RTL") {
  tb::TempFolder folder;
  const std::string yaml =
      folder.put("w.yaml", "kind: matmul\na: {random: [256, 160]}\nb: {random: [256, 600]}\n");
  const auto first = run_json({"run", yaml});
  const auto last = run_json({"run", yaml, "--core", "6"});
  CHECK(last["executions"][0]["core"] == 6);
  // The host's copies end at another phase of the clocks.
  CHECK(last["executions"][0]["simulated_us"].get<double>() ==
        Approx(first["executions"][0]["simulated_us"].get<double>()).epsilon(0.03));

  const auto rtl = run_json({"run", yaml, "--core", "6", "--rtl", "all"});
  CHECK(rtl["passed"] == true);
  CHECK(rtl["times_agree"] == true);
  CHECK(rtl["executions"][0]["rtl_cycles"] > 0);
  const auto all = run_json({"run", yaml, "--core", "6", "--rtl", "all", "--rtl-cores", "all"});
  CHECK(all["times_agree"] == true);
  CHECK(all["executions"][0]["rtl_cycles"] == rtl["executions"][0]["rtl_cycles"]);

  CHECK(tb::error_of({"run", yaml, "--core", "8"}) ==
        "tern: --core: expected 0 to 7 of chip 'trn3', got 8");
  const std::string train =
      std::string(TERN_SOURCE_DIR) + "/sw/examples/train_digits/train_small.yaml";
  CHECK(tb::error_of({"run", train, "--core", "1"}).find("--core: only with kind ") !=
        std::string::npos);
}

TEST_CASE("attention with the exponential unit in RTL with its model") {
  const std::string attention =
      std::string(TERN_SOURCE_DIR) + "/sw/examples/attention/attention.yaml";
  const auto result = run_json({"run", attention, "--exp", "both"});
  CHECK(result["passed"] == true);
  for (const auto& c : result["comparisons"]) CHECK(c["mismatches"] == 0);
  CHECK(result["executions"][0]["exp_backend"] == "both");
  CHECK(result["executions"][0]["exp_rtl_results"] >= 2048 * 2048);
  // The cycles of the whole pipeline: a quarter of the elements, and its stages for each tile.
  CHECK(result["executions"][0]["exp_rtl_cycles"] > 2048 * 2048 / 4 / 128);
  CHECK(result["executions"][0]["exp_rtl_cycles"] == result["executions"][0]["exp_model_cycles"]);
  CHECK(result["cycles_agree"] == true);
  CHECK(result["executions"][0]["mfu"] > 0.5);
  CHECK(result["executions"][0]["mfu"] < result["executions"][0]["tensor_utilisation"]);
  CHECK(result["executions"][1]["exp_backend"] == "model");
  CHECK(result["executions"][1]["exp_rtl_results"] == 0);
}

TEST_CASE("digits on the model take the cycles they take on the RTL") {
  const auto model = run_json({"run", kDigits, "--tensor", "model"});
  const auto both = run_json({"run", kDigits, "--tensor", "both"});
  CHECK(model["executions"][0]["tensor_cycles"] == both["executions"][0]["tensor_cycles"]);
  CHECK(model["executions"][0]["simulated_us"] == both["executions"][0]["simulated_us"]);
}

TEST_CASE("digits run on trn2 as well, slower in DMA") {
  const auto trn3 = run_json({"run", kDigits});
  const auto trn2 = run_json({"run", kDigits, "--chip", "trn2"});
  CHECK(trn2["passed"] == true);
  CHECK(trn2["executions"][0]["simulated_us"] > trn3["executions"][0]["simulated_us"]);
}

TEST_CASE("a run repeats bit for bit and fs for fs, another seed gives other numbers") {
  auto strip = [](nlohmann::json j) {
    for (auto& e : j["executions"]) {
      e.erase("wall_s");
      e.erase("rtl_wall_s");
    }
    return j;
  };
  const auto first = strip(run_json({"run", kMatmul, "--seed", "3"}));
  CHECK(first == strip(run_json({"run", kMatmul, "--seed", "3"})));
  CHECK(first["error_rms_fp64"] != run_json({"run", kMatmul, "--seed", "4"})["error_rms_fp64"]);
}

TEST_CASE("a user's own network of ragged sizes") {
  std::mt19937 random(static_cast<unsigned>(tb::test_seed()));
  std::normal_distribution<float> normal;
  const auto draw = [&](std::size_t n) {
    std::vector<float> v(n);
    for (float& x : v) x = normal(random);
    return v;
  };
  tb::TempFolder folder;
  write_floats(folder, "x.npy", {37, 131}, draw(37 * 131));
  write_floats(folder, "w1.npy", {131, 150}, draw(131 * 150));
  write_floats(folder, "b1.npy", {150}, draw(150));
  write_floats(folder, "w2.npy", {150, 65}, draw(150 * 65));
  write_floats(folder, "b2.npy", {65}, draw(65));
  write_floats(folder, "w3.npy", {65, 7}, draw(65 * 7));
  write_floats(folder, "b3.npy", {7}, draw(7));
  const std::string yaml = folder.put("mine.yaml",
                                      "name: mine\nkind: mlp\ninput: {tensor: x.npy}\nlayers:\n"
                                      "  - {weight: w1.npy, bias: b1.npy, activation: relu}\n"
                                      "  - {weight: w2.npy, bias: b2.npy, activation: relu}\n"
                                      "  - {weight: w3.npy, bias: b3.npy, activation: softmax}\n");
  const auto result = run_json({"run", yaml, "--tensor", "both"});
  CHECK(result["description"] == "mlp 131-150-65-7, 37 inputs");
  CHECK(result["passed"] == true);
}

TEST_CASE("an expected output is judged with its tolerance") {
  tb::TempFolder folder;
  // C = A^T B for A = [[1, 2], [3, 4]], B = [[5], [6]]
  write_floats(folder, "a.npy", {2, 2}, {1, 2, 3, 4});
  write_floats(folder, "b.npy", {2, 1}, {5, 6});
  write_floats(folder, "c.npy", {2, 1}, {23, 34});
  write_floats(folder, "wrong.npy", {2, 1}, {23, 35});
  const std::string head = "kind: matmul\na: a.npy\nb: b.npy\nexpect: ";
  const std::string good = folder.put("good.yaml", head + "{output: c.npy, tolerance: 0}\n");
  const std::string bad = folder.put("bad.yaml", head + "{output: wrong.npy, tolerance: 0.01}\n");
  CHECK(run_json({"run", good, "--tensor", "rtl"})["error_expected"] == 0);
  const auto outcome = run_tern({"run", bad});
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.out.find("FAILED") != std::string::npos);
}

TEST_CASE("results that are NaN in FP64 too have no error, and are counted") {
  tb::TempFolder folder;
  write_floats(folder, "a.npy", {2, 2}, {1, NAN, 3, 4});
  write_floats(folder, "b.npy", {2, 1}, {5, 6});
  write_floats(folder, "c.npy", {2, 1}, {23, NAN});
  const std::string yaml = folder.put(
      "w.yaml", "kind: matmul\na: a.npy\nb: b.npy\nexpect: {output: c.npy, tolerance: 0}\n");
  const auto outcome = run_tern({"run", yaml, "--quiet", "--report", folder.path("out")});
  INFO(outcome.out);
  CHECK(outcome.exit_code == 0);  // NaN is expected and delivered
  CHECK(outcome.out.find("; 1 result NaN or infinite in FP64, and here") != std::string::npos);
  CHECK(outcome.err.find("warning: ") != std::string::npos);  // not progress
  const auto report = nlohmann::json::parse(tb::read_bytes(folder.path("out/report.json")));
  CHECK(report["not_finite"] == 1);
  CHECK(report["error_rms_fp64"] == 0);
  CHECK(report["warnings"].size() == 1);
}

TEST_CASE("report, trace and waveform are complete files under the requested names") {
  tb::TempFolder folder;
  const auto outcome =
      run_tern({"run", kMatmul, "--tensor", "rtl", "--report", folder.path("report"), "--trace",
                folder.path("trace.json"), "--wave", folder.path("wave.fst"), "--wave-scope",
                "core0.tensor.u_ctrl", "--wave-from", "10", "--wave-to", "500"});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK(folder.files() == std::vector<std::string>{"report", "trace.json", "wave.fst"});
  const auto trace = nlohmann::json::parse(tb::read_bytes(folder.path("trace.json")));
  CHECK(trace["traceEvents"].size() > 100);
  const auto report = nlohmann::json::parse(tb::read_bytes(folder.path("report/report.json")));
  CHECK(report["passed"] == true);
  CHECK(tb::read_bytes(folder.path("report/report.md")).find("| tensor |") != std::string::npos);
  for (const char* file : {"/report/report.html", "/trace.json", "/wave.fst"}) {
    CHECK(outcome.out.find(folder.path().string() + file) != std::string::npos);
  }
}

TEST_CASE("an interrupted run stops soon, reports it and leaves no file under a final name") {
  tb::TempFolder folder;
  const std::string yaml = folder.put(
      "long.yaml", "kind: matmul\na: {random: [2048, 2048]}\nb: {random: [2048, 4096]}\n");
  const auto outcome =
      run_tern({"run", yaml, "--tensor", "rtl", "--report", folder.path("report"), "--trace",
                folder.path("trace.json"), "--wave", folder.path("wave.fst"), "--wave-to", "100"},
               // The engine is there: the run has begun.
               tb::signal_once_there(folder.path("wave.fst.partial"), SIGINT));
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.error_line() == "tern: interrupted");
  for (const auto& name : folder.files()) {
    INFO(name);
    CHECK(name != "trace.json");
    CHECK(name != "wave.fst");
  }
  CHECK(tb::read_bytes(folder.path("report/report.md")).empty());
  CHECK(tb::read_bytes(folder.path("report/report.json")).empty());
  CHECK(tb::read_bytes(folder.path("report/report.html")).empty());
}

namespace {

// Two images of three pixels and their labels, as IDX files.
void write_images(const tb::TempFolder& folder, char label0, char label1) {
  using namespace std::string_literals;
  folder.put("images", "\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x03"s + "\1\2\3\3\2\1");
  folder.put("labels", "\0\0\x08\x01\0\0\0\x02"s + label0 + label1);
}

std::string mlp_text(const std::string& input, const std::string& expect) {
  return "kind: mlp\ninput: {" + input +
         "}\nlayers:\n  - {weight: w.npy, bias: b.npy, activation: softmax}\nexpect: {" + expect +
         "}\n";
}

}  // namespace

TEST_CASE("an answer that is NaN is never correct") {
  tb::TempFolder folder;
  write_images(folder, 0, 0);
  write_floats(folder, "w.npy", {3, 4}, std::vector<float>(12, NAN));
  write_floats(folder, "b.npy", {4}, std::vector<float>(4));
  const auto yaml =
      folder.put("w.yaml", mlp_text("images: images, labels: labels", "accuracy: 0.5"));
  const auto outcome = run_tern({"run", yaml, "--json"});
  CHECK(outcome.exit_code == 1);
  const auto result = nlohmann::json::parse(outcome.out);
  CHECK(result["correct"] == 0);
  CHECK(result["comparisons"][0]["mismatches"] == 0);
}

TEST_CASE("images may have more than ten classes") {
  tb::TempFolder folder;
  write_images(folder, 11, 11);
  write_floats(folder, "w.npy", {3, 12}, std::vector<float>(36));
  std::vector<float> bias(12);
  bias[11] = 1;
  write_floats(folder, "b.npy", {12}, bias);
  const auto yaml = folder.put("w.yaml", mlp_text("images: images, labels: labels", "accuracy: 1"));
  CHECK(run_json({"run", yaml})["correct"] == 2);
}

TEST_CASE("a scale that FP32 cannot hold is refused") {
  tb::TempFolder folder;
  write_images(folder, 0, 0);
  write_floats(folder, "w.npy", {3, 4}, std::vector<float>(12));
  write_floats(folder, "b.npy", {4}, std::vector<float>(4));
  for (const char* scale : {"1e300", "3.5e38", "1e-300"}) {
    const std::string yaml = folder.put(
        "w.yaml",
        mlp_text(std::string("images: images, labels: labels, scale: ") + scale, "accuracy: 0"));
    const auto outcome = run_tern({"run", yaml});
    INFO(scale << ": " << outcome.err);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.error_line().find("key 'input.scale'") != std::string::npos);
  }
}

TEST_CASE("an expected infinity is met by the same infinity only") {
  tb::TempFolder folder;
  write_floats(folder, "a.npy", {1, 1}, {INFINITY});
  write_floats(folder, "b.npy", {1, 2}, {1, -1});
  for (const bool same : {true, false}) {
    write_floats(folder, "c.npy", {1, 2}, {INFINITY, same ? -INFINITY : INFINITY});
    const std::string yaml = folder.put(
        "w.yaml", "kind: matmul\na: a.npy\nb: b.npy\nexpect: {output: c.npy, tolerance: 0}\n");
    CHECK(run_tern({"run", yaml}).exit_code == (same ? 0 : 1));
  }
}

TEST_CASE("file names need not be UTF-8") {
  tb::TempFolder folder;
  const auto yaml =
      folder.put("\xff.yaml", "kind: matmul\na: {random: [2, 3]}\nb: {random: [2, 3]}\n");
  CHECK(run_json({"run", yaml, "--report", folder.path("report")})["passed"] == true);
}

// The second execution starts later: the edges of the clocks must not fall differently there.
TEST_CASE("both executions of a run take the same cycles, whatever the clocks") {
  tb::TempFolder folder;
  const auto yaml =
      folder.put("w.yaml", "kind: matmul\na: {random: [65, 4]}\nb: {random: [65, 512]}\n");
  for (const char* clock : {"1.2", "0.96", "1.4", "1.2345"}) {
    const auto result = run_json(
        {"run", yaml, "--tensor", "rtl", "--set", std::string("core.vector.clock_ghz=") + clock});
    CHECK(result["executions"][0]["tensor_cycles"] == result["executions"][1]["tensor_cycles"]);
    CHECK(result["executions"][0]["simulated_us"].get<double>() ==
          Approx(result["executions"][1]["simulated_us"].get<double>()).epsilon(1e-9));
  }
}

TEST_CASE("MFU is over the array's peak in the mode used, however full the array is") {
  tb::TempFolder folder;
  for (const unsigned k : {128u, 130u, 512u}) {
    const std::string yaml = folder.put(
        "w.yaml", "kind: matmul\ndtype: mxfp8_e4m3fn\na: {random: [" + std::to_string(k) +
                      ", 128]}\nb: {random: [" + std::to_string(k) + ", 512]}\n");
    const auto e = tb::json_of({"run", yaml})["executions"][0];
    const double peak =
        e["macs"].get<double>() / e["mfu"].get<double>() / e["simulated_us"].get<double>() * 1e-6;
    CHECK(peak == Approx(4 * 128 * 128 * 2.4e-3));  // 10^12 multiplications per second
  }
}

TEST_CASE("an exponential unit that is not there is refused, one without work says so") {
  tb::TempFolder folder;
  const std::string yaml =
      folder.put("w.yaml", "kind: matmul\na: {random: [32, 16]}\nb: {random: [32, 8]}\n");
  CHECK(
      tb::error_of({"run", yaml, "--chip", "trn2", "--exp", "both"}) ==
      "tern: key 'exp': 'both': chip 'trn2' has no exponential unit (core.vector.exp_per_cycle is "
      "0)");
  const tb::Outcome idle = tb::run_tern({"run", yaml, "--exp", "both"});
  CHECK(idle.exit_code == 0);
  CHECK(idle.out.find("no exponential work") != std::string::npos);
  CHECK(idle.out.find("no tensor work") == std::string::npos);
}
