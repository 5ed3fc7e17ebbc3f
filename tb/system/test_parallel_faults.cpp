// SPDX-License-Identifier: Apache-2.0
// Links, switches and chips that fail while programs run on several chips.
#include <catch2/catch.hpp>
#include <string>

#include "tb/common/temp_folder.h"
#include "tb/system/process.h"

using namespace tern;  // NOLINT: test file

namespace {

const std::string kLink = "link: server0.tray0.chip0--server0.tray0.chip1";

// On four chips; they finish after 13 us.
class Runs {
 public:
  std::string workload(const std::string& more) {
    return folder_.put("w.yaml",
                       "kind: parallel\nsystem: trn3-nl16-2d\nchips: 4\nmodel: 256\nhidden: "
                       "1024\ntokens: 48\n" +
                           more);
  }
  std::string with(const std::string& fault) {
    folder_.put("faults.yaml", "faults:\n  - {" + fault + "}\n");
    return workload("faults: faults.yaml\n");
  }
  nlohmann::json result(const std::string& yaml) {
    nlohmann::json json = tb::json_of({"run", yaml, "--output", folder_.path("out.npy")});
    bits = tb::read_bytes(folder_.path("out.npy"));
    return json;
  }
  std::string bits;  // of the last result

 private:
  tb::TempFolder folder_;
};

}  // namespace

TEST_CASE("tern run: faults of links that replays and other ways can save change times only") {
  Runs runs;
  const auto sound = runs.result(runs.workload(""));
  const std::string bits = runs.bits;
  CHECK_FALSE(sound.contains("faults"));
  const auto observed = [&](const std::string& fault) {
    auto run = runs.result(runs.with(fault));
    INFO(fault);
    CHECK(run["passed"] == true);
    CHECK((runs.bits == bits));
    CHECK(run["faults"].size() == 1);
    CHECK(run["observed_all"]["lost"] == 0);
    return run;
  };
  // What never comes true changes nothing.
  const auto never = observed("at_us: 1e6, fault: dead_chip, chip: server0.tray1.chip0");
  CHECK(never["us"] == sound["us"]);
  CHECK(never["parts"] == sound["parts"]);
  CHECK(never["faults"][0]["state"] == "waits");

  const auto errors = observed("at_us: 0, fault: bit_errors, rate: 1e-3, " + kLink);
  CHECK(errors["observed_all"]["replayed"] > 0);
  CHECK(errors["us"] > sound["us"]);
  const auto flap = observed("at_us: 7.5, fault: flap, for_us: 5, train_us: 1, " + kLink);
  CHECK(flap["faults"][0]["at_us"].get<double>() == Approx(7.5));
  CHECK(flap["observed_all"]["retrained"] == 1);
  CHECK(flap["us"].get<double>() > sound["us"].get<double>() + 5);
  const auto dead = observed("after_bytes: 1, fault: dead_link, " + kLink);
  CHECK(dead["observed_all"]["rerouted"] > 0);
  CHECK(dead["observed_all"]["link_down"] == 1);
  CHECK(dead["us"] > sound["us"]);
}

TEST_CASE("tern run: a chip that dies stops the run, which says why") {
  Runs runs;
  for (const char* at_us : {"0", "8"}) {
    INFO(at_us);
    const tb::Outcome run =
        tb::run_tern({"run", runs.with(std::string("at_us: ") + at_us +
                                       ", fault: dead_chip, chip: server0.tray1.chip0")});
    CHECK(run.exit_code == 1);
    CHECK(run.out.empty());
    const std::string line = run.error_line();
    INFO(line);
    for (const char* part : {"tern: server0.tray", "program 'parallel_mlp' on core 0: DMA engine",
                             "could not reach server0.tray1.chip", "out of service: server0.tray",
                             "because of dead_chip server0.tray1.chip0 (", "faults.yaml:2)"})
      CHECK(line.find(part) != std::string::npos);
  }
}

TEST_CASE("tern run: faults of links that cannot be are one line") {
  Runs runs;
  const auto refused = [](const std::vector<std::string>& arguments, const std::string& message) {
    const std::string line = tb::error_of(arguments);
    INFO(line);
    CHECK(line.find(message) != std::string::npos);
  };
  refused({"run", runs.workload("faults: none.yaml\n")}, "w.yaml:7: key 'faults': ");
  refused({"run", runs.with("at_us: 1, fault: dead_link, link: a--b")},
          "faults.yaml:2: key 'faults[0].link': expected a link of trn3-nl16-2d");
  refused({"run", runs.workload("level: flow\nfaults: faults.yaml\n")},
          "w.yaml:8: key 'faults': at level packet, not at level flow");
  refused({"run", runs.with("at_us: 1, fault: dead_link, " + kLink), "--ranks", "2"},
          "w.yaml:7: key 'faults': in one process, not with --ranks");
}
