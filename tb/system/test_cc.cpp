// SPDX-License-Identifier: Apache-2.0
// tern cc as a user starts it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tb/common/temp_folder.h"
#include "tb/system/process.h"

using namespace tern;  // NOLINT: test file

TEST_CASE("tern cc: sizes, rates, bounds, the best algorithm of each") {
  const auto json = tb::json_of(
      {"cc", "all_reduce", "--system", "trn2-nl16", "-b", "4K", "-e", "64M", "-f", "128"});
  REQUIRE(json["points"].size() == 3);
  CHECK(json["systems"][0]["ranks"] == 16);
  for (const auto& point : json["points"]) {
    const double us = point["us"], bytes = point["bytes"];
    CHECK(point["algbw_gb_per_s"].get<double>() == Approx(bytes * 1e-3 / us));
    CHECK(point["busbw_gb_per_s"].get<double>() == Approx(bytes * 1e-3 / us * 2 * 15 / 16));
    CHECK(point["bound_us"].get<double>() < us);
    CHECK(point["lost"] == 0);
  }
  // Small ones are bound by a way, large ones by the links of chips.
  const auto &small = json["points"].front(), &large = json["points"].back();
  CHECK(small["bound"] == "latency");
  CHECK(small["bound_us"] == small["bounds_us"]["latency"]);
  CHECK(small["of_bound"].get<double>() > 0.4);
  CHECK(large["bound"] == "links of chips");
  CHECK(large["bound_us"] == large["bounds_us"]["links"]);
  CHECK(large["bounds_us"]["cut"].get<double>() < large["bound_us"].get<double>());
  // Small ones want few steps, large ones all links.
  CHECK(json["points"].front()["algorithm"] == "one-step");
  CHECK(json["points"].back()["algorithm"] == "axes");
  const auto all = tb::json_of(
      {"cc", "all_reduce", "--system", "trn2-nl16", "-b", "4K", "-e", "4K", "--algorithm", "all"});
  CHECK(all["points"].size() == 13);
  // Several systems, each as alone.
  const auto two =
      tb::json_of({"cc", "all_reduce", "-s", "trn2-nl16,trn3-nl16-2d", "-b", "4K", "-e", "4K"});
  REQUIRE(two["systems"].size() == 2);
  REQUIRE(two["points"].size() == 2);
  CHECK(two["points"][0]["us"] == json["points"][0]["us"]);
  CHECK(two["points"][1]["system"] == "trn3-nl16-2d");
}

TEST_CASE("tern cc: several units, and where they are refused") {
  const auto json = tb::json_of({"cc", "all_reduce", "-s", "trn2-nl16", "--units", "2", "-b", "1M",
                                 "-e", "1M", "-a", "across"});
  const auto& system = json["systems"][0];
  CHECK(system["system"] == "2 x trn2-nl16");
  CHECK(system["ranks"] == 32);
  CHECK(system["units"] == true);
  CHECK(system["torus"] == false);
  CHECK(system["axes"] == nlohmann::json({4, 4, 2}));
  // A NIC sends half of a 16th of the data twice, 25 GB/s and headers; two hops of 15 us.
  CHECK(json["points"][0]["us"].get<double>() > (1 << 20) / 16.0 / 25e3 * 1.0139 + 30);
  const auto refused = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"cc", "all_reduce", "-s", "trn2-nl16", "--units", "2"});
    const auto outcome = tb::run_tern(more);
    CHECK(outcome.exit_code == 2);
    return outcome.err;
  };
  CHECK_THAT(refused({"--level", "packet"}),
             Catch::Contains("--level packet: not of several units"));
  CHECK_THAT(refused({"--level", "cores"}), Catch::Contains("--level cores: not of several units"));
  tb::TempFolder folder;
  const auto faults = folder.put("f.yaml", "faults: []\n").string();
  CHECK_THAT(refused({"--faults", faults}), Catch::Contains("f.yaml") && Catch::Contains("units"));
}

TEST_CASE("tern cc: barriers run on collective cores without adders near memories, too") {
  for (const std::string algorithm : {"mesh", "doubling"}) {
    const auto json = tb::json_of({"cc", "barrier", "-s", "trn2-nl16", "--group", "0-3", "--level",
                                   "cores", "-a", algorithm});
    CHECK(json["points"][0]["bits_equal"] == true);
    CHECK(json["points"][0]["us"].get<double>() > 1);
  }
}

TEST_CASE("tern cc: on the collective cores nothing to do takes no time") {
  tb::TempFolder folder;
  const std::string file =
      folder
          .put("none.yaml",
               "operation: permute\nranks: 2\ntargets: [none, none]\nchunks: 1\nstreams: []\n")
          .string();
  const auto json = tb::json_of({"cc", "permute", "-s", "trn2-nl16", "--group", "0-1", "--schedule",
                                 file, "--level", "cores", "-b", "64", "-e", "64"});
  CHECK(json["points"][0]["us"].get<double>() < 0.2);
}

TEST_CASE("tern cc: rates of part of a GB a second, and times beyond the clock") {
  tb::TempFolder folder;
  const auto slow =
      folder.put("slow.yaml", "preset: trn2-nl16\nname: slow\nlane_gb_per_s: 0.011\n");
  const auto json = tb::json_of({"cc", "broadcast", "-s", slow.string(), "-b", "64M", "-e", "64M"});
  CHECK(json["points"][0]["of_bound"].get<double>() < 1);
  const auto still = folder.put(
      "still.yaml", "preset: trn2-nl16\nname: still\ncollectives: {local_gb_per_s: 0.001}\n");
  const auto run = tb::run_tern({"cc", "all_reduce", "-s", still.string(), "--group", "0-1",
                                 "--cores", "2", "-a", "ring", "-b", "64G", "-e", "64G"});
  CHECK(run.exit_code == 2);
  CHECK_THAT(run.err, Catch::Contains("ring: 68,719,476,736 bytes: may take more than an hour"));
}

TEST_CASE("tern cc: sums in FP8 on the collective cores have the bits of the host") {
  const auto json =
      tb::json_of({"cc", "all_reduce", "-s", "trn3-nl16-2d", "--group", "0-1", "--cores", "2",
                   "--level", "cores", "--type", "fp8", "-b", "4K", "-e", "4K", "-a", "ring"});
  CHECK(json["points"][0]["bits_equal"] == true);
  CHECK(json["points"][0]["bytes"] == 4096);
  const auto refused = tb::run_tern({"cc", "all_reduce", "-s", "trn2-nl16", "--type", "fp8"});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err,
             Catch::Contains("chip 'trn2' of 'trn2-nl16' does not add near its memories"));
}

TEST_CASE("tern cc: ragged exchanges, pairs, and what a table chooses") {
  const std::vector<std::string> all = {"cc",  "all_to_all_v", "-s",  "trn3-nl16-2d", "-b",
                                        "16M", "-e",           "16M", "-a",           "mesh"};
  auto hot = all;
  hot.insert(hot.end(), {"--hot", "4"});
  const auto even = tb::json_of(all)["points"][0], uneven = tb::json_of(hot)["points"][0];
  CHECK(even["bytes"] == uneven["bytes"]);
  CHECK(uneven["bound_us"].get<double>() > 1.5 * even["bound_us"].get<double>());
  CHECK(uneven["us"].get<double>() > 1.5 * even["us"].get<double>());
  tb::TempFolder folder;
  std::ofstream(folder.path("counts.yaml")) << "counts: [[0, 5], [1, 0]]\n";
  const auto file = tb::json_of({"cc", "all_to_all_v", "-s", "trn2-nl16", "--group", "0-1", "-a",
                                 "mesh", "--counts", folder.path("counts.yaml")});
  CHECK(file["points"][0]["puts"] == 2);
  const auto pair = tb::json_of({"cc", "send_recv", "-s", "trn2-nl16", "--root", "3", "--to", "4"});
  CHECK(pair["points"][0]["puts"] == 1);
  const auto table =
      tb::json_of({"cc", "all_reduce", "-s", "trn2-nl16", "-b", "1K", "-e", "1K", "-a", "table"});
  CHECK(table["points"].size() == 1);
  std::ofstream(folder.path("t.yaml"))
      << "groups: [{torus: true, axes: [4, 4], all_reduce: [{algorithm: two-rings}]}]\n";
  const auto own = tb::json_of({"cc", "all_reduce", "-s", "trn2-nl16", "-b", "1K", "-e", "1K", "-a",
                                "table", "--table", folder.path("t.yaml")});
  CHECK(own["points"][0]["algorithm"] == "two-rings");
}

TEST_CASE("tern cc: slices of axes by their rates keep the links of racks of switches busy") {
  const auto share = [](const std::string& system, const std::string& size) {
    const auto json = tb::json_of(
        {"cc", "all_reduce", "-s", system, "-b", size, "-e", size, "-a", "pipelined-axes"});
    return json["points"][0]["of_bound"].get<double>();
  };
  CHECK(share("trn3-nl64-3d", "1G") > 0.75);
  CHECK(share("trn3-nl32x2-gen1", "1G") > 0.6);
  CHECK(share("trn3-nl64-3d", "1G") < 1);
  CHECK(share("trn3-nl72x2-gen1", "1M") > 0.01);  // 144 ranks are not too many to be verified
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
  // A file of numbers says by itself what they are of.
  std::ifstream csv(std::filesystem::path(report) / "cc.csv");
  std::string line;
  std::getline(csv, line);
  CHECK_THAT(line, Catch::StartsWith("operation,system,ranks,level,bytes,count,element,sum,"));
  std::getline(csv, line);
  CHECK_THAT(line, Catch::StartsWith("all_gather,trn2-nl16,4,flow,1048576,524288,bf16,false,ring"));
  const auto again = tb::json_of(with({"--schedule", file}));
  CHECK(again["points"][0]["us"] == ring["points"][0]["us"]);
  const std::string rooted = folder.path("tree.yaml");
  tb::json_of(
      {"cc", "broadcast", "-s", "trn2-nl16", "-a", "tree", "--root", "2", "--write", rooted});
  const auto elsewhere =
      tb::run_tern({"cc", "broadcast", "-s", "trn2-nl16", "--root", "3", "--schedule", rooted});
  CHECK(elsewhere.exit_code == 2);
  CHECK(elsewhere.err.find("its root is rank 2, not 3") != std::string::npos);
  const auto other = tb::run_tern({"cc", "all_gather", "-s", "trn2-nl16", "--schedule", file});
  CHECK(other.exit_code == 2);
  CHECK(other.err.find("4 ranks, and the group has 16") != std::string::npos);
}

TEST_CASE("tern cc: the collective cores of simulated chips have the bits of the host") {
  for (const char* type : {"fp32", "bf16"}) {
    const auto json =
        tb::json_of({"cc", "all_reduce", "-s", "trn3-nl16-2d", "--group", "0-1", "--cores", "2",
                     "--level", "cores", "--type", type, "-b", "64K", "-e", "64K", "-a", "all"});
    CHECK(json["systems"][0]["ranks"] == 4);
    REQUIRE(json["points"].size() > 5);
    for (const auto& point : json["points"]) {
      INFO(type << " " << point["algorithm"]);
      CHECK(point["bits_equal"] == true);
      CHECK(point["us"].get<double>() > point["bound_us"].get<double>());
    }
  }
  // Ranks that take no part, and a size of less than a row.
  const auto pair = tb::json_of({"cc",  "send_recv", "-s", "trn3-nl16-2d", "--group",
                                 "0-1", "--cores",   "2",  "--level",      "cores",
                                 "-b",  "4",         "-e", "64K",          "-f",
                                 "64",  "--root",    "0",  "--to",         "3"});
  for (const auto& point : pair["points"]) {
    CHECK(point["us"].get<double>() > 1);
    CHECK(point["us"].get<double>() < 10);
  }
  // The DMA engines of Trainium2 add in transit.
  const auto json = tb::json_of({"cc", "reduce_scatter", "-s", "trn2-nl16", "--group", "0-3",
                                 "--level", "cores", "-b", "64K", "-e", "64K", "-a", "ring"});
  CHECK(json["points"][0]["bits_equal"] == true);
}

TEST_CASE("tern cc: a hop takes as long in the model of a network as on simulated chips") {
  // Of a ring over the cores of a chip: three hops more in an AllReduce than in an AllGather.
  const auto hop = [](const std::string& level) {
    const auto us = [&](const std::string& operation) {
      return tb::json_of({"cc", operation, "-s", "trn2-nl16", "--group", "0", "--cores", "4",
                          "--level", level, "-b", "16K", "-e", "16K", "-a",
                          "ring"})["points"][0]["us"]
          .get<double>();
    };
    return (us("all_reduce") - us("all_gather")) / 3;
  };
  const double simulated = hop("cores");
  CHECK(simulated > 1.0);  // us: aws-neuron-sdk, intranode-collective-comm: 1 to 2
  CHECK(simulated < 2.0);
  CHECK(hop("packet") == Approx(simulated).epsilon(0.05));
}

TEST_CASE("tern cc: on simulated chips a time does not depend on what was measured before") {
  const auto points = [](const std::string& systems, const std::string& algorithm,
                         const std::string& begin, const std::string& end) {
    return tb::json_of({"cc", "all_reduce", "-s", systems, "--group", "0-3", "--level", "cores",
                        "-a", algorithm, "-b", begin, "-e", end, "-f", "64"})["points"];
  };
  const auto all = points("trn3-nl16-2d,trn2-nl16", "all", "4K", "256K");
  REQUIRE(all.size() > 20);
  for (const auto& point : all) {
    const std::string bytes = std::to_string(point["bytes"].get<std::uint64_t>());
    INFO(point.dump());
    CHECK(points(point["system"], point["algorithm"], bytes, bytes)[0]["us"] == point["us"]);
  }
}

TEST_CASE("tern cc: what is not measured is not said to be") {
  tb::TempFolder folder;
  const auto faults =
      folder.put("f.yaml", "faults: [{at_us: 0, fault: dead_chip, chip: server0.tray0.chip0}]\n");
  // Links are not shared at level ideal, so that nothing but a way bounds it.
  const auto ideal = tb::json_of({"cc", "all_reduce", "-s", "trn2-nl16", "-b", "64M", "-e", "64M",
                                  "-a", "all", "--level", "ideal"});
  for (const auto& point : ideal["points"]) {
    CHECK(point["bound"] == "latency");
    CHECK(point["of_bound"].get<double>() < 1);
  }
  const auto lost = tb::run_tern({"cc", "all_reduce", "-s", "trn2-nl16", "-b", "1M", "-e", "1M",
                                  "--faults", faults.string(), "--json"});
  CHECK(lost.exit_code == 1);
  const auto point = nlohmann::json::parse(lost.out)["points"][0];
  CHECK(point["lost"].get<unsigned>() > 0);
  CHECK(point["best"] == false);
  CHECK(point["busbw_gb_per_s"] == 0);
  CHECK(point["of_bound"] == 0);
  // What became of the faults, and why it was lost.
  CHECK(point["faults"][0]["state"] == "happened");
  CHECK(point["observed_all"]["lost"] == point["lost"]);
  const auto text = tb::run_tern(
      {"cc", "all_reduce", "-s", "trn2-nl16", "-b", "1M", "-e", "1M", "--faults", faults.string()});
  CHECK_THAT(text.out, Catch::Contains("because of dead_chip server0.tray0.chip0"));
  CHECK_THAT(text.out, Catch::Contains("observed on links"));
  // A table that knows nothing of the operation.
  const auto table = folder.put(
      "t.yaml", "groups: [{axes: [4, 4], torus: true, all_gather: [{algorithm: ring}]}]\n");
  const std::vector<std::string> command = {"cc", "all_reduce", "-s",      "trn2-nl16",
                                            "-b", "1K",         "-e",      "1K",
                                            "-a", "table",      "--table", table.string()};
  const auto chosen = tb::run_tern(command);
  CHECK(chosen.exit_code == 0);
  CHECK(chosen.out.find("the table names no algorithm that can do all_reduce here") !=
        std::string::npos);
  CHECK(tb::json_of(command)["systems"][0]["notes"].size() == 1);
}

TEST_CASE("tern cc: groups that the table was not measured for are measured") {
  tb::TempFolder folder;
  const auto dead = folder.put("f.yaml",
                               "faults: [{at_us: 0, fault: dead_link, "
                               "link: server0.tray0.chip0--server0.tray0.chip1}]\n");
  const auto own = folder.put("own.yaml", "preset: trn2-nl16\nname: trn2-nl16\nlane_gb_per_s: 8\n");
  using Words = std::vector<std::string>;
  const auto with = [](Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const Words sizes = {"-b", "1K", "-e", "256K", "-f", "16"};
  const std::string note = "measured, as with -a best: the table does not have ";
  struct Case {
    Words words;
    std::string lacks;
  };
  for (const Case& group :
       std::vector<Case>{{{"all_reduce", "-s", "trn2-nl64", "--group", "0-17"}, "this group"},
                         {{"all_reduce", "-s", "trn2-nl16", "--group", "0,5"}, "these chips"},
                         {{"all_gather", "-s", "trn2-nl16", "--cores", "2"}, "cores of chips"},
                         {{"all_reduce", "-s", "trn2-nl16", "--level", "ideal"}, "level ideal"},
                         {{"all_to_all_v", "-s", "trn2-nl16"}, "all_to_all_v"},
                         {{"send_recv", "-s", "trn2-nl16"}, "send_recv"},
                         {{"broadcast", "-s", "trn2-nl16", "--root", "3"}, "--root 3"},
                         {{"all_reduce", "-s", "trn2-nl16", "--planes", "1"}, "--planes 1"},
                         {{"all_reduce", "-s", "trn2-nl16", "--class", "0"}, "--class 0"},
                         {{"all_reduce", "-s", "trn2-nl16", "--faults", dead.string()}, "faults"},
                         {{"all_reduce", "-s", own.string()}, "systems of files"}}) {
    CAPTURE(group.words);
    const Words command = with(with({"cc"}, group.words), sizes);
    const auto chosen = tb::json_of(with(command, {"-a", "table"}));
    const auto best = tb::json_of(command);
    CHECK(chosen["points"] == best["points"]);
    CHECK(chosen["systems"][0]["notes"] == nlohmann::json::array({note + group.lacks}));
  }
  // As it was measured: one algorithm, and nothing to say.
  const auto whole =
      tb::json_of(with({"cc", "all_reduce", "-s", "trn2-nl16", "-a", "table"}, sizes));
  CHECK_FALSE(whole["systems"][0].contains("notes"));
  // Of several systems, which one.
  const auto text = tb::run_tern({"cc", "all_reduce", "-s", "trn2-nl16," + own.string(), "-b", "1K",
                                  "-e", "1K", "-a", "table"});
  CHECK_THAT(text.out, Catch::Contains("trn2-nl16: " + note));
}

TEST_CASE("tern cc: sizes that the table was not measured for are measured") {
  const auto of = [](const std::string& algorithm) {
    return tb::json_of({"cc", "broadcast", "-s", "trn1-nl16", "--group", "0-3", "-b", "128K", "-e",
                        "512K", "-f", "2", "-a", algorithm});
  };
  const auto chosen = of("table"), best = of("best");
  CHECK(chosen["systems"][0]["notes"][0] ==
        "measured, as with -a best: the table does not have sizes above 262,144 bytes");
  CHECK(chosen["points"].size() == 3);
  CHECK(chosen["points"][0]["best"] == false);
  CHECK(chosen["points"][2] == best["points"][2]);
}

TEST_CASE("tern cc: a user's table has the nearest group for others") {
  tb::TempFolder folder;
  const auto table = folder.put(
      "t.yaml", "groups: [{system: trn2-nl64, axes: [2], all_reduce: [{algorithm: ring}]}]\n");
  const auto with = [&](const std::string& chips) {
    return tb::run_tern({"cc", "all_reduce", "-s", "trn2-nl64", "--group", chips, "-b", "1K", "-e",
                         "1K", "-a", "table", "--table", table.string()})
        .out;
  };
  CHECK_THAT(with("0-17"),
             Catch::Contains("the table does not have this group: as for 2 of trn2-nl64"));
  CHECK_THAT(with("0,9"),
             Catch::Contains("the table does not have these chips: as for 2 of trn2-nl64"));
  CHECK_THAT(with("0-1"), !Catch::Contains("choice"));
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
  refused({"all_reduce", "-s", "trn2-nl16", "--group", "5-3"}, "the smaller number first");
  refused({"all_reduce", "-s", "trn2-nl16", "--root", "3"}, "--root: of broadcast and send_recv");
  refused({"send_recv", "-s", "trn2-nl16", "--root", "1"}, "--root and --to");
  refused({"all_reduce", "-s", "trn2-nl16", "--schedule", "x.yaml", "-a", "ring"},
          "--algorithm: not with --schedule");
  refused({"all_to_all_v", "-s", "trn2-nl16", "--schedule", "x.yaml", "--hot", "2"},
          "--hot and --counts: not with --schedule");
  refused({"all_reduce", "-s", "trn2-nl16", "-b", "1M", "-e", "1K"}, "--begin 1M is more than");
  refused({"all_reduce", "-s", "trn2-nl16", "-b", "1X"}, "--begin: expected a number");
  refused({"broadcast", "-s", "trn2-nl16", "--root", "16"}, "root 16, of 16 ranks");
  refused({"all_reduce", "-s", "trn2-nl16", "--write", "x.yaml"}, "name it with --algorithm");
  refused({"all_reduce", "-s", "trn2-nl16", "--faults", "x.yaml", "--level", "ideal"},
          "not at level ideal");
  refused({"all_reduce", "-s", "trn2-nl16", "--hot", "2"}, "--hot and --counts: of all_to_all_v");
  refused({"all_reduce", "-s", "trn2-nl16", "--to", "2"}, "--to: of send_recv");
  refused({"all_reduce", "-s", "trn2-nl16", "--cores", "9"}, "--cores 9: chip 'trn2' has 8");
  refused({"all_reduce", "-s", "trn3-nl16-2d", "--level", "cores", "--planes", "2"},
          "--planes: not at level cores");
  refused({"send_recv", "-s", "trn2-nl16", "--to", "16"}, "from rank 0 to rank 16, of 16");
  refused({"all_reduce", "-s", "trn2-nl16", "--table", "x.yaml"}, "--table: with -a table");
  refused({"all_reduce", "-s", "trn3-nl16-2d", "--faults", "x.yaml", "--level", "cores"},
          "not at level cores");
  refused({"all_reduce", "-s", "trn3-nl16-2d", "--group", "0", "--cores", "9", "--level", "cores"},
          "--cores 9: chip 'trn3' has 8");
  refused({"all_reduce", "-s", "trn3-nl16-2d", "--group", "0-1", "--level", "cores", "-b", "1G",
           "-e", "1G", "-a", "ring"},
          "partitions of SBUF hold");
  refused({"all_reduce", "-s", "trn2-nl16", "--level", "cores", "-a", "pipelined-axes"},
          "tern: pipelined-axes: 1,024 bytes: more than the 127 flags of a program");
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
  const auto refusal = [&](const std::string& steps) {
    const std::string other =
        folder.put("lose.yaml", "operation: all_reduce\nranks: 2\nchunks: 1\nstreams:\n" + steps)
            .string();
    return tb::run_tern(
               {"cc", "all_reduce", "-s", "trn2-nl16", "--group", "0,1", "--schedule", other})
        .err;
  };
  // Rank 0 gets what rank 1 has, not the sum.
  CHECK_THAT(
      refusal("- rank: 0\n  steps:\n  - {wait: 1}\n"
              "- rank: 1\n  steps:\n  - {put: data 0, to: 0, at: data 0}\n"),
      Catch::Contains(":10: in the end data[0] of rank 0, last put here, lacks what rank 0"));
  CHECK_THAT(refusal("- rank: 1\n  steps:\n  - {put: data 0, to: 0, at: data 0, add: true}\n"),
             Catch::Contains(":7: rank 0 waits for 0 of 1 puts of this stream"));
}
