// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "sw/base/user_error.h"
#include "systemc/trace/perfetto_sink.h"
#include "systemc/trace/summary_sink.h"
#include "tb/common/seed.h"

using tern::trace::Bus;
using tern::trace::PerfettoSink;
using tern::trace::SummarySink;

namespace {

std::string temporary_file() {
  return (std::filesystem::temp_directory_path() /
          ("tern_trace_" + std::to_string(getpid()) + ".json"))
      .string();
}

nlohmann::json load(const std::string& path) {
  std::ifstream in(path);
  return nlohmann::json::parse(in);
}

}  // namespace

TEST_CASE("an empty trace is a valid file") {
  const std::string path = temporary_file();
  PerfettoSink sink(path);
  sink.close();
  CHECK(load(path).at("traceEvents").empty());
  std::filesystem::remove(path);
}

TEST_CASE("spans, counters and names arrive as written") {
  const std::string path = temporary_file();
  Bus bus;
  CHECK_FALSE(bus.enabled());
  const auto early = bus.add_track("core0", "tensor");
  auto sink = std::make_shared<PerfettoSink>(path);
  bus.add_sink(sink);
  CHECK(bus.enabled());
  const auto late = bus.add_track("core0", "say \"x\\y\"\n");
  bus.add_track("core1", "tensor");  // idle: not in the file
  bus.span({early, "matmul", 1'234'567'890'123, 1'234'900'890'124, R"({"n":512})"});
  bus.counter(late, "depth", 5, 2.5);
  bus.counter(late, "depth", 6, std::numeric_limits<double>::quiet_NaN());
  CHECK(std::filesystem::exists(path + ".partial"));
  CHECK_FALSE(std::filesystem::exists(path));
  sink->close();
  CHECK_FALSE(std::filesystem::exists(path + ".partial"));

  std::ifstream in(path);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  CHECK(text.find("\"ts\":1234.567,\"dur\":0.333") != std::string::npos);
  const auto events = nlohmann::json::parse(text).at("traceEvents");
  REQUIRE(events.size() == 7);  // one process, two threads with their order, a span, a counter
  CHECK(events[0].at("args").at("name") == "core0");
  CHECK(events[3].at("args").at("name") == "say \"x\\y\"\n");
  CHECK(events[5].at("args").at("n") == 512);
  CHECK(events[5].at("pid") == events[6].at("pid"));
  CHECK(events[6].at("name") == "say \"x\\y\"\n: depth");
  CHECK(events[6].at("args").at("value") == 2.5);
  std::filesystem::remove(path);
}

TEST_CASE("an unfinished trace leaves no files, an unwritable one is refused") {
  const std::string path = temporary_file();
  { PerfettoSink sink(path); }
  CHECK_FALSE(std::filesystem::exists(path));
  CHECK_FALSE(std::filesystem::exists(path + ".partial"));
  CHECK_THROWS_AS(PerfettoSink("/nonexistent/t.json"), tern::UserError);
  // The target of a link is written, the link stays. A device likewise.
  const std::string link = path + ".link";
  std::ofstream(path) << "old";
  std::filesystem::create_symlink(path, link);
  PerfettoSink(link).close();
  CHECK(std::filesystem::is_symlink(link));
  CHECK(std::filesystem::file_size(path) > 10);
  std::filesystem::remove(link);
  std::filesystem::remove(path);
}

TEST_CASE("a large trace survives its buffer") {
  const std::string path = temporary_file();
  Bus bus;
  auto sink = std::make_shared<PerfettoSink>(path);
  bus.add_sink(sink);
  const auto track = bus.add_track("p", "t");
  for (std::uint64_t i = 0; i < 20000; ++i)
    bus.span({track, "s", i * 10'000'000, i * 10'000'000 + 5'000'000, {}});
  sink->close();
  CHECK(load(path).at("traceEvents").size() == 20003);
  std::filesystem::remove(path);
}

TEST_CASE("busy time counts covered time once") {
  SummarySink sink;
  sink.track(0, "core0", "vector");
  sink.span({0, "inner", 10, 20, {}});
  sink.span({0, "inner", 30, 40, {}});
  sink.span({0, "outer", 5, 50, {}});
  sink.span({0, "later", 50, 60, {}});
  sink.span({0, "apart", 100, 101, {}});
  const auto* track = sink.find("core0", "vector");
  REQUIRE(track != nullptr);
  CHECK(track->busy_fs == 56);
  CHECK(track->spans == 5);
  CHECK(track->names.find("inner")->second.total_fs == 20);
  CHECK(track->first_fs == 5);
  CHECK(track->last_fs == 101);
  CHECK(sink.find("core1", "vector") == nullptr);
}

TEST_CASE("busy time of random spans against a bitmap") {
  std::mt19937_64 random(tern::tb::test_seed());
  SummarySink sink;
  sink.track(0, "p", "t");
  std::vector<bool> covered(3000);
  for (unsigned i = 0; i < 300; ++i) {
    const std::uint64_t begin = random() % 2900, end = begin + random() % 100;
    sink.span({0, "s", begin, end, {}});
    for (std::uint64_t t = begin; t < end; ++t) covered[t] = true;
  }
  CHECK(sink.find("p", "t")->busy_fs ==
        static_cast<std::uint64_t>(std::count(covered.begin(), covered.end(), true)));
}

TEST_CASE("spans of a track that overlap lie on lanes, where they nest or follow each other") {
  const std::string path = temporary_file();
  std::mt19937_64 random(tern::tb::test_seed());
  Bus bus;
  auto sink = std::make_shared<PerfettoSink>(path);
  bus.add_sink(sink);
  const auto track = bus.add_track("core0", "dma3");
  constexpr unsigned kSpans = 2000;
  for (unsigned i = 0; i < kSpans; ++i) {
    const std::uint64_t begin = random() % 500'000'000'000, length = random() % 3'000'000'000;
    bus.span({track, "copy", begin, begin + length, {}});
  }
  sink->close();
  std::map<int, std::vector<std::pair<double, double>>> threads;  // begin, -length
  unsigned spans = 0;
  const nlohmann::json file = load(path);
  for (const auto& event : file.at("traceEvents")) {
    if (event.at("ph") != "X") continue;
    ++spans;
    threads[event.at("tid")].emplace_back(std::round(event.at("ts").get<double>() * 1000),
                                          -std::round(event.at("dur").get<double>() * 1000));
  }
  CHECK(spans == kSpans);
  for (auto& [thread, list] : threads) {
    CAPTURE(thread);
    std::sort(list.begin(), list.end());
    std::vector<double> open;  // ends
    for (const auto& [begin, length] : list) {
      while (!open.empty() && open.back() <= begin) open.pop_back();
      REQUIRE((open.empty() || begin - length <= open.back()));
      open.push_back(begin - length);
    }
  }
  std::filesystem::remove(path);
}
