// SPDX-License-Identifier: Apache-2.0
// tern dma as a user starts it.
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tb/common/temp_folder.h"
#include "tb/system/process.h"

using namespace tern;  // NOLINT: test file
using tb::run_tern;
using Json = nlohmann::json;

namespace {

Json result_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "dma");
  return tb::json_of(arguments);
}

std::string error_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "dma");
  return tb::error_of(arguments);
}

}  // namespace

TEST_CASE("tern dma: a queue too slow for the measurement is named") {
  const std::string slow = "core.sync.clock_ghz=0.001";
  const std::vector<std::vector<std::string>> measurements = {{"--bytes", "64"}, {"--sweep"}};
  for (std::vector<std::string> arguments : measurements) {
    arguments.insert(arguments.end(), {"--set", slow, "--chip", "trn3"});
    CHECK(error_of(arguments) ==
          "tern: core.sync: too slow to measure transfers: its first instruction ends after the "
          "second transfer has begun (core.sync.clock_ghz, or what an instruction takes and waits "
          "for)");
  }
}

TEST_CASE("tern dma: the moments of one transfer are in order") {
  const Json result = result_of({"--bytes", "4096", "--descriptors", "host"});
  const Json& steps = result["chips"][0]["steps"];
  REQUIRE(steps.size() == 6);
  for (std::size_t i = 1; i < steps.size(); ++i) CHECK(steps[i]["ns"] >= steps[i - 1]["ns"]);
  // The doorbell's 884 ns, then the first descriptors are fetched.
  CHECK(steps[1]["ns"].get<double>() > 884 + 50);
  CHECK(steps[1]["ns"].get<double>() < 884 + 200);
  // 32 KiB on each of 16 engines at 33 bytes per ns: 993 ns at least.
  CHECK(steps[5]["ns"].get<double>() - steps[1]["ns"].get<double>() > 990);
}

TEST_CASE("tern dma: moments are reported in the order of their times, whatever the size") {
  for (const char* bytes : {"4", "64", "512", "2048", "65536"}) {
    INFO(bytes);
    const Json result = result_of({"--bytes", bytes});
    const Json& steps = result["chips"][0]["steps"];
    REQUIRE(steps.size() == 6);
    std::set<std::string> told;
    for (std::size_t i = 1; i < steps.size(); ++i) {
      CHECK(steps[i]["ns"] >= steps[i - 1]["ns"]);
      told.insert(steps[i]["what"]);
    }
    CHECK(told.size() == 5);
  }
}

TEST_CASE(
    "tern dma: 1,000 ns from the trigger to the first read, on an idle chip without refresh") {
  for (const auto& [chip, clock_ghz] : {std::pair{"trn2", 0.425}, std::pair{"trn3", 0.6}}) {
    INFO(chip);
    const Json result =
        result_of({"--chip", chip, "--descriptors", "host", "--set", "hbm.refresh=off"});
    // Dispatch of the first packet; its set-up is a cycle later, its first read two.
    const double dispatch = result["chips"][0]["steps"][1]["ns"];
    CHECK(dispatch + 2 / clock_ghz == Approx(1000).margin(10));
  }
}

TEST_CASE("tern dma: 32 KiB on one engine, against the timelines of AWS's DMA overview (trn2)") {
  const Json result =
      result_of({"--chip", "trn2", "--engines", "1", "--bytes", "4096", "--descriptors", "host"});
  const Json& chip = result["chips"][0];
  CHECK(chip["engine_ns"].get<double>() == Approx(1416).epsilon(0.02));
  CHECK(chip["steps"].back()["ns"].get<double>() == Approx(2739).epsilon(0.02));
}

TEST_CASE("tern dma: descriptors by the host, by a generator, by GpSimd") {
  const auto time = [](const char* descriptors) {
    const Json result = result_of({"--bytes", "256", "--descriptors", descriptors});
    return result["chips"][0]["steps"].back()["ns"].get<double>();
  };
  const double host = time("host"), hardware = time("hardware"), software = time("software");
  INFO(host << " " << hardware << " " << software);
  // 1,000 ns of doorbell and fetch, or 600 ns and a cycle of 1.8 ns for each pair that the first
  // packets need, beside what follows.
  CHECK(hardware < host);
  CHECK(software > 1000);
  CHECK(time("host") == host);
}

TEST_CASE("tern dma: a trace of one transfer") {
  tb::TempFolder folder;
  const std::string trace = folder.path("t.json");
  REQUIRE(run_tern({"dma", "--path", "sbuf-hbm", "--trace", trace}).exit_code == 0);
  CHECK(std::filesystem::file_size(trace) > 1000);
}

TEST_CASE("tern dma: bad input is said in one line") {
  CHECK(error_of({"--bytes", "65540"}).find("65536") != std::string::npos);
  CHECK(tb::run_tern({"dma", "--help"}).out.find("--bytes N:UINT in [4 - 65536]") !=
        std::string::npos);
  CHECK(error_of({"--bytes", "49156", "--chip", "trn1"}).find("up to 49152 on trn1") !=
        std::string::npos);
  CHECK(error_of({"--set", "dma_backend=rtl"})
            .find("key 'dma_backend': 'rtl': not with tern dma, which runs on the model") !=
        std::string::npos);
  CHECK(error_of({"--bytes", "10"}).find("--bytes: expected a multiple of 4") != std::string::npos);
  CHECK(error_of({"--over", "x", "--sweep"}).find("expected bytes or element") !=
        std::string::npos);
  CHECK(error_of({"--path", "hbm"}).find("expected hbm-sbuf or") != std::string::npos);
  CHECK(error_of({"--sweep", "--chip", "trn3", "--cores", "9"})
            .find("expected at most 8, the cores of trn3") != std::string::npos);
  CHECK(error_of({"--chip", "trn9"}).find("unknown chip 'trn9'") != std::string::npos);
  CHECK(error_of({"--element", "48"}).find("a divisor of 2048") != std::string::npos);
  CHECK(error_of({"--over", "element"}).find("only with --sweep") != std::string::npos);
  CHECK(error_of({"--over", "bytes"}).find("--over: only with --sweep") != std::string::npos);
  CHECK(error_of({"--cores", "4"}).find("--cores: only with --sweep") != std::string::npos);
  CHECK(error_of({"--in-flight", "4"}).find("--in-flight: only with --sweep") != std::string::npos);
  CHECK(error_of({"--sweep", "--bytes", "64"}).find("--bytes: not with --sweep") !=
        std::string::npos);
  CHECK(error_of({"--sweep", "--trace", "x"}).find("not with --sweep") != std::string::npos);
  CHECK(error_of({"--bytes", "65536", "--element", "2"}).find("a trigger counts 65535") !=
        std::string::npos);
  CHECK(error_of({"--descriptors", "gpu"}).find("host or hardware or software") !=
        std::string::npos);
  CHECK(error_of({"--chip", "trn1", "--descriptors", "hardware"})
            .find("trn1 has no descriptor generators") != std::string::npos);
  CHECK(error_of({"--engines", "2", "--descriptors", "hardware"})
            .find("--engines: expected all 16") != std::string::npos);
  CHECK(error_of({"--engines", "17"}).find("--engines") != std::string::npos);
  CHECK(error_of({"--generators", "2"}).find("--generators: only with --sweep") !=
        std::string::npos);
  CHECK(error_of({"--sweep", "--generators", "2", "--descriptors", "host"})
            .find("--generators: expected 1") != std::string::npos);
  CHECK(error_of({"--in-flight", "0"}).find("--in-flight") != std::string::npos);
  CHECK(error_of({"--set", "dma.x=1"}).find("unknown key") != std::string::npos);
  CHECK(error_of({"--report", "/proc/none"}).find("cannot write there") != std::string::npos);
}

TEST_CASE("tern dma: a trace does not change what is measured") {
  tb::TempFolder folder;
  const std::vector<std::string> question{"dma", "--chip",  "trn2", "--engines",
                                          "1",   "--bytes", "4096"};
  std::vector<std::string> traced = question;
  traced.insert(traced.end(), {"--trace", folder.path("t.json")});
  const Json plain = tb::json_of(question), with = tb::json_of(traced);
  CHECK(plain["chips"] == with["chips"]);
  CHECK(plain["chips"][0]["starts"] == 9);
  CHECK(plain["bytes_per_partition"] == 4096);
  CHECK(!plain.contains("in_flight"));
}

TEST_CASE("tern dma: few in flight have no formula, elements end with the row") {
  const Json result = result_of(
      {"--sweep", "--over", "element", "--bytes", "64", "--in-flight", "1", "--chip", "trn2"});
  const Json& points = result["chips"][0]["points"];
  CHECK(points.size() == 6);  // 2 to 64 bytes
  for (const Json& point : points) CHECK(!point.contains("formula_ns"));
}
