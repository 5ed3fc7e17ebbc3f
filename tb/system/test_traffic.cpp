// SPDX-License-Identifier: Apache-2.0
// tern traffic as a user starts it.
#include <catch2/catch.hpp>
#include <string>

#include "tb/common/temp_folder.h"
#include "tb/system/process.h"

using namespace tern;  // NOLINT: test file

TEST_CASE("tern traffic: time, bound, hottest links, and a heat map") {
  tb::TempFolder folder;
  const std::string heat = folder.path("heat.svg");
  const auto json =
      tb::json_of({"traffic", "trn2-nl16", "--level", "both", "--bytes", "16K", "--heat", heat});
  CHECK(json["transfers"] == 240);
  CHECK(json["lost"] == 0);
  CHECK(json["level"] == "packet");
  CHECK(json["us"].get<double>() >= json["bound_us"].get<double>());
  CHECK(json["flow_us"].get<double>() == Approx(json["us"].get<double>()).epsilon(0.15));
  CHECK(json["hottest"].size() == 5);
  CHECK(tb::read_bytes(heat).find("use of the links") != std::string::npos);
  const auto again = tb::json_of({"traffic", "trn2-nl16", "--bytes", "16384"});
  CHECK(again["us"] == json["us"]);
}

TEST_CASE("tern traffic: bad input in one line") {
  const auto refused = [](std::vector<std::string> more, const std::string& what) {
    more.insert(more.begin(), "traffic");
    const std::string line = tb::error_of(more);
    INFO(line);
    CHECK(line.find(what) != std::string::npos);
  };
  refused({"trn2-nl16", "--bytes", "64Q"}, "--bytes: expected a number up to 1024G");
  refused({"trn2-nl16", "--bytes", "99999999999999999999"}, "--bytes: expected");
  refused({"trn2-nl16", "--pattern", "spiral"}, "expected all-to-all, incast");
  refused({"trn2-nl16", "--level", "bit"}, "expected packet, flow, both, ideal");
  refused({"trn2-nl16", "--pattern", "pair", "--to", "16"}, "no chip '16'");
  refused({"trn2-nl16", "--pattern", "pair", "--to", "0"}, "expected another chip than --from");
  refused({"inf2", "--pattern", "transpose"}, "expected a square number of chips");
  refused({"nowhere"}, "nowhere");
  refused({"trn2-nl16", "--heat", "/nowhere/heat.svg"}, "/nowhere/heat.svg");
}

TEST_CASE("tern traffic: faults, what is observed of them, and exit codes") {
  tb::TempFolder folder;
  const auto script = [&](const std::string& faults) {
    return folder.put("faults.yaml", "faults:\n" + faults).string();
  };
  const std::string link = "server0.tray2.chip1--server0.tray3.chip0";
  const std::string saved =
      script("  - {at_us: 0.3, fault: dead_link, link: " + link +
             "}\n"
             "  - {at_us: 1e6, fault: dead_chip, chip: server0.tray1.chip1}\n");
  for (const char* level : {"packet", "flow", "both"}) {
    const auto json = tb::json_of(
        {"traffic", "trn3-nl16-2d", "--bytes", "16K", "--faults", saved, "--level", level});
    CHECK(json["lost"] == 0);
    REQUIRE(json["faults"].size() == 2);
    CHECK(json["faults"][0]["state"] == "happened");
    CHECK(json["faults"][0]["at_us"].get<double>() == Approx(0.3));
    CHECK(json["faults"][1]["state"] == "waits");
    REQUIRE(json["observed"].size() == 1);
    CHECK(json["observed"][0]["link"] == link);
    CHECK(json["observed"][0]["link_down"] == 1);
    CHECK(json["observed"][0]["rerouted"].get<int>() > 0);
    CHECK(json["observed"][0]["lost"] == 0);
  }
  const std::string fatal = script("  - {at_us: 1, fault: dead_chip, chip: server0.tray1.chip1}\n");
  const auto outcome = tb::run_tern({"traffic", "trn3-nl16-2d", "--faults", fatal});
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.out.find("no way is left") != std::string::npos);
  CHECK(outcome.out.find("observed on links") != std::string::npos);
  // Its own 15 and 15 of others, less what has arrived by then.
  const auto json = nlohmann::json::parse(
      tb::run_tern({"traffic", "trn3-nl16-2d", "--faults", fatal, "--json"}).out);
  CHECK(json["lost"].get<int>() > 10);
  CHECK(json["lost"].get<int>() <= 30);
  CHECK(json["observed_all"]["lost"] == json["lost"]);

  const std::string errors =
      script("  - {at_us: 0, fault: bit_errors, link: " + link + ", rate: 1e-4}\n");
  const auto with_seed = [&](const char* seed) {
    return tb::json_of({"traffic", "trn3-nl16-2d", "--faults", errors, "--seed", seed});
  };
  const auto one = with_seed("1"), again = with_seed("1"), two = with_seed("2");
  CHECK(one["observed"] == again["observed"]);
  CHECK(one["us"] == again["us"]);
  CHECK(one["observed"] != two["observed"]);
}

TEST_CASE("tern traffic: bad scripts of faults in one line") {
  tb::TempFolder folder;
  const auto refused = [&](const std::string& faults, const std::string& what,
                           std::vector<std::string> more = {}) {
    const std::string file = folder.put("faults.yaml", faults).string();
    std::vector<std::string> arguments = {"traffic", "trn2-nl16", "--faults", file};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const std::string line = tb::error_of(arguments);
    INFO(line);
    CHECK(line.find(what) != std::string::npos);
  };
  const std::string good = "faults:\n  - {at_us: 1, fault: dead_chip, chip: server0.tray1.chip1}\n";
  refused(good, "not at level ideal", {"--level", "ideal"});
  refused(good, "not with --faults", {"--heat", folder.path("heat.svg")});
  refused(good + "  - {at_us: 1, fault: dead_chip, chip: server0.tray8.chip0}\n",
          "faults.yaml:3: key 'faults[1].chip': expected a chip of trn2-nl16");
  refused(good + "  - {at_us: never, fault: dead_chip, chip: server0.tray0.chip1}\n",
          "faults.yaml:3: key 'faults[1].at_us': expected");
  refused(good + "  - {at_us: 1, fault: dead_chip, chip: server0.tray0.chip1, color: 3}\n",
          "faults.yaml:3: key 'faults[1].color': unknown key");
  refused("faults: {", "faults.yaml:");
  refused(std::string("faults: \"\x1b[31m\"\n"), "faults.yaml:");
  CHECK(tb::error_of({"traffic", "trn2-nl16", "--faults", folder.path("none.yaml")})
            .find("none.yaml") != std::string::npos);
}
