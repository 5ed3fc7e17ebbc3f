// SPDX-License-Identifier: Apache-2.0
// The packet level against BookSim2 (commit 28f4329, its defaults): an 8x8 mesh and torus, packets
// of one flit sent at random instants, virtual channels of eight flits. Its rows: mean
// latency at a load of 0.005 flits a cycle and chip, and saturation: the highest load that is
// stable, with a mean latency below 500 cycles.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "systemc/fabric/packet/packet_network.h"
#include "tb/common/seed.h"

namespace tern::tb {
namespace {

using fabric::Delivery;
using fabric::Time;
using fabric::Transfer;
using fabric::packet::Channel;
using fabric::packet::Hop;
using fabric::packet::PacketNetwork;
using fabric::packet::Shape;

constexpr std::uint32_t kSide = 8, kNodes = kSide * kSide;
constexpr Time kCycle = 1000;
constexpr std::uint32_t kFlit = 4;  // bytes: the least that a channel is occupied for

// Chips n send, chips kNodes + n receive, because some traffic is a chip's to itself. Their router
// is 2 kNodes + n. Channels 2 n to the router, 2 n + 1 from it; then from each router one up and
// one down along x, and along y.
std::uint32_t channel_of(std::uint32_t router, unsigned axis, bool up) {
  return 2 * kNodes + 4 * router + 2 * axis + (up ? 0 : 1);
}

std::uint32_t neighbour(std::uint32_t router, unsigned axis, bool up) {
  const std::uint32_t stride = axis == 0 ? 1 : kSide;
  const std::uint32_t place = router / stride % kSide;
  return router - place * stride + (place + (up ? 1 : kSide - 1)) % kSide * stride;
}

// A mesh is a torus whose wraps are never used.
Shape grid(unsigned vcs, Time link_cycles) {
  Shape shape;
  shape.chips = 2 * kNodes;
  // Route, virtual channel, switch, traverse: one cycle each.
  shape.through.assign(3 * kNodes, 4 * kCycle);
  shape.vcs = vcs;
  shape.restart = 3 * kCycle;
  shape.max_payload = shape.train_bytes = kFlit;
  shape.header_bytes = 0;
  const auto add = [&](std::uint32_t from, std::uint32_t to, Time cycles, std::uint32_t flits) {
    Channel channel;
    channel.from = from;
    channel.to = to;
    channel.flight = channel.head = cycles * kCycle;
    channel.byte_fs = static_cast<double>(kCycle) / kFlit;
    channel.buffer = flits * kFlit;
    shape.channels.push_back(channel);
  };
  for (std::uint32_t n = 0; n < kNodes; ++n) {
    add(n, 2 * kNodes + n, 1, 8);
    add(2 * kNodes + n, kNodes + n, 1, 64);
  }
  for (std::uint32_t n = 0; n < kNodes; ++n) {
    for (const unsigned axis : {0U, 1U}) {
      for (const bool up : {true, false})
        add(2 * kNodes + n, 2 * kNodes + neighbour(n, axis, up), link_cycles, 8);
    }
  }
  return shape;
}

// x before y; in a torus the shorter way, half round either.
class GridRoutes final : public fabric::packet::Routes {
 public:
  GridRoutes(unsigned vcs, bool torus, bool balanced)
      : vcs_(static_cast<std::uint8_t>(vcs)), torus_(torus), balanced_(balanced) {}
  unsigned vcs() const override { return vcs_; }
  bool path(const Transfer& t, std::vector<Hop>* hops) override {
    hops->push_back({2 * t.source, 0, vcs_});
    std::uint32_t at = t.source;
    for (const unsigned axis : {0U, 1U}) {
      const std::uint32_t stride = axis == 0 ? 1 : kSide;
      const std::uint32_t from = at / stride % kSide, to = (t.target - kNodes) / stride % kSide;
      const std::uint32_t up = (to + kSide - from) % kSide;
      bool go_up = to > from;
      if (torus_) go_up = 2 * up != kSide ? 2 * up < kSide : (t.stream >> axis & 1) == 0;
      const bool wraps = go_up ? to < from : to > from;
      // A ring's way has one half of the virtual channels. It is the upper one if it passes the
      // wrap (upwards; downwards where the datelines are fixed: if not), else the lower one; with
      // balanced datelines either one if it does not pass the middle.
      const bool middle = (from < kSide / 2) != (to < kSide / 2);
      bool upper = balanced_ ? wraps : wraps == go_up;
      if (balanced_ && !wraps && !middle) upper = (t.stream >> (2 + axis) & 1) != 0;
      for (std::uint32_t place = from; place != to;) {
        const std::uint32_t channel = channel_of(at, axis, go_up);
        if (torus_) {
          hops->push_back({channel, static_cast<std::uint8_t>(upper ? vcs_ / 2 : 0),
                           static_cast<std::uint8_t>(vcs_ / 2)});
        } else {
          hops->push_back({channel, 0, vcs_});
        }
        at = neighbour(at, axis, go_up);
        place = at / stride % kSide;
      }
    }
    hops->push_back({2 * (t.target - kNodes) + 1, 0, vcs_});
    return true;
  }

 private:
  std::uint8_t vcs_;
  bool torus_, balanced_;
};

using Targets = std::function<std::uint32_t(std::uint32_t source, std::mt19937_64& random)>;

std::uint32_t uniform(std::uint32_t, std::mt19937_64& random) {
  return static_cast<std::uint32_t>(random() % kNodes);
}
std::uint32_t transpose(std::uint32_t source, std::mt19937_64&) {
  return source % kSide * kSide + source / kSide;
}
std::uint32_t tornado(std::uint32_t source, std::mt19937_64&) {
  const auto across = [](std::uint32_t place) { return (place + kSide / 2 - 1) % kSide; };
  return across(source / kSide) * kSide + across(source % kSide);
}

struct Row {
  const char* name;
  bool torus, balanced;
  unsigned vcs;
  Targets targets;
  double zero_load, saturation;
  double over;  // times saturation that is not stable
};

// Where our arbiters carry up to a tenth more: README.md of the packet level.
const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      {"mesh, 1 VC, uniform", false, false, 1, uniform, 33.2, 0.150, 1.05},
      {"mesh, 2 VCs, uniform", false, false, 2, uniform, 33.2, 0.311, 1.05},
      {"mesh, 4 VCs, uniform", false, false, 4, uniform, 33.2, 0.441, 1.05},
      {"mesh, 8 VCs, uniform", false, false, 8, uniform, 33.2, 0.449, 1.05},
      {"mesh, 8 VCs, transpose", false, false, 8, transpose, 32.9, 0.165, 1.05},
      {"torus, fixed datelines, 2 VCs, uniform", true, false, 2, uniform, 31.3, 0.272, 1.05},
      {"torus, fixed datelines, 8 VCs, uniform", true, false, 8, uniform, 31.0, 0.703, 1.15},
      {"torus, balanced datelines, 2 VCs, uniform", true, true, 2, uniform, 31.3, 0.275, 1.10},
      {"torus, balanced datelines, 4 VCs, uniform", true, true, 4, uniform, 31.3, 0.550, 1.05},
      {"torus, balanced datelines, 8 VCs, uniform", true, true, 8, uniform, 31.0, 0.716, 1.15},
      {"torus, balanced datelines, 8 VCs, tornado", true, true, 8, tornado, 43.0, 0.256, 1.10}};
  return all;
}

// Mean latency in cycles of what is sent in the last quarter of a run.
double latency(const Row& row, double load, std::uint64_t cycles) {
  PacketNetwork network(grid(row.vcs, row.torus ? 2 : 1),
                        std::make_unique<GridRoutes>(row.vcs, row.torus, row.balanced));
  std::mt19937_64 random(test_seed() + 1);
  std::bernoulli_distribution sends(load);
  std::vector<Delivery> arrived;
  double sum = 0;
  std::uint64_t count = 0;
  const auto collect = [&] {
    for (const Delivery& d : arrived) {
      if (d.sent < cycles / 4 * 3 * kCycle) continue;
      sum += static_cast<double>(d.arrived - d.sent) / kCycle;
      ++count;
    }
    arrived.clear();
  };
  std::uint32_t number = 0;
  for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
    for (std::uint32_t source = 0; source < kSide * kSide; ++source) {
      if (!sends(random)) continue;
      Transfer t;
      t.source = source;
      t.target = kNodes + row.targets(source, random);
      t.bytes = kFlit;
      // Low bits: which of equal ways. The rest: no order between transfers.
      t.stream = number++ << 4 | static_cast<std::uint32_t>(random() % 16);
      network.send(t, cycle * kCycle);
    }
    network.advance(cycle * kCycle, arrived);
    collect();
  }
  network.advance(fabric::kNever - 1, arrived);
  collect();
  return sum / static_cast<double>(count);
}

}  // namespace

TEST_CASE("fabric published: latency without load") {
  CAPTURE(test_seed());
  for (const Row& row : rows()) {
    CAPTURE(row.name);
    CHECK(latency(row, 0.005, 80'000) == Approx(row.zero_load).epsilon(0.02));
  }
}

TEST_CASE("fabric published: a load below saturation is stable, one above is not") {
  CAPTURE(test_seed());
  for (const Row& row : rows()) {
    CAPTURE(row.name);
    CHECK(latency(row, 0.95 * row.saturation, 20'000) < 500);
    CHECK(latency(row, row.over * row.saturation, 20'000) > 500);
  }
}

}  // namespace tern::tb
