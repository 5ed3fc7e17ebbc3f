// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <map>

#include "tb/core/bench/core_bench.h"

using namespace tern;
using namespace tern::tb;

namespace {

struct Recorder : trace::Sink {
  struct Event {
    std::string name, args;
    std::uint64_t begin_fs, end_fs;
  };
  std::map<trace::TrackId, std::string> names;
  std::map<std::string, std::vector<Event>> events;

  void track(trace::TrackId id, const std::string& process, const std::string& thread) override {
    names[id] = process + "." + thread;
  }
  void span(const trace::Span& span) override {
    events[names.at(span.track)].push_back(
        {std::string(span.name), std::string(span.args), span.begin_fs, span.end_fs});
  }
  void counter(trace::TrackId, std::string_view, std::uint64_t, double) override {}
};

}  // namespace

TEST_CASE("core trace: one span per instruction, none overlap") {
  trace::Bus bus;
  auto recorder = std::make_shared<Recorder>();
  bus.add_sink(recorder);
  CoreOptions options;
  options.describe = [](unsigned, unsigned index) { return "a\"b\\c:" + std::to_string(index); };
  CoreBench bench(test_core_config(), options, &bus);
  CoreBench::run(bench, [&] {
    constexpr std::uint64_t kNs = 1'000'000;
    bench.execute(TERN_QUEUE_VECTOR, {nop(), nop(), nop()});
    const auto& vector = recorder->events["core0.vector"];
    REQUIRE(vector.size() == 4);
    CHECK(vector[0].name == "nop");
    CHECK(vector[0].begin_fs == 150 * kNs);
    CHECK(vector[0].end_fs == (150 + 164) * kNs);
    CHECK(vector[1].begin_fs == vector[0].end_fs);
    CHECK(vector[1].end_fs == (150 + 64 + 164) * kNs);
    CHECK(vector[1].args.find(R"("start_ns":214.000)") != std::string::npos);
    CHECK(vector[1].args.find(R"("source":"a\"b\\c:1"})") != std::string::npos);
    CHECK(vector[3].name == "halt");

    bench.execute(TERN_QUEUE_TENSOR, {load_stationary(ap(place(0, 0), 64), 32, 64),
                                      multiply_moving(ap(place(0, 512), 96),
                                                      ap(place(0, 0, kPsum), 96), 32, 64, true)});
    const auto& tensor = recorder->events["core0.tensor"];
    REQUIRE(tensor.size() == 3);
    CHECK(tensor[1].name == "multiply_moving");
    CHECK(
        tensor[1].args.find(
            R"("index":1,"K":32,"M":64,"N":96,"src":"sbuf[0]+0x200","dst":"psum[0]+0x0","accumulate":1)") !=
        std::string::npos);
    for (std::size_t i = 1; i < tensor.size(); ++i)
      CHECK(tensor[i].begin_fs >= tensor[i - 1].end_fs);
  });
}
