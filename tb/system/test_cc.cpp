// SPDX-License-Identifier: Apache-2.0
// tern cc as a user starts it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tb/common/temp_folder.h"
#include "tb/system/process.h"

using namespace tern;  // NOLINT: test file

TEST_CASE("tern cc: sizes, rates, bounds, the best algorithm of each") {
  const auto json = tb::json_of(
      {"cc", "all_reduce", "--system", "trn2-nl16", "-b", "4K", "-e", "64M", "-f", "128"});
  REQUIRE(json["points"].size() == 3);
  CHECK(json["ranks"] == 16);
  for (const auto& point : json["points"]) {
    const double us = point["us"], bytes = point["bytes"];
    CHECK(point["algbw_gb_per_s"].get<double>() == Approx(bytes * 1e-3 / us));
    CHECK(point["busbw_gb_per_s"].get<double>() == Approx(bytes * 1e-3 / us * 2 * 15 / 16));
    CHECK(point["bound_us"].get<double>() < us);
    CHECK(point["lost"] == 0);
  }
  // Small ones want few steps, large ones all links.
  CHECK(json["points"].front()["algorithm"] == "one-step");
  CHECK(json["points"].back()["algorithm"] == "axes");
  const auto all = tb::json_of(
      {"cc", "all_reduce", "--system", "trn2-nl16", "-b", "4K", "-e", "4K", "--algorithm", "all"});
  CHECK(all["points"].size() == 9);
}

TEST_CASE("tern cc: a report, and a schedule that is written and run again") {
  tb::TempFolder folder;
  const std::string file = folder.path("ring.yaml"), report = folder.path("out");
  const std::vector<std::string> command = {"cc", "all_gather", "-s", "trn2-nl16", "-b",
                                            "1M", "-e",         "1M", "--group",   "0-3"};
  auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), command.begin(), command.end());
    return more;
  };
  const auto ring = tb::json_of(with({"-a", "ring", "--write", file, "--report", report}));
  for (const char* name : {"cc.html", "cc.md", "cc.json", "cc.csv", "busbw.svg"})
    CHECK(std::filesystem::exists(std::filesystem::path(report) / name));
  const auto again = tb::json_of(with({"--schedule", file}));
  CHECK(again["points"][0]["us"] == ring["points"][0]["us"]);
  const auto other = tb::run_tern({"cc", "all_gather", "-s", "trn2-nl16", "--schedule", file});
  CHECK(other.exit_code == 2);
  CHECK(other.err.find("4 ranks, and the group has 16") != std::string::npos);
}

TEST_CASE("tern cc: bad input is one line") {
  const auto refused = [](const std::vector<std::string>& arguments, const std::string& message) {
    std::vector<std::string> all = {"cc"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const auto run = tb::run_tern(all);
    CAPTURE(message, run.err);
    CHECK(run.exit_code == 2);
    CHECK(run.err.find(message) != std::string::npos);
    CHECK(std::count(run.err.begin(), run.err.end(), '\n') == 1);
  };
  refused({"all_reduce"}, "--system");
  refused({"all_reduced", "-s", "trn2-nl16"}, "all_reduced");
  refused({"all_reduce", "-s", "trn2-nl17"}, "trn2-nl17");
  refused({"all_reduce", "-s", "trn2-nl16", "--group", "0-16"},
          "--group: '0-16': expected chips from 0 to 15");
  refused({"all_reduce", "-s", "trn2-nl16", "--group", "3"}, "2 to 1024 chips, not 1");
  refused({"all_reduce", "-s", "trn2-nl16", "--group", "3,1-4"}, "names a chip twice");
  refused({"all_reduce", "-s", "trn2-nl16", "--group", "server1"}, "server1");
  refused({"all_reduce", "-s", "trn2-nl16", "--group", "0-5", "-a", "doubling"},
          "6 ranks are no power of two");
  refused({"all_to_all", "-s", "trn2-nl16", "-a", "ring"}, "it does not do all_to_all");
  refused({"all_reduce", "-s", "trn2-nl16", "-b", "1M", "-e", "1K"}, "--begin 1M is more than");
  refused({"all_reduce", "-s", "trn2-nl16", "-b", "1X"}, "--begin: expected a number");
  refused({"broadcast", "-s", "trn2-nl16", "--root", "16"}, "root 16, of 16 ranks");
  refused({"all_reduce", "-s", "trn2-nl16", "--write", "x.yaml"}, "name it with --algorithm");
  refused({"all_reduce", "-s", "trn2-nl16", "--faults", "x.yaml", "--level", "ideal"},
          "not at level ideal");
}

TEST_CASE("tern cc: a schedule that deadlocks or loses data is refused with its line") {
  tb::TempFolder folder;
  const std::string text =
      "operation: all_reduce\nranks: 2\nchunks: 1\nscratch: 1\nstreams:\n"
      "- rank: 0\n  steps:\n  - {wait: 1}\n  - {put: data 0, to: 1, at: scratch 0}\n"
      "- rank: 1\n  steps:\n  - {wait: 0}\n  - {put: data 0, to: 0, at: scratch 0}\n";
  const std::string file = folder.put("ring.yaml", text).string();
  const auto run =
      tb::run_tern({"cc", "all_reduce", "-s", "trn2-nl16", "--group", "0,1", "--schedule", file});
  CHECK(run.exit_code == 2);
  CHECK(run.err.find(":8: waits forever for put 1 of rank 1") != std::string::npos);
}
