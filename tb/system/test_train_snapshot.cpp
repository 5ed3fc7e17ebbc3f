// SPDX-License-Identifier: Apache-2.0
// A training whose chip is saved and continues in another process.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "tb/common/temp_folder.h"
#include "tb/system/process.h"

using namespace tern;  // NOLINT: test file
using Catch::Contains;
using Json = nlohmann::json;

namespace {

const std::string kData = std::string(TERN_SOURCE_DIR) + "/sw/examples/digits/data/";

// 20 steps of a small network with random rounding, on two cores.
std::string workload(const std::string& more = "cores: 2\n") {
  return "kind: train\nnetwork: {hidden: [16], classes: 10}\nbatch: 50\nepochs: 2\n"
         "precision: stochastic\noptimiser: {kind: sgd, learning_rate: 0.1}\n"
         "data:\n  training: {images: " +
         kData + "train10k-images-idx3-ubyte.gz, labels: " + kData +
         "train10k-labels-idx1-ubyte.gz, count: 500}\n  test: {images: " + kData +
         "t10k-images-idx3-ubyte.gz, labels: " + kData +
         "t10k-labels-idx1-ubyte.gz, count: 120}\n" + more;
}

// What both runs have in common: all but wall times and where files are.
Json same(Json result) {
  for (const char* key : {"loss", "correct", "accuracy", "step_us", "macs", "tensor_utilisation"})
    CHECK(result.contains(key));
  Json kept;
  for (const char* key : {"loss", "accuracy", "step_us", "macs", "tensor_utilisation", "steps"})
    kept[key] = result[key];
  return kept;
}

}  // namespace

TEST_CASE("train: a chip saved after a step continues in another process") {
  tb::TempFolder folder;
  const std::string yaml = folder.put("w.yaml", workload()), chip = folder.path("chip.snap");
  const Json whole = tb::json_of({"run", yaml, "--checkpoint", folder.path("whole")});
  const Json saved = tb::json_of(
      {"run", yaml, "--checkpoint", folder.path("saved"), "--save-chip", chip, "--save-step", "8"});
  const Json restored = tb::json_of({"run", yaml, "--checkpoint", folder.path("restored"),
                                     "--restore-chip", chip, "--save-chip", folder.path("end")});
  CHECK(same(saved) == same(restored));
  CHECK(whole["loss"] == restored["loss"]);
  CHECK(whole["step_us"] == restored["step_us"]);
  const std::string checkpoint = tb::read_bytes(folder.path("whole"));
  CHECK(tb::read_bytes(folder.path("saved")) == checkpoint);
  CHECK(tb::read_bytes(folder.path("restored")) == checkpoint);
  // Nothing is left to do: it evaluates, and saves the same.
  const Json ended = tb::json_of(
      {"run", yaml, "--checkpoint", folder.path("ended"), "--restore-chip", folder.path("end")});
  CHECK(ended["loss"] == whole["loss"]);
  CHECK(ended["accuracy"] == whole["accuracy"]);
  CHECK(tb::read_bytes(folder.path("ended")) == checkpoint);
}

TEST_CASE("train: a chip that cannot be saved or restored is refused with one line") {
  tb::TempFolder folder;
  const std::string yaml = folder.put("w.yaml", workload()), chip = folder.path("chip.snap");
  tb::json_of(
      {"run", yaml, "--checkpoint", folder.path("c"), "--save-chip", chip, "--save-step", "1"});
  const auto refused = [&](std::vector<std::string> more, const std::string& file = "w.yaml") {
    std::vector<std::string> arguments = {"run", folder.path(file), "--checkpoint",
                                          folder.path("c")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return tb::error_of(arguments);
  };
  CHECK_THAT(refused({"--restore-chip", chip, "--seed", "1"}),
             Contains("chip.snap: of another training: seed was 0, now it is 1"));
  CHECK_THAT(refused({"--restore-chip", chip, "--set", "dma.efficiency=0.5"}),
             Contains("chip.snap: a snapshot of another chip: 'dma.efficiency "));
  CHECK_THAT(refused({"--restore-chip", chip, "--resume"}), Contains("--resume"));
  CHECK_THAT(refused({"--restore-chip", chip, "--rtl-steps", "2"}), Contains("not with RTL"));
  CHECK_THAT(refused({"--restore-chip", folder.path("w.yaml")}), Contains("no snapshot of a chip"));
  CHECK_THAT(refused({"--restore-chip", folder.path("none")}), Contains("no such file"));
  CHECK_THAT(refused({"--restore-chip", chip, "--save-chip", folder.path("d"), "--save-step", "1"}),
             Contains("--save-step: 1"));
  CHECK_THAT(refused({"--save-chip", folder.path("d"), "--save-step", "21"}),
             Contains("--save-step: 21"));
  CHECK_THAT(refused({"--save-step", "2"}), Contains("--save-chip"));
  CHECK_THAT(refused({"--save-chip", folder.path("w.yaml")}), Contains("w.yaml"));
  folder.put("s.yaml", workload("scaling: {cores: [1, 2], steps: 1}\n"));
  CHECK_THAT(refused({"--save-chip", folder.path("d")}, "s.yaml"), Contains("'scaling'"));
  folder.put("m.yaml", "kind: matmul\nm: 64\nn: 64\nk: 64\n");
  CHECK_THAT(tb::error_of({"run", folder.path("m.yaml"), "--save-chip", folder.path("d")}),
             Contains("--save-chip: only with kind train"));
  std::string damaged = tb::read_bytes(chip);
  damaged[damaged.size() / 2] ^= 1;
  folder.put("damaged", damaged);
  CHECK_THAT(refused({"--restore-chip", folder.path("damaged")}),
             Contains("damaged: its checksum is another one"));
}
