// SPDX-License-Identifier: Apache-2.0
// How a step's time divides, from a hand-written trace.
#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "sw/app/kinds/train/scaling_record.h"
#include "sw/app/report/core_times.h"

using namespace tern;  // NOLINT: test file

namespace {

constexpr std::uint64_t kUs = 1'000'000'000;

}  // namespace

TEST_CASE("core times: engines, sums over cores, the rest") {
  trace::Bus bus;
  const auto log = std::make_shared<app::CoreLog>();
  const auto tensor0 = bus.add_track("core0", "tensor");
  const auto vector0 = bus.add_track("core0", "vector");
  const auto sync0 = bus.add_track("core0", "sync");
  const auto dma0 = bus.add_track("core0", "dma3");
  bus.add_sink(log);
  const auto vector1 = bus.add_track("core1", "vector");
  const auto sync1 = bus.add_track("core1", "sync");
  const auto vector2 = bus.add_track("core2", "vector");
  log->begin(2);
  const auto span = [&](trace::TrackId track, const std::string& name, std::uint64_t from,
                        std::uint64_t to, const std::string& args = "{}") {
    bus.span({track, name, from * kUs, to * kUs, args});
  };
  span(sync0, "nop", 10, 10);
  span(tensor0, "multiply_moving", 12, 16);
  span(vector0, "tensor_tensor", 14, 18);  // two of it parallel to the tensor engine
  span(sync0, "dma_trigger", 17, 18, R"({"index":5,"ring":2,"pairs":16})");
  span(sync0, "dma_trigger", 18, 20, R"({"index":6,"ring":0,"pairs":16})");  // a load
  span(dma0, "ring 2", 19, 20, R"({"bytes":4,"descriptors":1,"class":0})");
  span(dma0, "ring 0", 19, 29, R"({"bytes":4,"descriptors":1,"class":3})");
  span(dma0, "ring 3", 21, 26, R"({"bytes":4096,"descriptors":1,"class":0})");
  span(vector0, "tensor_tensor", 25, 28);
  span(vector1, "tensor_tensor", 12, 20);
  span(sync1, "dma_trigger", 19, 20, R"({"index":5,"ring":2,"pairs":16})");
  span(vector1, "halt", 30, 30);
  span(vector2, "tensor_tensor", 0, 100);  // not one of the two
  const app::CoreTimes times = log->times();
  CHECK(times.us == Approx(20));
  CHECK(times.computing_us == Approx((6 + 3 + 8) / 2.0));
  CHECK(times.reduction_us == Approx((7 + 6) / 2.0));  // 18..25 and 20..26
  CHECK(times.other_us() == Approx(20 - 8.5 - 6.5));
  CHECK(times.busiest == "vector");
  CHECK(times.busiest_us == Approx((4 + 3 + 8) / 2.0));
  CHECK(app::bound_of(times) == "engines, vector 38 %");
  log->begin(1);
  CHECK(log->times().us == 0);
}
