// SPDX-License-Identifier: Apache-2.0
// tern boot --trace, --profile: what they write of Tern's own firmware, whose counts are known.
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tb/common/temp_folder.h"
#include "tb/system/process.h"

using namespace tern::tb;
using Catch::Contains;

namespace {

nlohmann::json boot(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"boot", "--board", "tern", "--uart", "none", "--json"});
  const Outcome run = run_tern(arguments);
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  return nlohmann::json::parse(run.out);
}

}  // namespace

TEST_CASE("profile: every instruction is counted once, in its function and callers") {
  const TempFolder folder;
  const std::string stacks = folder.path("stacks"), picture = folder.path("flame.svg");
  const nlohmann::json plain = boot({});
  const std::vector<std::string> symbols = {"--symbols", TERN_RUNTIME_ELF, "--symbols",
                                            TERN_BOOT_ROM_ELF};
  std::vector<std::string> arguments = {"--profile", stacks};
  arguments.insert(arguments.end(), symbols.begin(), symbols.end());
  const nlohmann::json profiled = boot(arguments);
  CHECK(profiled["end"] == plain["end"]);
  CHECK(profiled["phases"] == plain["phases"]);
  std::istringstream text(read_bytes(stacks));
  std::uint64_t counted = 0;
  bool verifies = false;
  for (std::string line; std::getline(text, line);) {
    const std::size_t space = line.rfind(' ');
    counted += std::stoull(line.substr(space + 1));
    verifies = verifies || line.find("rom_main;verify_slot;crypto_verify") != std::string::npos;
    CHECK_THAT(line, !Contains("(no symbol)"));
  }
  CHECK(verifies);
  // The one at which the run ends is counted, and may not have ended.
  const std::uint64_t instructions = plain["end"]["instructions"];
  CHECK(counted >= instructions);
  CHECK(counted <= instructions + 1);
  boot({"--profile", picture});
  CHECK_THAT(read_bytes(picture), Contains("</svg>"));
}

TEST_CASE("profile: a trace of some simulated time, line by line") {
  const TempFolder folder;
  const std::string trace = folder.path("trace.txt");
  const nlohmann::json run = boot({"--trace", trace, "--trace-from", "1us", "--trace-to", "3us",
                                   "--symbols", TERN_BOOT_ROM_ELF, "--max-time", "10ms"});
  CHECK(run["trace_instructions"] == 2000);  // one a nanosecond
  const std::string text = read_bytes(trace);
  CHECK(std::count(text.begin(), text.end(), '\n') == 2000);
  CHECK(text.substr(0, 34) == "      1000.000 ns  h0  00000000000");
  CHECK_THAT(text, Contains("  addi sp,sp,"));
  CHECK_THAT(text, Contains("+0x"));
}

TEST_CASE("profile: a file of symbols is not replaced") {
  const TempFolder folder;
  const std::string program = folder.put("rt.elf", read_bytes(TERN_RUNTIME_ELF)).string();
  const std::vector<std::string> outputs[] = {
      {"--profile", program},
      {"--trace", program},
      {"--trace", folder.path("out"), "--dtb-out", program}};
  for (const auto& output : outputs) {
    std::vector<std::string> arguments = {"boot", "--board", "tern", "--symbols", program + "@0"};
    arguments.insert(arguments.end(), output.begin(), output.end());
    CHECK_THAT(error_of(arguments), Contains("'" + program + "' is a file that the run reads"));
    CHECK(read_bytes(program) == read_bytes(TERN_RUNTIME_ELF));
  }
}

TEST_CASE("profile: what cannot be meant is refused in one line") {
  const TempFolder folder;
  const std::string text = folder.put("text", "no program").string(), out = folder.path("out");
  const struct {
    std::vector<std::string> arguments;
    std::string says;
  } cases[] = {
      {{"--symbols", TERN_RUNTIME_ELF}, "--symbols: only with --trace or --profile"},
      {{"--profile", out, "--symbols", text}, text + ": no ELF file, so it has no symbols"},
      {{"--profile", out, "--symbols", text + "@12g"}, "a hexadecimal number"},
      {{"--profile", out, "--symbols", folder.path("none")}, "no such file"},
      {{"--trace-from", "1us"}, "--trace-from requires --trace"},
      {{"--trace", out, "--trace-to", "soon"}, "--trace-to"},
      {{"--trace", out, "--profile", out}, "is also the file of --trace"},
      {{"--trace", folder.path("no/such")}, "no/such"},
      {{"--trace", out, "--dtb-out", folder.path("dtb"), "--trace-from", "soon"}, "--trace-from"},
      {{"--profile", text, "--symbols", text}, "no ELF file"},
      {{"--trace", out + ".partial", "--profile", out}, "is also the file of --trace"},
      {{"--save", out}, "--save: needs --until or --max-time"},
  };
  for (const auto& one : cases) {
    std::vector<std::string> arguments = {"boot", "--board", "tern"};
    arguments.insert(arguments.end(), one.arguments.begin(), one.arguments.end());
    const std::string line = error_of(arguments);
    INFO(line);
    CHECK_THAT(line, Contains(one.says));
    CHECK(folder.files() == std::vector<std::string>{"text"});
  }
}
