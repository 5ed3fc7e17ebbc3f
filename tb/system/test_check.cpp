// SPDX-License-Identifier: Apache-2.0
// tern check: a sound chip passes, every stuck bit is found and named, bad input is refused.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tb/system/process.h"

using namespace tern;  // NOLINT: test file
using Catch::Contains;
using nlohmann::json;
using tb::run_tern;

namespace {

// A check that fails; its data.
json failed(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "check");
  arguments.insert(arguments.end(), {"--json", "--quiet"});
  const auto outcome = run_tern(arguments);
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 1);
  return json::parse(outcome.out);
}

}  // namespace

TEST_CASE("check: a sound chip passes, whatever preset") {
  for (const std::string chip : {"trn1", "trn2", "trn3"}) {
    const json data = tb::json_of({"check", "--chip", chip, "--core", "0,1", "--quiet"});
    CHECK(data["passed"] == true);
    CHECK(data["cores"] == json::array({0, 1}));
    CHECK(data["suspects"].empty());
    CHECK(data["results"].size() > 20);
    std::uint64_t words = 0;
    for (const json& result : data["results"]) {
      CHECK(result["passed"] == true);
      CHECK(result["wrong"] == 0);
      words += result["words"].get<std::uint64_t>();
    }
    CHECK(words > 100'000);
  }
}

TEST_CASE("check: the text has a table and a verdict") {
  const auto outcome = run_tern({"check", "--core", "5", "--only", "screen,training", "--quiet"});
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.out,
             Contains("product in bf16") && Contains("golden training") && Contains("PASSED"));
  CHECK_THAT(outcome.out, !Contains("through the host port"));
}

TEST_CASE("check: every kind of stuck bit is found, and its block is named") {
  struct Case {
    std::string bit, unit, block;
  };
  const std::vector<Case> cases = {
      {"1:tensor:37.12", "core 1", "tensor"},
      {"1:tensor:0.31=0", "core 1", "tensor"},
      {"1:tensor:127.0", "core 1", "tensor"},
      {"0:exp:64.22=0", "core 0", "exp"},
      {"1:mx:5.3", "core 1", "mx"},
      {"0:near_memory:3.7", "core 0", "near_memory"},
      {"1:dma:4.100", "core 1", "dma"},
      {"1:dma:0.0=0", "core 1", "dma"},
      // The engines next to the stack of both cores: those of the host's own copies.
      {"0:dma:0.100", "core 0", "dma"},
      {"0:dma:0.0=0", "core 0", "dma"},
      {"0:sbuf:77.19", "core 0", "sbuf"},
      {"0:sbuf:3.2097151=0", "core 0", "sbuf"},
      {"2:hbm:200", "stack 2", "hbm"},
      {"0:hbm:0=0", "stack 0", "hbm"},
  };
  for (const Case& each : cases) {
    const json data = failed({"--core", "0,1", "--inject", each.bit});
    INFO(each.bit << "\n" << data["suspects"].dump(2));
    REQUIRE(data["injected"].size() == 1);
    CHECK(data["injected"][0]["found"] == true);
    REQUIRE(data["suspects"].size() == 1);  // no other unit
    CHECK(data["suspects"][0]["unit"] == each.unit);
    CHECK(data["suspects"][0]["block"] == each.block);
    CHECK(data["suspects"][0]["detail"] != "");
  }
}

TEST_CASE("check: the first wrong value, its bit and its partition are named") {
  const json data = failed({"--core", "0", "--only", "screen", "--inject", "0:tensor:37.12"});
  const auto detail = data["suspects"][0]["detail"].get<std::string>();
  CHECK_THAT(detail, Contains("[37, ") && Contains("expected 0x") &&
                         Contains("bit 12 1 instead of 0, all on partition 37"));
}

TEST_CASE("check: several stuck bits at once are found, each in its core") {
  const json data = failed({"--core", "0,1,2", "--inject", "0:tensor:1.5", "--inject", "1:exp:2.20",
                            "--inject", "2:dma:7.300=0", "--inject", "3:hbm:9"});
  for (const json& bit : data["injected"]) {
    INFO(bit.dump());
    CHECK(bit["found"] == true);
  }
  CHECK(data["suspects"].size() == 4);
}

TEST_CASE("check: two stuck lines of HBM, which no code corrects, end no check") {
  const json data = failed({"--core", "0,1,2", "--inject", "0:hbm:5", "--inject", "0:hbm:77=0"});
  REQUIRE(data["suspects"].size() == 1);  // cores 0 and 1 have their memory there
  CHECK(data["suspects"][0]["unit"] == "stack 0");
  for (const json& result : data["results"])
    CHECK((result["passed"] == true || result["unit"] != "core 2"));
}

TEST_CASE("check: bad input") {
  const auto error = [](const std::vector<std::string>& arguments) {
    std::vector<std::string> all = {"check"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return tb::error_of(all);
  };
  CHECK_THAT(error({"--core", "8"}), Contains("--core: expected 0 to 7 of chip 'trn3', got 8"));
  CHECK_THAT(error({"--core", "x"}), Contains("expected a whole number, got 'x'"));
  CHECK_THAT(error({"--only", "all"}), Contains("expected march, screen or training, got 'all'"));
  CHECK_THAT(error({"--chip", "trn9"}), Contains("trn9"));
  for (const std::string bad : {"", "1", "1:tensor", "x:tensor:1", "1:tensor:a", "1:tensor:1=2",
                                "-1:tensor:1", "1:tensor:1.2.3", "1:tensor:"})
    CHECK_THAT(error({"--inject", bad}), Contains("CORE:BLOCK:[LANE.]BIT[=0|1]"));
  CHECK_THAT(error({"--inject", "0:flux:1"}),
             Contains("a block of tensor, exp, mx, near_memory, dma, sbuf, hbm"));
  CHECK_THAT(error({"--inject", "9:tensor:1"}), Contains("a core from 0 to 7 of chip 'trn3'"));
  CHECK_THAT(error({"--inject", "0:tensor:128.1"}), Contains("a lane from 0 to 127"));
  CHECK_THAT(error({"--inject", "0:tensor:32"}), Contains("a bit from 0 to 31"));
  CHECK_THAT(error({"--chip", "trn2", "--inject", "0:mx:1"}),
             Contains("a block that chip 'trn2' has"));
  CHECK_THAT(error({"--inject", "0:sbuf:5000"}), Contains("--full: 1024"));
  CHECK_THAT(error({"--core", "1", "--inject", "0:exp:1"}), Contains("core 0 is not tested"));
  CHECK_THAT(error({"--only", "screen", "--inject", "0:hbm:1"}), Contains("--only"));
}
