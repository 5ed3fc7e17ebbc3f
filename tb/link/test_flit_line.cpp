// SPDX-License-Identifier: Apache-2.0
// A line flit by flit against the formulas of a link, which know nothing of flits' contents.
#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "sw/base/user_error.h"
#include "systemc/link/flit/link_model.h"
#include "systemc/link/line/flit_line.h"

namespace tern::tb {
namespace {

using link::FlitLine;
using link::LinkTiming;
using system::Medium;
using system::Protocol;

constexpr double kFsPerNs = 1e6;

FlitLine::Options line_of(unsigned lanes, Medium medium, bool to_chip, double errors = 0) {
  FlitLine::Options o;
  o.name = "a to b";
  o.config = system::default_link(Protocol::kPcie6);
  o.config.bit_error_rate = errors;
  o.config.selective_nak = false;
  o.lanes = lanes;
  o.medium = medium;
  o.to_chip = to_chip;
  return o;
}

LinkTiming timing_of(const FlitLine::Options& o) {
  return {o.config, o.lanes, o.lane_gb_per_s, o.medium, o.from_chip, o.to_chip};
}

const std::vector<FlitLine::Options>& lines() {
  static const std::vector<FlitLine::Options> all = {
      line_of(8, Medium::kBackplane, false), line_of(16, Medium::kAec, true),
      line_of(64, Medium::kPcb, true), line_of(4, Medium::kPcb, true)};
  return all;
}

// An end that loses what it delivers once.
class Forgets final : public flit::DataLink {
 public:
  const flit::LinkOutputs& cycle(const flit::LinkInputs& inputs) override {
    outputs_ = model_.cycle(inputs);
    if (outputs_.packet && ++delivered_ == 5) outputs_.packet.reset();
    return outputs_;
  }

 private:
  flit::LinkModel model_;
  flit::LinkOutputs outputs_;
  unsigned delivered_ = 0;
};

}  // namespace

TEST_CASE("line: a train alone takes the latency of the formula, within two flits") {
  for (const FlitLine::Options& o : lines()) {
    FlitLine line(o);
    const LinkTiming timing = timing_of(o);
    const unsigned port_lanes = std::min(o.lanes, 16U);
    const double flit = 256 / (port_lanes * o.lane_gb_per_s);
    std::uint64_t start = 0;
    for (const std::uint32_t payload : {0U, 64U, 256U, 1024U, 4096U}) {
      CAPTURE(o.lanes, payload);
      start += 10'000'000'000;  // idle meanwhile
      const FlitLine::Carried carried = line.carry(start, payload, 3);
      const double ns = static_cast<double>(carried.arrived - start) / kFsPerNs;
      CHECK(ns == Approx(timing.latency(payload)).margin(2 * flit));
      CHECK(carried.free > start);
      CHECK(carried.free < carried.arrived);
    }
    // The ends stand still while nothing is under way.
    CHECK(line.counts().cycles < 10'000 * line.ports());
  }
}

TEST_CASE("line: a stream has the rate of the formula") {
  for (const FlitLine::Options& o : lines()) {
    CAPTURE(o.lanes);
    FlitLine line(o);
    constexpr std::uint64_t kTrains = 300;
    std::uint64_t at = 0;
    FlitLine::Carried carried, first;
    for (std::uint64_t i = 0; i < kTrains; ++i, at = carried.free) {
      carried = line.carry(at, 4096, static_cast<unsigned>(i % 4));
      if (i == 0) first = carried;
    }
    const double ns = static_cast<double>(carried.arrived - first.arrived) / kFsPerNs;
    CHECK((kTrains - 1) * 4096 / ns == Approx(timing_of(o).payload_rate(256)).epsilon(0.01));
    line.finish();
    CHECK(line.counts().packets == kTrains * 16);
    CHECK(line.counts().spoiled == 0);
  }
}

TEST_CASE("line: errors cost what the formula says, and nothing is lost") {
  const double errors = GENERATE(3e-5, 1e-4);
  CAPTURE(errors);
  const FlitLine::Options o = line_of(8, Medium::kBackplane, true, errors);
  const LinkTiming timing = timing_of(o);
  FlitLine line(o);
  constexpr std::uint64_t kTrains = 1500;
  std::uint64_t at = 0, before = 0;
  FlitLine::Carried carried;
  for (std::uint64_t i = 0; i < kTrains; ++i, at = carried.free) {
    carried = line.carry(at, 4096, 3);
    CHECK(carried.arrived >= before);
    before = carried.arrived;
  }
  line.finish();
  CHECK(line.counts().packets == kTrains * 16);
  const double rate = kTrains * 4096 / (static_cast<double>(carried.arrived) / kFsPerNs);
  const double lost = 1 - rate / timing.payload_rate(256);
  // Some dozens of losses: their number scatters.
  CHECK(lost > 0.5 * timing.replay_share());
  CHECK(lost < 2 * timing.replay_share());
  const double flits = static_cast<double>(line.counts().flits);
  CHECK(static_cast<double>(line.counts().spoiled) ==
        Approx(2 * flits * timing.loss_probability()).epsilon(0.35));
}

TEST_CASE("line: a narrower link is slower from the next train on") {
  FlitLine line(line_of(8, Medium::kPcb, true));
  const FlitLine::Carried wide = line.carry(0, 4096, 3);
  CHECK(static_cast<double>(wide.free) / kFsPerNs == Approx(73.76).margin(8));  // two flits
  line.change(4, 0);
  const FlitLine::Carried narrow = line.carry(wide.arrived, 4096, 3);
  CHECK(static_cast<double>(narrow.free - wide.arrived) / kFsPerNs == Approx(147.53).margin(16));
}

TEST_CASE("line: what is under way when lanes fail arrives at the old rate") {
  FlitLine line(line_of(16, Medium::kPcb, true));
  std::uint64_t at = 0;
  for (unsigned i = 0; i < 8; ++i) at = line.carry(at, 4096, 3).free;
  line.change(1, 0);
  const FlitLine::Carried slow = line.carry(at, 4096, 3);
  // A lane: 8 GB/s, 16 times as long.
  CHECK(static_cast<double>(slow.free - at) / kFsPerNs == Approx(590.1).margin(64));
  // The wire is as long as before: controllers and medium of 54 ns, the stages of the ends at the
  // slow clock, up to two flits.
  CHECK(static_cast<double>(slow.arrived - slow.free) / kFsPerNs < 54 + 7 * 8 + 64);
}

TEST_CASE("line: most flits are spoiled, and it ends all the same") {
  FlitLine line(line_of(8, Medium::kBackplane, true, 1e-3));
  std::uint64_t at = 0;
  for (unsigned i = 0; i < 4; ++i) at = line.carry(at, 1024, 3).free;
  line.finish();
  CHECK(line.counts().packets == 16);
}

TEST_CASE("line: a link that nothing can mend is an error, not a hang") {
  FlitLine line(line_of(8, Medium::kPcb, true));
  line.change(8, 0.05);
  CHECK_THROWS_WITH(line.carry(0, 4096, 3),
                    "link a to b: more errors than replays can mend: it trains in vain");
}

TEST_CASE("line: another end that delivers something else is found") {
  FlitLine line(line_of(8, Medium::kPcb, true), [](const std::string& place) {
    std::unique_ptr<flit::DataLink> end;
    if (place == "port0.receiver")
      end = std::make_unique<Forgets>();
    else
      end = std::make_unique<flit::LinkModel>();
    return end;
  });
  line.carry(0, 4096, 3);
  CHECK_THROWS_WITH(line.finish(),
                    Catch::Contains("link a to b, port 0, cycle ") &&
                        Catch::Contains("the model delivers packet 4 of train 0, the other end "
                                        "no packet"));
}

TEST_CASE("line: links without flits of this kind are refused") {
  FlitLine::Options o = line_of(8, Medium::kPcb, true);
  o.config = system::default_link(Protocol::kPcie5);
  CHECK_THROWS_WITH(FlitLine(o),
                    "link a to b: flit by flit, only with flits of PCIe 6.0 and 7.0, not pcie5");
  o = line_of(8, Medium::kPcb, true);
  o.config.header_bytes = 12;
  CHECK_THROWS_WITH(FlitLine(o), Catch::Contains("header_bytes is 16"));
  o = line_of(8, Medium::kPcb, true);
  o.config.max_payload = 512;
  CHECK_THROWS_WITH(FlitLine(o), Catch::Contains("max_payload is at most 256"));
}

}  // namespace tern::tb
