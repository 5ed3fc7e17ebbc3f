// SPDX-License-Identifier: Apache-2.0
// Streams that have their path for themselves are not simulated train by train: against a network
// in which every train is.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <tuple>
#include <utility>

#include "tb/common/seed.h"
#include "tb/fabric/packet/star.h"

namespace tern::tb {
namespace {

using fabric::Delivery;
using fabric::Time;
using fabric::Transfer;
using fabric::packet::ChannelStatistics;
using fabric::packet::PacketNetwork;
using fabric::packet::Shape;

constexpr Time kNs = 1'000'000;

auto fields(const Delivery& d) {
  return std::make_tuple(d.transfer.source, d.transfer.target, d.transfer.stream,
                         d.transfer.traffic_class, d.transfer.tag, d.sent, d.arrived, d.lost);
}

auto fields(const ChannelStatistics& s) {
  return std::make_tuple(s.trains, s.payload, s.busy, s.credit_stall);
}

// Two networks that get the same, the second one train by train.
class Pair {
 public:
  template <class MakeRoutes>
  Pair(const Shape& shape, const MakeRoutes& routes)
      : solo_(shape, routes()), each_(every_train(shape), routes()) {
    solo_.announce();
    each_.announce();
  }
  void send(const Transfer& transfer, Time now) {
    solo_.send(transfer, now);
    each_.send(transfer, now);
  }
  // Both until then, and compares all that can be seen.
  void advance(Time until) {
    std::vector<Delivery> a, b;
    solo_.advance(until, a);
    each_.advance(until, b);
    REQUIRE(same(a, b));
    REQUIRE(same(solo_.take_announced(), each_.take_announced()));
    for (std::uint32_t c = 0; c < solo_.shape().channels.size(); ++c) {
      CAPTURE(c, until);
      REQUIRE(fields(solo_.statistics(c)) == fields(each_.statistics(c)));
    }
    REQUIRE(solo_.idle() == each_.idle());
  }
  const PacketNetwork& solo() const { return solo_; }
  const PacketNetwork& each() const { return each_; }

 private:
  static Shape every_train(Shape shape) {
    shape.every_train = true;
    return shape;
  }
  static bool same(const std::vector<Delivery>& a, const std::vector<Delivery>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const Delivery& x, const Delivery& y) { return fields(x) == fields(y); });
  }

  PacketNetwork solo_, each_;
};

}  // namespace

TEST_CASE("fabric packet: a stream alone takes few events, and is joined at any time") {
  constexpr std::uint32_t kTrain = 1024, kBytes = 1 << 20;
  const auto routes = [] { return std::make_unique<StarRoutes>(); };
  const Shape shape = star(3, kTrain, 256 * kTrain);
  Pair alone(shape, routes);
  alone.send({0, 1, kBytes}, 0);
  alone.advance(2000 * kNs);
  CHECK(alone.each().handled() > 10 * alone.solo().handled());
  // Another transfer joins when a train is granted, between two grants, and after the last one. The
  // network may already have been advanced to that time.
  for (Time at = 0; at < 1300 * kNs; at += at < 4 * kNs ? 512'000 : 51'200'000) {
    for (const Time off : {Time{0}, Time{1}}) {
      for (const std::uint32_t other : {0U, 2U}) {
        for (const Time handled : {Time{0}, Time{1}}) {
          Pair pair(shape, routes);
          pair.send({0, 1, kBytes}, 0);
          if (at + handled > 0) pair.advance(at + off + handled - 1);
          pair.send({other, 1, 5 * kTrain, 3, 1}, at + off);
          for (Time until = at + off; until < 2000 * kNs; until += 77 * kNs) pair.advance(until);
        }
      }
    }
  }
}

TEST_CASE("fabric packet: long trains of a stream alone are shorter after another class was sent") {
  Shape shape = star(4, 1024, 256 * 1024);
  shape.long_train_bytes = 4096;
  // At its first instant, too, when its first train has been cut.
  for (const Time at : {Time{0}, 300 * kNs}) {
    Pair pair(shape, [] { return std::make_unique<StarRoutes>(); });
    pair.send({0, 1, 1 << 20}, 0);
    pair.send({2, 3, 64, 1}, at);
    for (Time until = 0; until < 2000 * kNs; until += 77 * kNs) pair.advance(until);
    CHECK(pair.each().statistics(0).trains > 256);
  }
}

// A caller may have advanced to a time without events, and send earlier.
TEST_CASE("fabric packet: a stream alone is joined before the time advanced to") {
  constexpr std::uint32_t kTrain = 1024;
  const Shape shape = star(3, kTrain, 119 * kTrain);  // just enough for a stream alone
  for (unsigned steps = 1; steps < 120; ++steps) {
    Pair pair(shape, [] { return std::make_unique<StarRoutes>(); });
    pair.send({0, 1, 1 << 20}, 0);
    Time last = 0;
    for (unsigned n = 0; n < 7 * steps; ++n) pair.advance(last = pair.each().next_time());
    const Time next = pair.each().next_time();
    pair.advance(next - 1);
    pair.send({0, 2, 5 * kTrain, 3, 1}, last + (next - last) / 2);
    pair.send({0, 2, 64, 0, 0}, last + 1);
    for (Time until = next; until < 2000 * kNs; until += 77 * kNs) pair.advance(until);
  }
}

// There is time between two trains on a link that is faster than the one before, and its credits
// are not back yet.
TEST_CASE("fabric packet: a stream alone is joined between two trains, with the credits of then") {
  class Line final : public fabric::packet::Routes {
   public:
    unsigned vcs() const override { return 1; }
    bool path(const Transfer& t, std::vector<fabric::packet::Hop>* hops) override {
      for (std::uint32_t chip = t.source; chip < t.target; ++chip) hops->push_back({chip, 0, 1});
      return true;
    }
  };
  constexpr std::uint32_t kTrain = 1024;
  Shape shape;
  shape.chips = 3;
  shape.through = {0, 0, 0};
  shape.max_payload = shape.train_bytes = kTrain;
  shape.header_bytes = 0;
  for (std::uint32_t chip = 0; chip < 2; ++chip) {
    fabric::packet::Channel channel;
    channel.from = chip;
    channel.to = chip + 1;
    channel.head = 400'000;
    channel.flight = 1'500'000;
    channel.byte_fs = channel.packet_fs = chip == 0 ? 4000 : 1000;
    channel.buffer = (chip == 0 ? 3 : 1) * kTrain;  // of the second one: a train is alone in it
    shape.channels.push_back(channel);
  }
  for (unsigned steps = 1; steps < 60; ++steps) {
    for (unsigned part = 0; part < 16; ++part) {
      Pair pair(shape, [] { return std::make_unique<Line>(); });
      pair.send({0, 2, 64 * kTrain}, 0);
      Time last = 0;
      for (unsigned n = 0; n < steps; ++n) pair.advance(last = pair.each().next_time());
      const Time next = pair.each().next_time();
      pair.advance(next - 1);
      pair.send({1, 2, kTrain, 3}, last + (next - last) / 16 * part);
      for (Time until = next; until < 400 * kNs; until += 77 * kNs) pair.advance(until);
    }
  }
}

// Its first train was passed over while it waited for credits, and all that had passed it has gone.
TEST_CASE("fabric packet: trains that had been passed over do not count behind a stream alone") {
  class Direct final : public fabric::packet::Routes {
   public:
    unsigned vcs() const override { return 1; }
    bool path(const Transfer& t, std::vector<fabric::packet::Hop>* hops) override {
      hops->push_back({t.source, 0, 1});
      return true;
    }
  };
  Shape shape;
  shape.chips = 2;
  shape.through = {0, 0};
  shape.max_payload = shape.train_bytes = 1024;
  shape.header_bytes = 0;
  shape.long_train_bytes = 4096;
  fabric::packet::Channel channel;
  channel.to = 1;
  channel.head = 400'000;
  channel.flight = 1'500'000;
  channel.byte_fs = channel.packet_fs = 1000;
  channel.buffer = 4096;
  shape.channels.push_back(channel);
  std::swap(channel.from, channel.to);
  shape.channels.push_back(channel);
  Pair pair(shape, [] { return std::make_unique<Direct>(); });
  pair.send({0, 1, 256 * 4096}, 0);  // its last train fills the buffer
  Time now = 0;
  while (pair.each().statistics(0).trains < 256) pair.advance(now = pair.each().next_time());
  pair.send({0, 1, 200 * 1024, 3, 1}, now + 1);
  for (unsigned n = 0; n < 8; ++n) pair.send({0, 1, 4, 1, 0, 10 + n}, now + 2);
  now += 26'100'000;
  pair.advance(now);
  for (unsigned n = 0; n < 30; ++n) pair.send({0, 1, 1024, 1, 0, 100 + n}, now);
  pair.advance(now + 1000 * kNs);
}

namespace {

// Of chips of a network at random times, as many transfers as `count`; ends when all have arrived.
void send_at_random(Pair* pair, std::uint32_t chips, unsigned classes, unsigned count, Time pause,
                    std::mt19937_64* random) {
  Time now = 0, handled = 0;
  for (unsigned n = 0; n < count; ++n) {
    now += (*random)() % 4 == 0 ? 0 : (*random)() % pause;
    if (now > handled && (*random)() % 3 != 0) {
      handled = now - (*random)() % std::min<Time>(now - handled, 500 * kNs);
      pair->advance(handled);
    }
    Transfer t;
    t.source = static_cast<std::uint32_t>((*random)() % chips);
    t.target = static_cast<std::uint32_t>((t.source + 1 + (*random)() % (chips - 1)) % chips);
    t.bytes = (*random)() % (std::uint64_t{1} << (*random)() % 23);
    t.traffic_class = static_cast<std::uint8_t>((*random)() % classes);
    t.stream = static_cast<std::uint32_t>((*random)() % 2);
    t.tag = n;
    pair->send(t, now);
  }
  pair->advance(now);
  pair->advance(now + 1'000'000'000 * kNs);
  CHECK(pair->each().idle());
}

// Buffers that make senders wait.
void shrink_buffers(Shape* shape) {
  shape->long_train_bytes = 0;
  for (auto& channel : shape->channels) channel.buffer = shape->stored(shape->train_bytes);
}

}  // namespace

TEST_CASE("fabric packet: streams alone and together, as train by train") {
  std::mt19937_64 random(test_seed());
  std::uint64_t solo = 0, each = 0;  // events
  for (const std::string name : {"trn2-nl16", "trn3-nl16-2d", "trn3-nl32x2-gen1", "inf2"}) {
    const system::Fabric fabric(system::load_system(name));
    for (unsigned round = 0; round < 6; ++round) {
      const auto routes = [&] { return fabric::packet::routes_of(fabric); };
      Shape shape = fabric::packet::shape_of(fabric, routes()->vcs());
      if (round % 3 == 2) shrink_buffers(&shape);
      CAPTURE(name, round);
      Pair pair(shape, routes);
      send_at_random(&pair, std::min(fabric.chips(), 8U + 8 * round), round % 2 == 0 ? 1 : 3, 150,
                     40'000 * kNs, &random);
      solo += pair.solo().handled();
      each += pair.each().handled();
    }
  }
  CHECK(static_cast<double>(each) > 1.3 * static_cast<double>(solo));
}

TEST_CASE("fabric packet: streams around one switch, as train by train") {
  std::mt19937_64 random(test_seed());
  for (unsigned round = 0; round < 60; ++round) {
    Shape shape = star(3 + round % 4, 1024, (2 + round % 5 * 60) * 4096);
    if (round % 3 != 0) shape.long_train_bytes = 4096;
    if (round % 2 == 1) {  // a chip with a slow link
      shape.channels[0].byte_fs = 3000;
      shape.channels[3].byte_fs = 2000;
    }
    CAPTURE(round);
    Pair pair(shape, [] { return std::make_unique<StarRoutes>(); });
    send_at_random(&pair, shape.chips, 1 + round % 4, 40, Time{200'000} << round % 16, &random);
  }
}

}  // namespace tern::tb
