// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sw/app/measure/hbm/hbm_record.h"
#include "sw/app/report/render.h"
#include "sw/base/user_error.h"

using namespace tern;
using namespace tern::app;

namespace {

struct TraceFile {
  explicit TraceFile(const std::string& text)
      : path((std::filesystem::temp_directory_path() / "tern_test_hbm_replay.txt").string()) {
    path += std::to_string(::getpid());
    std::ofstream(path) << text;
  }
  ~TraceFile() { std::filesystem::remove(path); }
  std::string path;
};

HbmReplay replay(const std::string& text, hbm::Config config = hbm::Config()) {
  const TraceFile file(text);
  const auto source = open_hbm_trace(file.path);
  HbmReplay result = replay_hbm(config, *source, [](double) {});
  result.chip = "test";
  return result;
}

// The message without the file's name.
std::string error_of(const std::string& text) {
  try {
    replay(text);
  } catch (const UserError& e) {
    const std::string message = e.what();
    return message.substr(message.find(':') + 1);
  }
  return "no error";
}

}  // namespace

TEST_CASE("hbm trace: lines, comments, numbers, and stacks of their own") {
  hbm::Config config;
  config.refresh = hbm::Refresh::kOff;
  const HbmReplay result = replay(
      "# a comment\n\n100 R 0x0 32 0\n100.5 W 4096 64 # after the line\n"
      "200 R 0x1000000000 1024 3\n",
      config);
  CHECK(result.requests == 3);
  CHECK(result.bytes == 32 + 64 + 1024);
  CHECK(result.stacks.size() == 2);
  CHECK(result.latency[0].count() == 2);
  CHECK(result.latency[1].count() == 1);
  CHECK(result.class_latency[0].count() == 1);
  CHECK(result.first_fs == 100'000'000);
  // The 32 bytes: front, activation, column, burst, back, and the clock edge.
  CHECK(static_cast<double>(result.latency[0].min_fs()) == Approx(58.9e6).margin(1.2e6));
  const auto json = nlohmann::json::parse(json_of(report_of(result, true)));
  CHECK(json["stacks"][1]["pseudo_channels"].size() == 32);
  CHECK(json["read_latency"]["count"] == 2);
  CHECK(text_of(report_of(result, true), "", false).find("15.1") != std::string::npos);
}

TEST_CASE("hbm trace: small letters, and lines that end in CR LF") {
  const HbmReplay result = replay("0 r 0 64\r\n# x\r\n\r\n3 w 64 64\r\n5 R 0 64 1\r\n", {});
  CHECK(result.requests == 3);
  CHECK(result.latency[0].count() == 2);
  CHECK(result.latency[1].count() == 1);
  CHECK(error_of("0 r 0 64\r\n\r\n0 rw 0 64\r\n") == "3: expected R or W, got 'rw'");
}

TEST_CASE("hbm trace: what is wrong, and in which line") {
  CHECK(error_of("0 R 0 64\n0 X 0 64\n") == "2: expected R or W, got 'X'");
  CHECK(error_of("zero R 0 64\n") == "1: time: expected nanoseconds from 0 to 1e12, got 'zero'");
  CHECK(error_of("nan R 0 64\n") == "1: time: expected nanoseconds from 0 to 1e12, got 'nan'");
  CHECK(error_of("5 R 0 64\n4 R 0 64\n") == "2: time: earlier than the line before");
  CHECK(error_of("0 R -1 64\n").find("1: address: expected a whole number") == 0);
  CHECK(error_of("0 R 1k 64\n").find("1: address: expected a whole number") == 0);
  CHECK(error_of("0 R 0\n").find("1: bytes: expected a whole number") == 0);
  CHECK(error_of("0 R 0 0\n") == "1: bytes: expected at least 1");
  CHECK(error_of("0 R 0 65537\n") == "1: bytes: expected a whole number up to 65536, got '65537'");
  CHECK(error_of("0 R 0 64 4\n") == "1: class: expected a whole number up to 3, got '4'");
  CHECK(error_of("0 R 0 64 1 2\n") == "1: unexpected '2' at the end");
  CHECK(error_of("0 R 0x8fffffff0 64\n") ==
        "1: 64 bytes at 0x8fffffff0 are outside the HBM (4 stacks of 36864 MiB)");
  CHECK(error_of("0 R 0x4000000000 64\n").find("outside the HBM") != std::string::npos);
  CHECK(error_of(std::string("0 R 0 64\0", 9)) ==
        "1: bytes: expected a whole number up to 65536, got '64\\x00'");
  CHECK(error_of(std::string("0\0 R 0 64", 10)) ==
        "1: time: expected nanoseconds from 0 to 1e12, got '0\\x00'");
  CHECK(error_of("\xff\x01 R 0 64\n") ==
        "1: time: expected nanoseconds from 0 to 1e12, got '\\xff\\x01'");
  CHECK(error_of("0 R 0 64\n" + std::string(100'000, 'x')) ==
        "2: a line longer than 4096 bytes, '" + std::string(40, 'x') + "...'");
  CHECK(error_of("0 R 0 64 # " + std::string(4000, 'x')) == "no error");
  CHECK_THROWS_AS(open_hbm_trace("/nowhere/trace.txt"), UserError);
  CHECK_THROWS_AS(open_hbm_trace("/"), UserError);
  CHECK_THROWS_AS(open_hbm_trace("/dev/zero"), UserError);
  CHECK(replay("# nothing\n").requests == 0);
}

TEST_CASE("hbm patterns: streams reach the peak of all stacks, gaps are kept") {
  hbm::Config config;
  config.refresh = hbm::Refresh::kOff;
  HbmPattern pattern;
  pattern.requests = 100000;
  pattern.bytes = 1024;
  const auto run = [&] {
    return replay_hbm(config, *make_hbm_pattern(pattern, config), [](double) {});
  };
  const HbmReplay stream = run();
  CHECK(stream.stacks.size() == 4);
  CHECK(stream.gb_per_s() > 0.98 * config.gb_per_s());
  // Stores are posted: what waits in the queues at the end counts as time, too.
  pattern.write_percent = 100;
  pattern.requests = 20000;
  const HbmReplay stores = run();
  CHECK(stores.gb_per_s() <= config.gb_per_s());
  CHECK(stores.gb_per_s() > 0.9 * config.gb_per_s());
  pattern.random = true;
  pattern.gap_ns = 10;
  pattern.write_percent = 50;
  pattern.requests = 20000;
  const HbmReplay random = run();
  CHECK(random.gb_per_s() == Approx(102.4).epsilon(0.01));
  CHECK(static_cast<double>(random.latency[1].count()) == Approx(10000).epsilon(0.05));
  // Waiting for the queues counts: far beyond the peak, latency grows with the number.
  pattern.gap_ns = 0.001;
  const HbmReplay flood = run();
  CHECK(flood.latency[0].max_fs() > 2'000'000'000);
}
