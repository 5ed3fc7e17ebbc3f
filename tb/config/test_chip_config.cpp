// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "sw/base/user_error.h"
#include "sw/config/chip_schema.h"
#include "sw/config/chip_settings.h"
#include "sw/config/dma_rates.h"
#include "sw/config/load_chip_config.h"

using tern::Backend;
using tern::load_chip_config;

namespace {

// A separate folder for each test process.
class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() /
              ("tern_config_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::string error_of(const std::string& name,
                     const std::vector<tern::ConfigOverride>& overrides = {}) {
  try {
    load_chip_config(name, overrides);
  } catch (const tern::UserError& error) {
    return error.what();
  }
  return "no error";
}

const tern::ConfigValue& value_of(const tern::ResolvedConfig& config, const std::string& key) {
  const auto found = std::find_if(config.values.begin(), config.values.end(),
                                  [&](const auto& value) { return value.key == key; });
  REQUIRE(found != config.values.end());
  return *found;
}

}  // namespace

TEST_CASE("presets carry the public figures") {
  const auto trn2 = load_chip_config("trn2").chip;
  const auto trn3 = load_chip_config("trn3").chip;
  for (const auto& chip : {trn2, trn3}) {
    CHECK(chip.cores == 8);
    CHECK(chip.core.tensor_clock_ghz == 2.4);
    CHECK(chip.core.scalar.clock_ghz == 1.2);
    CHECK(chip.core.gpsimd.clock_ghz == 1.2);
    CHECK(chip.core.sync.clock_ghz == 1.2);
    CHECK(chip.core.vector.min_interval == 64);
    CHECK(chip.dma_backend == chip.tensor);
    CHECK(chip.hbm.stacks == 4);
    CHECK(chip.host.bandwidth_gb_per_s == 16);
    CHECK(chip.tensor == std::vector<Backend>(8, Backend::kModel));
    CHECK(chip.exp == chip.tensor);
    CHECK(chip.mx == chip.tensor);
    CHECK(chip.near_memory == chip.tensor);
  }
  // Its network has no classes, so its memory has none.
  CHECK_FALSE(memory_of(trn2).by_class);
  CHECK_FALSE(trn2.core.tensor.mx);
  CHECK_FALSE(trn2.core.tensor.quad);
  CHECK_FALSE(trn2.core.tensor.e4m3fn);
  CHECK_FALSE(trn2.core.tensor.bf16_result);
  CHECK(trn2.core.tensor.max_moving == 512);
  CHECK(memory_of(trn3).by_class);
  CHECK(trn3.core.tensor.mx);
  CHECK(trn3.core.tensor.quad);
  CHECK(trn3.core.tensor.e4m3fn);
  CHECK(trn3.core.tensor.bf16_result);
  CHECK(trn3.core.tensor.max_moving == 4096);
  CHECK_FALSE(trn2.core.scalar_features.double_rate);
  CHECK_FALSE(trn2.core.scalar_features.all_operators);
  CHECK(trn3.core.scalar_features.double_rate);
  CHECK(trn3.core.scalar_features.all_operators);
  CHECK(trn2.core.vector.clock_ghz == 0.96);
  CHECK(trn3.core.vector.clock_ghz == 1.2);
  CHECK(trn2.core.vector.exp_per_cycle == 0);
  CHECK(trn3.core.vector.exp_per_cycle == 4);
  CHECK(trn2.core.sbuf_partition_bytes == 224 * 1024);
  CHECK(trn3.core.sbuf_partition_bytes == 256 * 1024);
  CHECK(trn2.hbm.stack_bytes == 24ull << 30);
  CHECK(trn3.hbm.stack_bytes == 36ull << 30);
  CHECK(trn2.hbm.gb_per_s() == Approx(2900).epsilon(0.01));
  CHECK(trn3.hbm.gb_per_s() == Approx(4900).epsilon(0.01));
  CHECK(trn2.noc.qos.policy == tern::qos::Policy::kRoundRobin);
  CHECK(trn3.noc.qos.policy == tern::qos::Policy::kStrict);
  CHECK(trn3.noc.qos.shares[0] == 0.4);
  CHECK(theoretical_gb_per_s(trn2) == Approx(16 * 27.2));
  CHECK(theoretical_gb_per_s(trn3) == Approx(16 * 38.4));
  CHECK(practical_gb_per_s(trn2) == Approx(422));
  CHECK(practical_gb_per_s(trn3) == Approx(16 * 33));
}

TEST_CASE("every value of a preset has its source") {
  const auto config = load_chip_config("trn3");
  CHECK(config.values.size() == tern::config::chip_schema().size() + 2);
  for (const auto& value : config.values) {
    INFO(value.key);
    CHECK(value.source.rfind("sw/config/presets/trn3.yaml:", 0) == 0);
    if (value.key != "name") CHECK_FALSE(value.comment.empty());
  }
  CHECK(value_of(config, "hbm.timing.t_rcd").comment.rfind("assumption", 0) == 0);
}

TEST_CASE("what a preset leaves to the one it builds on has a source and a comment, too") {
  for (const char* name : {"trn1", "trn2"}) {
    const auto config = load_chip_config(name);
    CHECK(config.values.size() == tern::config::chip_schema().size() + 2);
    for (const auto& value : config.values) {
      INFO(value.key);
      CHECK(value.source.rfind("sw/config/presets/trn", 0) == 0);
      if (value.key != "name") CHECK_FALSE(value.comment.empty());
    }
    CHECK(value_of(config, "name").source.find(name) != std::string::npos);
    CHECK(value_of(config, "hbm.timing.t_rcd").source.find("trn3.yaml") != std::string::npos);
  }
}

TEST_CASE("presets are found from any folder, and a folder of presets comes first") {
  const Folder folder;
  std::filesystem::current_path("/");
  CHECK(load_chip_config("trn3").chip.name == "trn3");
  folder.write("tiny.yaml", "preset: trn3\nname: tiny\ncores: 1\n");
  folder.write("trn2.yaml", "preset: trn3\nname: mine\n");
  setenv("TERN_PRESET_DIR", folder.path().c_str(), 1);
  CHECK(load_chip_config("tiny").chip.cores == 1);
  CHECK(load_chip_config("trn2").chip.name == "mine");
  const auto names = tern::preset_names();
  CHECK(names == std::vector<std::string>{"tiny", "trn1", "trn2", "trn3"});
  unsetenv("TERN_PRESET_DIR");
}

TEST_CASE("the stages of the tensor engine are 1, 3 or 5") {
  CHECK(load_chip_config("trn3").chip.core.tensor_stages == 1);
  CHECK(load_chip_config("trn1").chip.core.tensor_stages == 1);
  const auto stages = [](const char* value) {
    return load_chip_config("trn3", {{"core.tensor.stages", value, "--set"}});
  };
  CHECK(stages("5").chip.core.tensor_stages == 5);
  using Catch::Contains;
  CHECK_THROWS_WITH(stages("2"), Contains("core.tensor.stages") && Contains("1, 3, 5"));
}

TEST_CASE("a file overrides its preset, the command line overrides the file") {
  const Folder folder;
  const auto file =
      folder.write("my.yaml",
                   "preset: trn3\ncores: 2  # fewer\ndma:\n  efficiency: 0.6\n"
                   "  doorbell_latency_ns: 0\ntensor: {1: both}\nhbm: {stack_gib: 0.5}\n");
  const auto config = load_chip_config(
      file, {{"dma.efficiency", "0.75", "command line"}, {"tensor.0", "rtl", "--tensor"}});
  CHECK(config.chip.cores == 2);
  CHECK(config.chip.dma.efficiency == 0.75);
  CHECK(config.chip.dma.doorbell_latency_ns == 0);
  CHECK(config.chip.dma.clock_ghz == 0.6);
  CHECK(config.chip.hbm.stack_bytes == 512ull << 20);
  CHECK(config.chip.tensor == std::vector<Backend>{Backend::kRtl, Backend::kBoth});
  CHECK(value_of(config, "cores").source == file + ":2");
  CHECK(value_of(config, "cores").comment == "fewer");
  CHECK(value_of(config, "dma.efficiency").source == "command line");
  CHECK(value_of(config, "tensor.0").source == "--tensor");
  CHECK(value_of(config, "tensor.1").source == file + ":6");
  CHECK(value_of(config, "tensor").value == "model");
}

TEST_CASE("a chip inside a workload file") {
  const auto top = tern::config::YamlMap::from_text(
      "kind: mlp\nchip:\n  preset: trn2\n  hbm: {front_ns: 5}\n", "w.yaml");
  CHECK(load_chip_config(top.get("chip").as_map()).chip.hbm.front_ns == 5);
  const auto bad = tern::config::YamlMap::from_text("chip:\n  preset: trn2\n  hmb: {}\n", "w.yaml");
  CHECK_THROWS_WITH(load_chip_config(bad.get("chip").as_map()),
                    "w.yaml:3: key 'chip.hmb': unknown key, did you mean 'hbm'?");
}

TEST_CASE("mistakes are named by file, line and key") {
  const Folder folder;
  const auto check = [&](const std::string& text, const std::string& expected) {
    const auto file = folder.write("bad.yaml", text);
    CHECK(error_of(file) == file + expected);
  };
  const std::string p = "preset: trn3\n";
  check(p + "dma:\n  clock_ghz: fast\n",
        ":3: key 'dma.clock_ghz': expected a number from 0.001 to 1000, got 'fast'");
  check(p + "---\npreset: trn2\n", ":3: expected one document, here is another");
  // yaml-cpp's reader of all documents does not return from these.
  check(",", ":1: not YAML: no value begins like this");
  check(",\xbc", ":1: not YAML: no value begins like this");
  check("# a comment\n, b: 1\n", ":2: not YAML: no value begins like this");
  CHECK(error_of("trn3", {{"dma.efficiency", ",", "--set"}}) ==
        "--set: key 'dma.efficiency': not YAML: no value begins like this");
  check(p + "...\n{[\n", ":4: not YAML: end of sequence flow not found");
  check(p + "dma:\n  doorbell_latency: 1\n",
        ":3: key 'dma.doorbell_latency': unknown key, did you mean 'doorbell_latency_ns'?");
  check(p + "coers: 4\n", ":2: key 'coers': unknown key, did you mean 'cores'?");
  check(p + "cores: 0\n", ":2: key 'cores': expected a whole number from 1 to 64, got '0'");
  check(p + "cores: 65\n", ":2: key 'cores': expected a whole number from 1 to 64, got '65'");
  check(p + "dma: 3\n", ":2: key 'dma': expected a mapping of keys, got '3'");
  check(p + "dma: {efficiency: 1.5}\n",
        ":2: key 'dma.efficiency': expected a number from 0.51 to 1, got '1.5'");
  check(p + "hbm: {stack_gib: 0.0011}\n",
        ":2: key 'hbm.stack_gib': expected a whole number of MiB, got '0.0011'");
  check(p + "noc: {shares: [0.5, 0.6, 0, 0]}\n",
        ":2: key 'noc.shares': expected shares of at most 1 together, got '[0.5, 0.6, 0, 0]'");
  check(p + "noc: {shares: [0.5]}\n",
        ":2: key 'noc.shares': expected a list of 4 shares, class 0 first, got '[0.5]'");
  check(p + "noc: {policy: fair}\n",
        ":2: key 'noc.policy': expected one of round_robin, strict, weighted, got 'fair'");
  check(p + "hbm: {stack_gib: 65}\n",
        ":2: key 'hbm.stack_gib': expected a number from 0.0009765625 to 64, got '65'");
  check(p + "hbm: {pin_gbps: 100}\n", ":2: key 'hbm.pin_gbps': expected 0.5 to 16, got '100'");
  check(p + "hbm: {front_ns: 20000}\n", ":2: key 'hbm.front_ns': expected 0 to 10000, got '20000'");
  check(p + "hbm: {timing: {t_ras: 20, t_rc: 19}}\n",
        ":2: key 'hbm.timing.t_rc': expected at least t_ras, got '19'");
  check(p + "core: {sbuf_kib_per_partition: 257}\n",
        ":2: key 'core.sbuf_kib_per_partition': expected a whole number from 1 to 256, got '257'");
  check(p + "exp: fpga\n", ":2: key 'exp': expected one of model, rtl, both, got 'fpga'");
  check(p + "tensor: rlt\n", ":2: key 'tensor': expected one of model, rtl, both, fpga, got 'rlt'");
  check(p + "tensor: {8: rtl}\n", ":2: key 'tensor.8': expected a core from 0 to 7");
  check(p + "tensor: {x: rtl}\n", ":2: key 'tensor.x': expected the number of a core");
  check(p + "tensor: [rtl]\n",
        ":2: key 'tensor': expected a list of 8 entries, one per core, got '[rtl]'");
  check("preset: trn9\n", ":1: key 'preset': expected trn1, trn2, trn3 or a YAML file, got 'trn9'");
  check("preset: bad.yaml\n", ":1: key 'preset': more than 8 files build on each other");  // itself
  check("name: x\ncores: 1\n",
        ":1: key 'core.tensor.clock_ghz': missing (name a preset to build on: trn1, trn2, trn3)");
  CHECK(error_of("trn9") == "unknown chip 'trn9': expected trn1, trn2, trn3 or a YAML file");
  CHECK(error_of("none.yaml") == "none.yaml: cannot read: No such file or directory");
  CHECK(error_of("trn3", {{"dma.x", "1", "command line"}})
            .rfind("command line: key 'dma.x': unknown key", 0) == 0);
  CHECK(error_of("trn3", {{"dma..x", "1", "--set"}}) ==
        "--set: key 'dma..x': expected names joined by dots");
}

TEST_CASE("settings that do nothing on a chip are said") {
  const auto warned = [](const std::string& chip, const std::string& key, const std::string& value,
                         const std::string& other = "", const std::string& to = "") {
    std::vector<tern::ConfigOverride> overrides = {{key, value, "--set"}};
    if (!other.empty()) overrides.push_back({other, to, "--set"});
    for (const std::string& line : tern::load_chip_config(chip, overrides).warnings) {
      if (line.find("'" + key + "': no effect") != std::string::npos) return true;
    }
    return false;
  };
  CHECK(warned("trn1", "dma.descriptors", "by_length"));
  CHECK(warned("trn1", "dma.hwdge_clock_ghz", "1"));
  CHECK_FALSE(warned("trn1", "dma.descriptors", "host"));
  CHECK_FALSE(warned("trn2", "dma.descriptors", "hardware"));
  CHECK(warned("trn3", "hbm.refresh_postpone", "4", "hbm.refresh", "blocking"));
  CHECK(warned("trn3", "hbm.refresh_postpone", "4", "hbm.refresh", "off"));
  CHECK_FALSE(warned("trn3", "hbm.refresh_postpone", "4"));
}

TEST_CASE("chip settings: every key of a chip's file is in them") {
  using tern::chip_settings;
  const tern::ResolvedConfig resolved = load_chip_config("trn3");
  const auto settings = chip_settings(resolved.chip);
  CHECK(chip_settings(load_chip_config("trn3").chip) == settings);
  // What makes no difference to a chip of models.
  const std::vector<std::string> others = {"name", "tensor",      "exp",
                                           "mx",   "near_memory", "dma_backend"};
  std::string missing;
  for (const tern::ConfigValue& value : resolved.values) {
    if (std::find(others.begin(), others.end(), value.key) != others.end()) continue;
    if (value.key.rfind("energy.", 0) == 0) continue;  // of estimates, after the run
    // Some of these are other values that go with the rest.
    bool differs = false;
    for (const char* text : {"1",
                             "2",
                             "3",
                             "5",
                             "0.5",
                             "0.75",
                             "2000",
                             "16",
                             "64",
                             "100",
                             "true",
                             "false",
                             "round_robin",
                             "strict",
                             "weighted",
                             "[0, 0, 0, 0.1]",
                             "off",
                             "all_bank",
                             "host",
                             "hardware",
                             "0"}) {
      try {
        differs =
            differs ||
            chip_settings(load_chip_config("trn3", {{value.key, text, "test"}}).chip) != settings;
      } catch (const tern::UserError&) {
      }
    }
    if (!differs) missing += value.key + " ";
  }
  CHECK(missing == "");
  CHECK(settings.size() > 80);
}
