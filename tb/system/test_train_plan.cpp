// SPDX-License-Identifier: Apache-2.0
// Plans of trainings on a text, as a user starts them.
#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <thread>

#include "tb/common/temp_folder.h"
#include "tb/system/process.h"
#include "tb/system/text_workload.h"

using namespace tern;  // NOLINT: test file
using Catch::Contains;
using tb::book;
using tb::run_tern;
using tb::short_runs_in;
using Json = nlohmann::json;

namespace {

// The first one that any of its threads starts.
void kill_a_child(int pid) {
  const std::filesystem::path threads = "/proc/" + std::to_string(pid) + "/task";
  std::error_code ended;
  while (std::filesystem::exists(threads, ended)) {
    for (const auto& thread : std::filesystem::directory_iterator(threads, ended)) {
      int child = 0;
      if (std::ifstream(thread.path() / "children") >> child) {
        kill(child, SIGKILL);
        return;
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

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
  CHECK(result["plan"]["sum"] == "doubling");
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
  CHECK_THAT(text.out, Contains("4 ranks: the batch in 4 parts, gradients by doubling"));
  // A checkpoint belongs to its plan, and what is of one chip is refused with the place.
  const auto other = run_tern({"run", one, "--checkpoint", kept, "--resume"});
  CHECK(other.exit_code != 0);
  CHECK_THAT(other.err, Contains("of another training") && Contains("'plan (data, seq"));
  // Other chips sum in the same order: the bits are theirs, too. Another order is another training.
  folder.put("chips.yaml", "system: trn2-nl16\nchips: 4\ndata: 4\nsum: doubling\n");
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
  CHECK_THAT(ring.err, Contains("sums of gradients was doubling among 4 ranks") &&
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
  CHECK(made["sum"] == "ring");
  CHECK(made["tensor_sum"] == "doubling");
  CHECK(made["exposed_us"].get<double>() > 0);
  // Multiplications of the model over 4 arrays of 2.4 GHz; what ranks repeat does not count.
  // For each of 128 characters: 4 products of 32 x 32, attention 2 of 32 x 16, 2 of 32 x 48.
  // Then the logits of 28. Back it is twice as many.
  const double step_macs = 3.0 * 128 * (4 * 32 * 32 + 2 * 32 * 16 + 2 * 32 * 48 + 32 * 28);
  CHECK(made["mfu"].get<double>() ==
        Approx(step_macs / (result["step_us"].get<double>() * 2400 * 4 * 128 * 128)));
  for (unsigned step = 0; step < 4; ++step)
    CHECK(result["loss"][step].get<double>() ==
          Approx(alone["loss"][step].get<double>()).epsilon(1e-3));
  CHECK(result["text"]["held_out_loss"].get<double>() ==
        Approx(alone["text"]["held_out_loss"].get<double>()).epsilon(1e-3));
  const auto other = run_tern({"run", one, "--checkpoint", kept, "--resume"});
  CHECK(other.exit_code != 0);
  CHECK_THAT(other.err, Contains("of another training") && Contains("'plan (data, seq"));
  const auto uneven =
      run_tern({"run", put("uneven.yaml",
                           {{"plan", "{system: trn3-nl16-2d, chips: 8, data: 1, tensor: 8}"}})});
  CHECK(uneven.exit_code == 2);
  CHECK_THAT(uneven.err, Contains("uneven.yaml:") && Contains("key 'plan'") &&
                             Contains("2 heads and 48 hidden columns"));
}

TEST_CASE("train text: a plan makes a pipeline of the blocks, and says what its bubbles are") {
  tb::TempFolder folder;
  folder.put("book.txt", book());
  const auto put = short_runs_in(folder);
  const std::string blocks = "{width: 32, heads: 2, blocks: 2, context: 16, hidden: 48}";
  const std::string one = put("one.yaml", {{"network", blocks}});
  const std::string stages = "{system: trn3-nl16-2d, chips: 2, data: 1, pipeline: 2";
  const std::string two =
      put("two.yaml", {{"network", blocks}, {"plan", stages + ", micro_batches: 1}"}});
  const std::string kept = folder.path("two.checkpoint");
  const Json alone = tb::json_of({"run", one, "--checkpoint", folder.path("one.checkpoint")});
  const Json result = tb::json_of({"run", two, "--checkpoint", kept});
  // The operands and their order are the same.
  CHECK(result["loss"] == alone["loss"]);
  CHECK(result["text"]["held_out_loss"] == alone["text"]["held_out_loss"]);
  const Json& made = result["plan"];
  CHECK(made["pipeline"] == 2);
  CHECK(made["micro_batches"] == 1);
  const double step = made["alone_us"].get<double>() + made["bubbles_us"].get<double>() +
                      made["exposed_us"].get<double>();
  CHECK(step == Approx(made["first_step_us"].get<double>()));
  CHECK(made["bubbles_us"].get<double>() > 0.2 * step);
  // Another number of micro-batches is another training.
  const auto other = run_tern(
      {"run", put("four.yaml", {{"network", blocks}, {"plan", stages + ", micro_batches: 4}"}}),
       "--checkpoint", kept, "--resume"});
  CHECK(other.exit_code == 2);
  CHECK_THAT(other.err, Contains("micro_batches) was 1,1,2,1,1,1, now it is 1,1,2,1,1,4"));
  const auto refused = [&](const std::string& keys, const std::string& why) {
    const auto run =
        run_tern({"run", put("bad.yaml", {{"network", blocks}, {"plan", stages + keys + "}"}})});
    CHECK(run.exit_code == 2);
    CHECK_THAT(run.err, Contains("bad.yaml:") && Contains("key 'plan") && Contains(why));
  };
  refused(", micro_batches: 3", "do not divide into 3 micro-batches");
  refused(", micro_batches: 0", "micro_batches");
  refused(", tensor: two", "or auto");
  // Where a number is not finite first: in the same tensor as on one core.
  const std::string wild = "{kind: sgd, learning_rate: 1000000}";
  const auto fault = [&](const char* file, const std::string& plan) {
    const auto run =
        run_tern({"run", put(file, {{"network", blocks}, {"optimiser", wild}, {"plan", plan}}),
                  "--checkpoint", folder.path("wild.checkpoint")});
    CHECK(run.exit_code == 1);
    const std::size_t begin = run.err.find("first in step ");
    REQUIRE(begin != std::string::npos);
    return run.err.substr(begin);
  };
  const std::string here = fault("wild1.yaml", ""), there = fault("wild2.yaml", stages + "}");
  const auto what = [](const std::string& text) {
    const std::size_t end = text.find(" = ");
    const std::size_t begin = text.rfind(": ", end);
    return text.substr(begin, end - begin);
  };
  CHECK(what(there) == what(here));
  refused(", optimiser_sharding: 1", "optimiser_sharding");
  refused(", optimiser_sharding: true", "leaves nothing to divide");
  const auto deep =
      run_tern({"run", put("deep.yaml",
                           {{"plan", "{system: trn3-nl16-2d, chips: 4, data: 1, pipeline: 4}"}})});
  CHECK_THAT(deep.err, Contains("deep.yaml:") && Contains("blocks are no pipeline of 4 stages"));
  const auto thin = run_tern(
      {"run", put("thin.yaml",
                  {{"plan", "{system: trn3-nl16-2d, chips: 2, data: 1, tensor: 2}"},
                   {"network", "{width: 32, heads: 2, blocks: 2, context: 16, hidden: 2}"}})});
  CHECK_THAT(thin.err, Contains("thin.yaml:") && Contains("at least 2 of each"));
}

// Of the planner's processes one that is killed, as for a lack of memory: another plan would be
// trained, and nobody would know.
TEST_CASE("train text: a plan divides windows, which may then be longer") {
  tb::TempFolder folder;
  folder.put("book.txt", book());
  const auto put = short_runs_in(folder);
  const auto network = [](const std::string& context) {
    return "{width: 32, heads: 2, blocks: 1, hidden: 48, context: " + context + "}";
  };
  const std::string one = put("one.yaml", {{"network", network("16")}});
  const Json alone = tb::json_of({"run", one, "--checkpoint", folder.path("one.checkpoint")});
  const std::string plan = "{system: trn3-nl16-2d, chips: 2, cores: 2, data: 2, sequence: 2}";
  const std::string four = put("four.yaml", {{"network", network("16")}, {"plan", plan}});
  const std::string kept = folder.path("four.checkpoint"), report = folder.path("report");
  const Json result = tb::json_of({"run", four, "--checkpoint", kept, "--report", report});
  CHECK(result["plan"]["sequence"] == 2);
  CHECK(!result["plan"]["sequence_sum"].get<std::string>().empty());
  for (unsigned step = 0; step < 4; ++step)
    CHECK(result["loss"][step].get<double>() ==
          Approx(alone["loss"][step].get<double>()).epsilon(1e-3));
  CHECK(result["text"]["held_out_loss"].get<double>() ==
        Approx(alone["text"]["held_out_loss"].get<double>()).epsilon(1e-3));
  CHECK_THAT(tb::read_bytes(report + "/report.md"),
             Contains("windows in 2 parts, their keys and values by"));
  const auto again = run_tern({"run", four, "--checkpoint", kept, "--resume"});
  CHECK(again.exit_code == 0);
  // Sums in another order are another training, and so is another network.
  const auto resumed = [&](const std::string& of_network, const std::string& keys) {
    return run_tern({"run", put("other.yaml", {{"network", of_network}, {"plan", keys}}),
                     "--checkpoint", kept, "--resume"})
        .err;
  };
  CHECK_THAT(
      resumed(
          network("16"),
          "{system: trn3-nl16-2d, chips: 2, cores: 2, data: 2, sequence: 2, sequence_sum: mesh}"),
      Contains("sums of keys' and values' gradients was") && Contains("now it is mesh among 2"));
  CHECK_THAT(resumed("{width: 32, heads: 2, blocks: 1, hidden: 40, context: 16}", plan),
             Contains("network was ..., hidden 48, context 16, now it is ..., hidden 40"));
  // Longer than a core takes.
  const std::string whole = put("whole.yaml", {{"network", network("256")}, {"batch", "2"}});
  const auto refused = run_tern({"run", whole});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, Contains("whole.yaml:") && Contains("key 'network'") &&
                              Contains("256 characters of a window, and has space for 128"));
  const auto halves = run_tern(
      {"run", put("halves.yaml", {{"network", network("256")}, {"batch", "2"}, {"plan", plan}})});
  CHECK(halves.exit_code == 0);
  const auto uneven =
      run_tern({"run", put("uneven.yaml",
                           {{"network", network("8")},
                            {"plan", "{system: trn3-nl16-2d, chips: 4, data: 1, sequence: 4}"}})});
  CHECK(uneven.exit_code == 2);
  CHECK_THAT(uneven.err, Contains("uneven.yaml:") && Contains("equal parts of at least 4"));
}

TEST_CASE("train text: a plan divides experts") {
  tb::TempFolder folder;
  folder.put("book.txt", book());
  const auto put = short_runs_in(folder);
  const std::string network =
      "{width: 32, heads: 2, blocks: 1, hidden: 48, context: 16, experts: 4, capacity: 2}";
  const std::string one = put("one.yaml", {{"network", network}, {"batch", "32"}});
  const Json alone = tb::json_of({"run", one, "--checkpoint", folder.path("one.checkpoint")});
  const std::string plan = "{system: trn3-nl16-2d, chips: 4, data: 4, expert: 4}";
  const std::string four =
      put("four.yaml", {{"network", network}, {"batch", "32"}, {"plan", plan}});
  const std::string kept = folder.path("four.checkpoint"), report = folder.path("report");
  const Json result = tb::json_of({"run", four, "--checkpoint", kept, "--report", report});
  CHECK(result["plan"]["expert"] == 4);
  CHECK(!result["plan"]["expert_exchange"].get<std::string>().empty());
  for (unsigned step = 0; step < 4; ++step)
    CHECK(result["loss"][step].get<double>() ==
          Approx(alone["loss"][step].get<double>()).epsilon(2e-3));
  CHECK_THAT(tb::read_bytes(report + "/report.md"),
             Contains("experts on 4 ranks, their characters by"));
  CHECK(run_tern({"run", four, "--checkpoint", kept, "--resume"}).exit_code == 0);
  const auto refused = [&](const std::string& of_network, const std::string& of_plan,
                           const std::string& why) {
    const auto run = run_tern(
        {"run", put("bad.yaml", {{"network", of_network}, {"batch", "32"}, {"plan", of_plan}})});
    CHECK(run.exit_code == 2);
    CHECK_THAT(run.err, Contains("bad.yaml:") && Contains(why));
  };
  const std::string three = "{width: 32, heads: 2, blocks: 1, hidden: 48, context: 16, experts: 3}";
  refused(three, plan, "3 experts and data * sequence = 4 do not divide into 4");
  refused(network, "{system: trn3-nl16-2d, chips: 4, data: 2, tensor: 2}", "2 parts of each layer");
  refused(network, "{system: trn3-nl16-2d, chips: 4, data: 4, expert: 3}", "a divisor of");
  refused("{width: 32, heads: 2, blocks: 1, context: 16, experts: 65}", plan, "experts");
  refused("{width: 32, heads: 2, blocks: 1, context: 16}", plan, "key 'network.experts'");
  refused("{width: 32, heads: 2, blocks: 1, context: 16, experts: 4, capacity: 0}", plan,
          "capacity");
}

TEST_CASE("train text: the planner ends when one of its processes does") {
  tb::TempFolder folder;
  folder.put("book.txt", book());
  const std::string open = short_runs_in(folder)(
      "open.yaml", {{"plan", "{system: trn3-nl16-2d, chips: 4, data: auto, pipeline: auto}"},
                    {"network", "{width: 128, heads: 2, blocks: 2, context: 64, hidden: 512}"}});
  const auto run =
      run_tern({"run", open, "--checkpoint", folder.path("open.checkpoint")}, kill_a_child);
  CHECK(run.exit_code == 1);
  CHECK_THAT(run.err, Contains("the planner's run of data") && Contains("ended with code 137"));
}

TEST_CASE("train text: the planner times every way to divide, and trains in the fastest") {
  tb::TempFolder folder;
  folder.put("book.txt", book());
  const auto put = short_runs_in(folder);
  const std::string blocks = "{width: 32, heads: 2, blocks: 2, context: 16, hidden: 48}";
  const std::string ranks = "system: trn3-nl16-2d, chips: 2, cores: 2";
  const std::string open = put(
      "open.yaml",
      {{"network", blocks}, {"plan", "{" + ranks + ", data: auto, pipeline: auto, tensor: auto}"}});
  const std::string checkpoint = folder.path("open.checkpoint"), report = folder.path("report");
  const Json result = tb::json_of({"run", open, "--checkpoint", checkpoint, "--report", report});
  const Json& trials = result["plan"]["trials"];
  // Four parts of layers are too many for two heads, four stages for two blocks.
  REQUIRE(trials.size() == 6);
  for (unsigned t = 0; t < 3; ++t)
    CHECK(trials[t]["step_us"].get<double>() <= trials[t + 1]["step_us"].get<double>());
  CHECK(trials[5]["pipeline"] == 4);
  CHECK_THAT(trials[5]["refused"].get<std::string>(), Contains("2 blocks"));
  CHECK(trials[4]["tensor"] == 4);
  CHECK_THAT(trials[4]["refused"].get<std::string>(), Contains("2 heads"));
  CHECK(result["plan"]["data"] == trials[0]["data"]);
  CHECK(result["plan"]["tensor"] == trials[0]["tensor"]);
  CHECK_THAT(tb::read_bytes(report + "/report.md"), Contains("Plans tried") && Contains("chosen"));
  // What it trains is what the file with these numbers trains: its checkpoint says so.
  const auto part = [&](const char* name) {
    return ", " + std::string(name) + ": " + trials[0][name].dump();
  };
  const std::string chosen =
      put("chosen.yaml", {{"network", blocks},
                          {"plan", "{" + ranks + part("data") + part("pipeline") + part("tensor") +
                                       part("micro_batches") + "}"}});
  CHECK(tb::json_of({"run", chosen, "--checkpoint", checkpoint, "--resume"})["loss"] ==
        result["loss"]);
  const auto timed = run_tern({"run", open, "--time-plan", "2,1,1,2,1,1"});
  CHECK(timed.exit_code == 0);
  const auto same = std::find_if(trials.begin(), trials.end(), [](const Json& trial) {
    return trial["data"] == 2 && trial["tensor"] == 2;
  });
  REQUIRE(same != trials.end());
  CHECK(Json::parse(timed.out)["step_us"] == (*same)["step_us"]);
  // Continued, it is divided as before, whatever is faster now.
  const auto again = run_tern({"run", open, "--checkpoint", checkpoint, "--resume", "--set",
                               "dma.doorbell_latency_ns=30000"});
  CHECK(again.exit_code == 0);
  CHECK_THAT(again.out, !Contains("Plans tried"));
  // Two stages of two slabs usually take two micro-batches; fewer are tried as well.
  const std::string stages =
      put("stages.yaml", {{"network", blocks},
                          {"batch", "16"},
                          {"plan", "{system: trn3-nl16-2d, chips: 2, data: auto, pipeline: 2}"}});
  const Json micro = tb::json_of({"run", stages, "--checkpoint", folder.path("s.checkpoint")});
  std::set<int> tried;
  for (const Json& trial : micro["plan"]["trials"]) tried.insert(trial["micro_batches"].get<int>());
  CHECK(tried == std::set<int>{1, 2});
  // One that does not fit is refused before anything is timed.
  const std::string two =
      put("two.yaml", {{"network", blocks},
                       {"plan", "{" + ranks + ", data: auto, pipeline: 2, micro_batches: 2}"}});
  const auto unfit = run_tern({"run", two, "--checkpoint", checkpoint, "--resume"});
  CHECK(unfit.exit_code == 2);
  CHECK_THAT(unfit.err, Contains("open.checkpoint: of another training: its plan"));
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& why) {
    const auto run = run_tern(arguments);
    CHECK(run.exit_code == 2);
    CHECK_THAT(run.err, Contains(why));
  };
  refused({"run", open, "--time-plan", "3,1,1,2,1,1"}, "has 4 ranks");
  refused({"run", open, "--time-plan", "1,1,1,4,1,1"}, "2 heads");
  refused({"run", open, "--time-plan", "4"}, "--time-plan");
  refused({"run", open, "--time-plan", "2,1,1,2,1,1", "--report", report}, "not with --report");
  refused({"run", put("one.yaml", {}), "--time-plan", "2,1,1,2,1,1"}, "has no key 'plan'");
  refused({"run", put("none.yaml",
                      {{"network", blocks}, {"plan", "{" + ranks + ", data: 1, tensor: auto}"}})},
          "no way to divide");
  refused({"run", put("three.yaml",
                      {{"network", blocks}, {"plan", "{" + ranks + ", data: 3, tensor: auto}"}})},
          "key 'plan.data': expected a divisor of 4");
}

TEST_CASE(
    "train text: the planner divides experts and the optimiser's state where it is asked to") {
  tb::TempFolder folder;
  folder.put("book.txt", book());
  const auto put = short_runs_in(folder);
  const std::string network =
      "{width: 32, heads: 2, blocks: 1, context: 16, hidden: 48, experts: 4}";
  const std::string open =
      put("open.yaml", {{"network", network},
                        {"plan",
                         "{system: trn3-nl16-2d, chips: 4, data: 4, expert: auto, "
                         "optimiser_sharding: auto}"}});
  const std::string checkpoint = folder.path("open.checkpoint");
  const Json result = tb::json_of({"run", open, "--checkpoint", checkpoint});
  const Json& trials = result["plan"]["trials"];
  REQUIRE(trials.size() == 6);  // 1, 2 and 4 parts, each with one state and with parts of it
  std::set<std::pair<int, bool>> ways;
  for (const Json& trial : trials) {
    ways.emplace(trial["expert"], trial["optimiser_sharding"]);
    CHECK(trial["data"] == 4);
    CHECK(trial["step_us"].get<double>() >= trials[0]["step_us"].get<double>());
  }
  CHECK(ways.size() == 6);
  CHECK(result["plan"]["expert"] == trials[0]["expert"]);
  CHECK(result["plan"]["optimiser_sharding"] == trials[0]["optimiser_sharding"]);
  const Json& slowest = trials[5];
  const bool sharding = slowest["optimiser_sharding"];
  const auto timed =
      run_tern({"run", open, "--time-plan",
                "4,1,1,1," + slowest["expert"].dump() + ",1," + (sharding ? "1" : "0")});
  CHECK(Json::parse(timed.out)["step_us"] == slowest["step_us"]);
  // Continued, it is divided as before.
  const Json again = tb::json_of({"run", open, "--checkpoint", checkpoint, "--resume"});
  CHECK(again["loss"] == result["loss"]);
  CHECK(again["plan"].count("trials") == 0);
  for (const char* key : {"expert", "optimiser_sharding"})
    CHECK(again["plan"][key] == trials[0][key]);
  for (const char* wrong : {"4,1,1,0,1,1", "4,1,1,1,1,1,2", "4,1,1,1,1,1,0,0"}) {
    const auto run = run_tern({"run", open, "--time-plan", wrong});
    CHECK(run.exit_code == 2);
    CHECK_THAT(run.err, Contains("--time-plan"));
  }
}
