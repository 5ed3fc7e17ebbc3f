// SPDX-License-Identifier: Apache-2.0
// tern traffic as a user starts it.
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
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
  REQUIRE_FALSE(json["stalled"].empty());
  CHECK(json["stalled"][0]["time"].get<double>() > 0);
  CHECK(json["stalled"][0]["time"].get<double>() < 1);
  // A transfer alone waits for nobody.
  CHECK(tb::json_of({"traffic", "trn2-nl16", "--pattern", "pair"})["stalled"].empty());
  CHECK(tb::read_bytes(heat).find("use of the links") != std::string::npos);
  const auto again = tb::json_of({"traffic", "trn2-nl16", "--bytes", "16384"});
  CHECK(again["us"] == json["us"]);
}

TEST_CASE("tern traffic --also: latencies by class") {
  const auto json = tb::json_of({"traffic", "trn3-nl16-2d", "--bytes", "16K", "--also",
                                 "pattern=incast,class=0,bytes=4K,to=5,rounds=3,every_us=0.5",
                                 "--also", "pattern=ring,class=3,bytes=1K,at_us=1,streams=2"});
  CHECK(json["patterns"].size() == 3);
  CHECK(json["patterns"][1]["rounds"] == 3);
  CHECK(json["patterns"][1]["every_us"].get<double>() == Approx(0.5));
  CHECK(json["transfers"] == 240 + 3 * 15 + 2 * 16);
  REQUIRE(json["classes"].size() == 2);
  const auto& urgent = json["classes"][0];
  const auto& others = json["classes"][1];
  CHECK(urgent["class"] == 0);
  CHECK(urgent["transfers"] == 45);
  CHECK(others["class"] == 3);
  CHECK(others["transfers"] == 240 + 32);
  CHECK(urgent["longest_us"].get<double>() < others["longest_us"].get<double>());
  for (const auto& c : json["classes"]) {
    CHECK(c["median_us"].get<double>() <= c["p99_us"].get<double>());
    CHECK(c["p99_us"].get<double>() <= c["longest_us"].get<double>());
    std::uint64_t count = 0;
    double last = 0;
    for (const auto& bucket : c["buckets"]) {
      count += bucket["count"].get<std::uint64_t>();
      CHECK(bucket["from_us"].get<double>() >= last);
      last = bucket["to_us"].get<double>();
      CHECK(bucket["from_us"].get<double>() < last);
    }
    CHECK(count == c["transfers"]);
    CHECK(last > c["longest_us"].get<double>());
    CHECK(c["buckets"].back()["from_us"].get<double>() <= c["longest_us"].get<double>());
  }
  const auto text = tb::run_tern({"traffic", "trn3-nl16-2d", "--bytes", "16K", "--also",
                                  "pattern=incast,class=0,bytes=4K", "--quiet"});
  CHECK(text.exit_code == 0);
  CHECK(text.out.find("all-to-all and 1 more on trn3-nl16-2d") != std::string::npos);
  CHECK(text.out.find("class 0") != std::string::npos);
  CHECK(text.out.find("incast of 4K") != std::string::npos);
  // One class: no table of classes, but its numbers as data.
  const auto alone = tb::run_tern({"traffic", "trn3-nl16-2d", "--bytes", "16K", "--quiet"});
  CHECK(alone.out.find("class 3") == std::string::npos);
}

TEST_CASE("tern traffic --report: page, data, tables and pictures") {
  tb::TempFolder folder;
  const std::string out = folder.path("out");
  const auto run = tb::run_tern({"traffic", "trn3-nl16-2d", "--also",
                                 "pattern=incast,class=0,bytes=4K", "--report", out, "--quiet"});
  CHECK(run.exit_code == 0);
  CHECK(run.out.find("report           " + out + "/traffic.html") != std::string::npos);
  const std::string page = tb::read_bytes(out + "/traffic.html");
  for (const char* part :
       {"hottest links", "waiting for credits", "Use of the links", "Latency by class", "class 0",
        "class 3", "use of the links: 0 %", "links.csv", "classes.csv"}) {
    INFO(part);
    CHECK(page.find(part) != std::string::npos);
  }
  const auto json = nlohmann::json::parse(tb::read_bytes(out + "/traffic.json"));
  CHECK(json["kind"] == "traffic");
  CHECK(json["classes"].size() == 2);
  for (const char* file :
       {"/traffic.md", "/heat.svg", "/latency.svg", "/links.csv", "/classes.csv"})
    CHECK_FALSE(tb::read_bytes(out + file).empty());
  CHECK(tb::error_of({"traffic", "trn2-nl16", "--report", out, "--heat", out + "/heat.svg"})
            .find("is a place of --report") != std::string::npos);
  // Nothing is left of what is refused.
  tb::error_of(
      {"traffic", "trn2-nl16", "--also", "pattern=ring,bytes=", "--report", folder.path("none")});
  CHECK_FALSE(std::filesystem::exists(folder.path("none")));
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
  // What a pattern has no use for.
  refused({"inf2", "--to", "3"}, "--to: only of the pattern pair or incast, not all-to-all");
  refused({"inf2", "--pattern", "incast", "--from", "3"}, "--from: only of the pattern pair");
  refused({"inf2", "--targets", "3"}, "--targets: only of the pattern uniform");
  const auto also = [&](const std::string& text, const std::string& what) {
    refused({"trn2-nl16", "--also", text}, "--also '" + text + "'" + what);
  };
  also("class=0", ": no key 'pattern'");
  also("ring", ": expected KEY=VALUE,..., got 'ring'");
  also("pattern=ring,", ": expected KEY=VALUE,..., got ''");
  also("pattern=", ": expected KEY=VALUE,..., got 'pattern='");
  also("pattern=spiral", ": pattern: expected all-to-all, incast");
  also("pattern=ring,colour=red", ": unknown key 'colour': expected pattern, bytes");
  also("pattern=ring,to=2", ": to: only of the pattern pair or incast, not ring");
  also("pattern=ring,class=4", ": class: expected a whole number from 0 to 3, got '4'");
  also("pattern=ring,class=-1", ": class: expected a whole number from 0 to 3");
  also("pattern=ring,class=0,class=1", ": key 'class' is there twice");
  also("pattern=ring,bytes=4Q", ": bytes: expected a number up to 1024G");
  also("pattern=ring,at_us=never", ": at_us: expected a time in us");
  also("pattern=ring,at_us=nan", ": at_us: expected a time in us");
  also("pattern=ring,at_us=-1", ": at_us: expected a time in us");
  also("pattern=ring,rounds=2", ": rounds need every_us");
  also("pattern=ring,rounds=0,every_us=1", ": rounds: expected a whole number from 1");
  also("pattern=ring,rounds=1000000,every_us=1000000", ": the last round starts after");
  also("pattern=pair,to=0", ": expected two different chips");
  refused({"trn2-nl16", "--also", "pattern=pair,to=16"}, "no chip '16'");
  refused({"trn2-nl16", "--also", "pattern=all-to-all,rounds=1000000,every_us=1"},
          "at most 20000000 in all");
  refused({"trn2-nl16", "--heat", "/nowhere/heat.svg"}, "/nowhere/heat.svg");
  refused({"trn2-nl16", "--level", "ideal", "--heat", "x.svg"}, "--heat: not at level ideal");
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

TEST_CASE("tern traffic --faults: heat map, hottest links and stalls of what is left") {
  tb::TempFolder folder;
  const std::string dead = "server0.tray2.chip1--server0.tray3.chip0";
  const std::string script =
      folder.put("faults.yaml", "faults:\n  - {at_us: 0, fault: dead_link, link: " + dead + "}\n")
          .string();
  for (const char* level : {"packet", "flow"}) {
    INFO(level);
    const std::string out = folder.path(level), heat = folder.path("heat.svg");
    const auto json = tb::json_of({"traffic", "trn3-nl16-2d", "--bytes", "16K", "--level", level,
                                   "--faults", script, "--heat", heat, "--report", out});
    CHECK(json["hottest"].size() == 5);
    for (const auto& hot : json["hottest"]) {
      CHECK(hot["use"].get<double>() > 0);
      CHECK(hot["use"].get<double>() <= 1);
    }
    CHECK(json.contains("stalled") == (level == std::string("packet")));
    CHECK_FALSE(json.contains("bound_us"));
    CHECK(json["dead_links"] == nlohmann::json::array({dead}));
    CHECK(tb::read_bytes(heat).find("dead links: 1") != std::string::npos);
    // Both directions of the dead link, and no other one, have carried nothing.
    std::istringstream links(tb::read_bytes(out + "/links.csv"));
    unsigned dead_rows = 0;
    for (std::string line; std::getline(links, line);) {
      if (line.find(",dead") == std::string::npos) continue;
      ++dead_rows;
      CHECK(line.find(",0,") != std::string::npos);
    }
    CHECK(dead_rows == 2);
    const auto text = tb::run_tern({"traffic", "trn3-nl16-2d", "--bytes", "16K", "--level", level,
                                    "--faults", script, "--quiet"});
    CHECK(text.out.find("hottest links") != std::string::npos);
    CHECK(text.out.find("bound") == std::string::npos);
  }
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
