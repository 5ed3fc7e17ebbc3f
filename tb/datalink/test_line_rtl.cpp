// SPDX-License-Identifier: Apache-2.0
// Lines of the network between chips with the RTL at both ends.
#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "systemc/cosim/link_lockstep.h"
#include "systemc/cosim/link_rtl.h"
#include "systemc/link/line/flit_line.h"
#include "tb/common/bench_wave.h"

namespace tern::tb {
namespace {

link::FlitLine::Options with_errors() {
  link::FlitLine::Options o;
  o.name = "a to b";
  o.config = system::default_link(system::Protocol::kPcie6);
  o.config.bit_error_rate = 1e-4;
  o.medium = system::Medium::kBackplane;
  return o;
}

std::vector<std::uint64_t> times_of(link::FlitLine* line) {
  std::vector<std::uint64_t> times;
  std::uint64_t at = 0;
  for (const std::uint32_t payload : {4096U, 0U, 1U, 255U, 4000U, 4096U, 4096U, 64U, 4096U}) {
    const auto carried = line->carry(at, payload, payload % 4);
    times.insert(times.end(), {carried.free, carried.arrived});
    at = carried.free;
  }
  line->finish();
  return times;
}

}  // namespace

TEST_CASE("line: RTL at both ends delivers what the model delivers, in the same cycles") {
  link::FlitLine model(with_errors());
  const std::vector<std::uint64_t> expected = times_of(&model);
  CHECK(model.counts().replays > 0);

  link::FlitLine rtl(with_errors(), [](const std::string&) {
    return make_link_rtl(LinkSize::kFull, bench_wave());
  });
  CHECK(times_of(&rtl) == expected);
  CHECK(rtl.counts().packets == model.counts().packets);
  CHECK(rtl.counts().replays == model.counts().replays);
  CHECK(rtl.counts().spoiled == model.counts().spoiled);

  link::FlitLine both(with_errors(), [](const std::string&) {
    return std::make_unique<LinkLockstep>(std::make_unique<flit::LinkModel>(),
                                          make_link_rtl(LinkSize::kFull));
  });
  CHECK(times_of(&both) == expected);
}

}  // namespace tern::tb
