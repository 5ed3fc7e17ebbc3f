// SPDX-License-Identifier: Apache-2.0
// Checkpoints of a plan on the hosts of its chips, as a user starts and resumes them.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "tb/common/temp_folder.h"
#include "tb/system/process.h"
#include "tb/system/text_workload.h"

using namespace tern;  // NOLINT: test file
using Catch::Contains;
using tb::book;
using tb::run_tern;
using tb::short_runs_in;
using Json = nlohmann::json;

TEST_CASE("train text: checkpoints go to hosts meanwhile, and a lost host's part is on another") {
  namespace fs = std::filesystem;
  tb::TempFolder folder;
  folder.put("book.txt", book());
  const auto put = short_runs_in(folder);
  const auto with = [&](const char* name, const std::string& keys) {
    return put(name, {{"checkpoint_every", "3"},
                      {"plan",
                       "{system: trn3-nl32x2-gen1, chips: [rack0.tray0.chip0, "
                       "rack0.tray1.chip0], data: 2, optimiser_sharding: true" +
                           keys + "}"}});
  };
  const std::string stands = with("stands.yaml", ""),
                    goes = with("goes.yaml", ", host_checkpoints: {replicas: 1}");
  const std::string plain = folder.path("plain.checkpoint"), kept = folder.path("k.checkpoint");
  const Json alone = tb::json_of({"run", stands, "--checkpoint", plain});
  CHECK(alone["plan"].count("host_checkpoints") == 0);
  const Json result = tb::json_of({"run", goes, "--checkpoint", kept});
  CHECK(result["loss"] == alone["loss"]);
  const std::string bytes = tb::read_bytes(plain);
  CHECK(tb::read_bytes(kept) == bytes);
  const Json& hosts = result["plan"]["host_checkpoints"];
  CHECK(hosts["hosts"] == 2);
  REQUIRE(hosts["checkpoints"].size() == 1);
  const Json& only = hosts["checkpoints"][0];
  CHECK(only["step"] == 3);
  CHECK(only["kept_us"].get<double>() > 0);
  CHECK(only["kept_us"].get<double>() < result["step_us"].get<double>());
  CHECK(only["copied_us"].get<double>() > 0);
  // Half of the state goes over 25 GB/s, 1.4 % of which are headers; after 6.5 us.
  CHECK(only["replicated_us"].get<double>() - only["copied_us"].get<double>() ==
        Approx(6.5 + only["bytes"].get<double>() * 1.0139 / 25e3).epsilon(0.01));
  const fs::path of_hosts = kept + ".hosts";
  CHECK(fs::exists(of_hosts / "host0" / "step-3.part1"));
  // A host is lost, and the file: the same training goes on from step 3.
  fs::remove(kept);
  fs::remove_all(of_hosts / "host0");
  std::ofstream(of_hosts / "host1" / "step-notes.txt") << "mine\n";
  const auto resumed = run_tern({"run", goes, "--checkpoint", kept, "--resume"});
  CHECK_THAT(resumed.out,
             Contains("after step 3, from " + of_hosts.string() + ", and not from " + kept));
  CHECK(tb::read_bytes(kept) == bytes);
  CHECK(fs::exists(of_hosts / "host1" / "step-notes.txt"));
  // What is damaged is not there.
  fs::remove(kept);
  std::string part = tb::read_bytes((of_hosts / "host1" / "step-3.part0").string());
  part[part.size() / 2] = static_cast<char>(part[part.size() / 2] ^ 1);
  std::ofstream(of_hosts / "host1" / "step-3.part0", std::ios::binary) << part;
  const auto lost = run_tern({"run", goes, "--checkpoint", kept, "--resume"});
  CHECK(lost.exit_code == 2);
  CHECK_THAT(lost.err,
             Contains("k.checkpoint: no such file, and no checkpoint has all of its parts"));
  // A host's folder that leads elsewhere is found before the first step.
  fs::create_directories(folder / "l.checkpoint.hosts");
  fs::create_directory_symlink(folder.path("."), folder / "l.checkpoint.hosts/host1");
  const auto link = run_tern({"run", goes, "--checkpoint", folder.path("l.checkpoint")});
  CHECK(link.exit_code == 2);
  CHECK_THAT(link.err, Contains("host1: leads elsewhere"));
  CHECK_FALSE(fs::exists(folder / "l.checkpoint"));
  // So is one that cannot be made.
  folder.put("m.checkpoint.hosts", "a file");
  const auto file = run_tern({"run", goes, "--checkpoint", folder.path("m.checkpoint")});
  CHECK(file.exit_code == 2);
  CHECK_THAT(file.err, Contains("m.checkpoint.hosts: cannot write there"));
  CHECK_FALSE(fs::exists(folder / "m.checkpoint"));
  const auto refused = [&](const std::string& plan) {
    const auto outcome = run_tern({"run", put("bad.yaml", {{"plan", plan}})});
    CHECK(outcome.exit_code == 2);
    return outcome.err;
  };
  CHECK_THAT(refused("{system: trn2-nl16, chips: 2, data: 2, host_checkpoints: {replicas: 1}}"),
             Contains("key 'plan.host_checkpoints': replicas: 1, and these chips have one host"));
  CHECK_THAT(refused("{system: trn2-nl16, chips: 2, data: 2, host_checkpoints: {replica: 1}}"),
             Contains("did you mean 'replicas'?"));
}

TEST_CASE("train text: what is left of checkpoints on hosts and of the file is found") {
  namespace fs = std::filesystem;
  tb::TempFolder folder;
  folder.put("book.txt", book());
  const auto put = short_runs_in(folder);
  const auto with = [&](const char* name, const char* parts, const char* every, const char* rate) {
    return put(name,
               {{"checkpoint_every", every},
                {"optimiser", std::string("{kind: adamw, learning_rate: ") + rate + "}"},
                {"plan", std::string("{system: trn3-nl32x2-gen1, chips: [rack0.tray0.chip0, "
                                     "rack0.tray1.chip0], host_checkpoints: {replicas: 1}, ") +
                             parts + "}"}});
  };
  const std::string fixed = with("fixed.yaml", "data: 2", "3", "0.004"),
                    open = with("open.yaml", "data: auto, tensor: auto", "3", "0.004"),
                    other = with("other.yaml", "data: 2", "300", "0.002");
  const auto resume = [&](const std::string& file, const std::string& kept) {
    return run_tern({"run", file, "--checkpoint", kept, "--resume"});
  };
  // A plan that left its division open continues with the hosts' if the file is lost.
  const std::string kept = folder.path("k.checkpoint");
  REQUIRE(run_tern({"run", open, "--checkpoint", kept}).exit_code == 0);
  const std::string whole = tb::read_bytes(kept);
  fs::remove(kept);
  CHECK_THAT(resume(open, kept).out, Contains("after step 3, from " + kept + ".hosts"));
  CHECK(tb::read_bytes(kept) == whole);
  // Parts of a training before this one do not stand in the way of the file.
  REQUIRE(run_tern({"run", other, "--checkpoint", kept}).exit_code == 0);
  const auto file = resume(other, kept);
  CHECK(file.exit_code == 0);
  CHECK_THAT(file.out, Contains("from " + kept + ", and not from " + kept + ".hosts: of another"));
  // Nor do those of the same one for more hosts stand in the way of these.
  const std::string own = folder.path("o.checkpoint");
  REQUIRE(run_tern({"run", fixed, "--checkpoint", own}).exit_code == 0);
  const fs::path hosts = own + ".hosts";
  std::string part = tb::read_bytes((hosts / "host0" / "step-3.part0").string());
  part.replace(part.find("parts=2"), 7, "parts=4");
  part.replace(part.find("part=0"), 6, "part=2");
  fs::create_directory(hosts / "host2");
  std::ofstream(hosts / "host2" / "step-3.part2", std::ios::binary) << part;
  fs::remove(own);
  CHECK_THAT(resume(fixed, own).out, Contains("after step 3, from " + hosts.string()));
  // No folder can be beside a device.
  const auto device = run_tern({"run", fixed, "--checkpoint", "/dev/null"});
  CHECK(device.exit_code == 2);
  CHECK_THAT(device.err, Contains("/dev/null: not with") && Contains("host_checkpoints"));
}
