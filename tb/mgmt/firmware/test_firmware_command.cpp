// SPDX-License-Identifier: Apache-2.0
// tern boot --board tern, tern image: what a user sees.
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tb/common/temp_folder.h"
#include "tb/system/process.h"

using namespace tern::tb;

namespace {

struct Boot {
  Outcome outcome;
  std::string text;  // of the serial line
  nlohmann::json data;
};

Boot boot(const TempFolder& folder, std::vector<std::string> arguments) {
  const std::string log = folder.path("log.txt");
  arguments.insert(arguments.begin(), "boot");
  arguments.insert(arguments.end(), {"--uart", "file:" + log, "--json"});
  Boot result;
  result.outcome = run_tern(arguments);
  result.text = read_bytes(log);
  result.data = nlohmann::json::parse(result.outcome.out, nullptr, false);
  return result;
}

std::string sign(const TempFolder& folder, const std::string& name,
                 const std::vector<std::string>& more = {}) {
  std::string image = folder.path(name);
  std::vector<std::string> arguments = {"image", "sign", TERN_RUNTIME_ELF, "--key", TERN_TEST_KEY,
                                        "-o",    image};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Outcome signing = run_tern(arguments);
  INFO(signing.err);
  REQUIRE(signing.exit_code == 0);
  CHECK(signing.out.empty());
  return image;
}

bool has(const std::string& text, const std::string& what) {
  return text.find(what) != std::string::npos;
}

}  // namespace

TEST_CASE("boot: Tern's own firmware, phases with their times") {
  const TempFolder folder;
  const Boot run = boot(folder, {"--board", "tern"});
  INFO(run.outcome.err << run.text);
  CHECK(run.outcome.exit_code == 0);
  CHECK(run.data["ended"] == "the firmware: ready");
  CHECK(run.data["firmware"] == "tern firmware");
  REQUIRE(run.data["phases"].size() == 8);
  double at = 0;
  for (const auto& phase : run.data["phases"]) {
    CHECK(phase["at_us"] >= at);
    at = phase["at_us"];
  }
  CHECK(run.data["phases"][3]["phase"] == "HBM training");
  CHECK(run.data["phases"][3]["took_us"] >= 4000);
  CHECK(has(run.text, "] ready\r\n"));
}

TEST_CASE("boot: errors and failures of a board file, until a time") {
  const TempFolder folder;
  const std::string board =
      folder
          .put("board.yaml",
               "preset: tern\nmanagement:\n  chip:\n    faults: [{unit: hbm2, dead: true}]\n"
               "    events: [{at_us: 20000, error: sequencer_fatal, unit: 3}]\n")
          .string();
  const Boot degraded = boot(folder, {"--board", board});
  CHECK(degraded.outcome.exit_code == 1);
  CHECK(degraded.data["ended"] == "the firmware: ready, degraded");
  const Boot later = boot(folder, {"--board", board, "--max-time", "25ms"});
  CHECK(later.outcome.exit_code == 1);
  CHECK(has(later.text, "error: sequencer fatal, unit 3, address 0, count 1"));
  const Boot awaited = boot(folder, {"--board", board, "--until", "sequencer fatal"});
  CHECK(awaited.outcome.exit_code == 0);
  const Boot good = boot(folder, {"--board", "tern", "--max-time", "25ms"});
  CHECK(good.outcome.exit_code == 0);
  CHECK(good.data["end"]["simulated_us"] == 25000);
}

TEST_CASE("boot: a crypto engine that is late spoils nothing of the next slot") {
  const TempFolder folder;
  const std::string raw = folder.put("raw", std::string(500000, '\0')).string(),
                    late = folder.path("late.img");
  REQUIRE(run_tern(
              {"image", "sign", raw, "--key", TERN_TEST_KEY, "--security-version", "3", "-o", late})
              .exit_code == 0);
  const std::string board =
      folder
          .put("slow.yaml",
               "preset: tern\nclock_ghz: 0.1\nmanagement: {crypto: {hash_block_cycles: 76800}}\n")
          .string();
  const Boot run = boot(folder, {"--board", board, "--slot-a", late, "--max-time", "4s"});
  CHECK(has(run.text, "rom: slot A refused, class 7"));
  CHECK(has(run.text, "rom: slot B verified"));
  CHECK(run.outcome.exit_code == 0);
}

TEST_CASE("boot: a snapshot of a ready chip is ready, and one of other slots is refused") {
  const TempFolder folder;
  const std::string snapshot = folder.path("ready"), other = sign(folder, "other.img");
  REQUIRE(boot(folder, {"--board", "tern", "--max-time", "20ms", "--save", snapshot})
              .outcome.exit_code == 0);
  const Boot again = boot(folder, {"--board", "tern", "--restore", snapshot});
  CHECK(again.outcome.exit_code == 0);
  CHECK(again.data["ended"] == "the firmware: ready");
  const Boot later = boot(folder, {"--board", "tern", "--restore", snapshot, "--max-time", "5ms"});
  CHECK(later.outcome.exit_code == 0);

  const std::string own = folder.path("own");
  const std::vector<std::string> with = {TERN_RUNTIME_ELF, "--board", "tern", "--max-time", "1ms"};
  std::vector<std::string> saves = with, restores = with;
  saves.insert(saves.end(), {"--save", own, "--slot-a", other});
  restores.insert(restores.end(), {"--restore", own});
  REQUIRE(boot(folder, saves).outcome.exit_code == 0);
  CHECK(boot(folder, restores).outcome.exit_code == 2);
}

TEST_CASE("boot: images signed by tern image, good, damaged and none") {
  const TempFolder folder;
  const std::string image =
      sign(folder, "my.img", {"--security-version", "2", "--version", "1.2.3", "--name", "mine"});
  const Outcome shown = run_tern({"image", "show", image, "--json"});
  CHECK(shown.exit_code == 0);
  const auto data = nlohmann::json::parse(shown.out);
  CHECK(data["name"] == "mine");
  CHECK(data["version"] == "1.2.3");
  CHECK(data["security_version"] == 2);
  CHECK(data["passed"] == true);
  const Boot mine = boot(folder, {"--board", "tern", "--slot-b", image});
  CHECK(mine.outcome.exit_code == 0);
  CHECK(has(mine.text, "tern firmware 1.2.3, security version 2, slot B"));

  std::string bytes = read_bytes(image);
  bytes[1000] = static_cast<char>(bytes[1000] ^ 1);
  const std::string damaged = folder.put("damaged.img", bytes).string();
  CHECK(run_tern({"image", "show", damaged}).exit_code == 1);
  const Boot other = boot(folder, {"--board", "tern", "--slot-a", damaged});
  CHECK(other.outcome.exit_code == 0);
  CHECK(has(other.text, "rom: slot A refused, class 4"));
  const Boot none = boot(folder, {"--board", "tern", "--slot-a", damaged, "--slot-b", "none"});
  CHECK(none.outcome.exit_code == 1);
  CHECK(none.data["ended"] == "the boot ROM: no image boots, code 0104");
  CHECK(sign(folder, "again.img",
             {"--security-version", "2", "--version", "1.2.3", "--name", "mine"}) != image);
  CHECK(read_bytes(folder.path("again.img")) == read_bytes(image));
}

// The hart sleeps when the snapshot is taken, and time begins at 0 again.
TEST_CASE("boot: a snapshot of a sleeping firmware continues in another process") {
  const TempFolder folder;
  const std::string snapshot = folder.path("s.snapshot");
  const Boot whole = boot(folder, {"--board", "tern", "--max-time", "30ms"});
  const Boot saved = boot(folder, {"--board", "tern", "--max-time", "3ms", "--save", snapshot});
  CHECK(saved.outcome.exit_code == 0);
  const Boot rest = boot(folder, {"--board", "tern", "--restore", snapshot, "--max-time", "27ms"});
  INFO(rest.text);
  CHECK(rest.outcome.exit_code == 0);
  CHECK(saved.text + rest.text == whole.text);
  CHECK(rest.data["end"]["instructions"] == whole.data["end"]["instructions"]);
  CHECK(rest.data["resets"] == 0);
  const std::string other =
      folder.put("other.yaml", "preset: tern\nmanagement: {chip: {cores: 4}}\n").string();
  CHECK(has(error_of({"boot", "--board", other, "--restore", snapshot, "--uart", "none"}),
            "a snapshot of another board"));
  CHECK(has(error_of({"boot", "--board", "tern", "--slot-a", "none", "--restore", snapshot,
                      "--uart", "none"}),
            "a snapshot of other firmware"));
}

TEST_CASE("boot, image: one line for what cannot be meant") {
  const TempFolder folder;
  const std::string text = folder.put("text", std::string(600'000, 'x')).string();
  const std::string small = folder.put("small", "x").string();
  const std::string key = TERN_TEST_KEY, out = folder.path("out.img");
  const struct {
    std::vector<std::string> arguments;
    std::string says;
  } cases[] = {
      {{"boot"}, "firmware is required"},
      {{"boot", "--slot-a", text, TERN_RUNTIME_ELF}, "only on a board with a flash"},
      {{"boot", "--board", "tern", "--slot-a", text}, "600000 bytes, a slot of the flash has"},
      {{"boot", "--board", "tern", "--slot-a", folder.path("none")}, "no such file"},
      {{"boot", "--board", "tern", "--kernel", text}, "--kernel: only with firmware"},
      {{"image"}, "subcommand"},
      {{"image", "show", folder.path("none")}, "no such file"},
      {{"image", "show", small}, "1 bytes: shorter than a manifest"},
      {{"image", "show", text}, "no manifest"},
      {{"image", "sign", TERN_RUNTIME_ELF, "--key", key, "-o", out, "--load", "0x80030000"},
       "is an ELF file, which has its own addresses"},
      {{"image", "sign", text, "--key", key, "-o", out, "--load", "0"}, "outside of memory"},
      {{"image", "sign", TERN_RUNTIME_ELF, "-o", out}, "--key is required"},
      {{"image", "sign", TERN_RUNTIME_ELF, "--key", key}, "--output is required"},
      {{"image", "sign", text, "--key", key, "-o", out}, "room for"},
      {{"image", "sign", TERN_RUNTIME_ELF, "--key", text, "-o", out}, "too large for a key"},
      {{"image", "sign", TERN_RUNTIME_ELF, "--key", small, "-o", out}, "private key of P-256"},
      {{"image", "sign", TERN_RUNTIME_ELF, "--key", key, "-o", out, "--version", "1"}, "1.2.3"},
      {{"image", "sign", TERN_RUNTIME_ELF, "--key", key, "-o", out, "--security-version", "65"},
       "expected at most 64"},
      {{"image", "sign", TERN_RUNTIME_ELF, "--key", key, "-o", out, "--security-version", "-1"},
       "expected a whole number"},
      {{"image", "sign", small, "--key", key, "-o", out, "--load", "0x80000000"}, "load address"},
      {{"image", "sign", small, "--key", key, "-o", folder.path("no/such")}, "no/such"},
      {{"image", "sign", small, "--key", key, "-o", small}, "--output"},
      {{"image", "sign", small, "--key", small, "-o", out}, "private key"},
      {{"boot", "--board", "tern", "--slot-a", small, "--save", small, "--max-time", "1ms"},
       "--save"},
  };
  for (const auto& one : cases) {
    const std::string line = error_of(one.arguments);
    INFO(line);
    CHECK(has(line, one.says));
  }
  CHECK_FALSE(std::ifstream(out).good());
}
