// SPDX-License-Identifier: Apache-2.0
// Random scripts on every preset: what arrives, in which order, and what may be lost. The test
// follows the scripts with a state of its own and looks for ways breadth first.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <random>
#include <tuple>

#include "sw/system/routing.h"
#include "systemc/fabric/flow/flow_transport.h"
#include "systemc/fabric/packet/packet_network.h"
#include "tb/common/seed.h"
#include "tb/fabric/faults/broken_system.h"

namespace tern::tb {

using fabric::Delivery;
using fabric::FlowTransport;
using fabric::kNever;
using fabric::Time;
using fabric::Transfer;
using fabric::faults::Fault;
using fabric::faults::FaultState;
using fabric::faults::Observed;
using fabric::packet::PacketNetwork;

namespace {

using Random = std::mt19937_64;

std::string link_name(const system::Fabric& fabric, std::uint32_t number) {
  const system::Link& link = fabric.links()[number];
  return fabric.nodes()[link.a].name + "--" + fabric.nodes()[link.b].name;
}

std::string tray_name(const system::Fabric& fabric, std::uint32_t chip) {
  const std::string& name = fabric.nodes()[chip].name;
  return name.substr(0, name.rfind('.'));
}

// A line of a script. Times are within the 30 us that the traffic takes.
std::string random_fault(const system::Fabric& fabric, Random* random) {
  const auto draw = [&](std::size_t below) {
    return static_cast<std::uint32_t>((*random)() % below);
  };
  const std::string link = link_name(fabric, draw(fabric.links().size()));
  const auto switches = static_cast<std::uint32_t>(fabric.nodes().size()) - fabric.chips();
  std::string when = fmt::format("at_us: {}", draw(3000) / 100.0);
  if (draw(4) == 0)
    when = fmt::format("{}: {}, on: {}", draw(2) == 0 ? "after_bytes" : "after_transfers",
                       1 + draw(20), link_name(fabric, draw(fabric.links().size())));
  const std::string lasts =
      fmt::format("for_us: {}, train_us: {}", draw(1000) / 100.0, draw(300) / 100.0);
  std::string what;
  switch (draw(8)) {
    case 0:
      what = fmt::format("lane_loss, link: {}, lanes: 1", link);
      break;
    case 1:
      what = fmt::format("bit_errors, link: {}, rate: 1e-{}", link, 5 + draw(3));
      break;
    case 2:
      what = fmt::format("flap, link: {}, {}", link, lasts);
      break;
    case 3:
    case 4:
      what = fmt::format("dead_link, link: {}", link);
      break;
    case 5:
      what = fmt::format("hot_swap, tray: {}, {}", tray_name(fabric, draw(fabric.chips())), lasts);
      break;
    case 6:
      what = switches > 0
                 ? fmt::format("dead_switch, switch: {}",
                               fabric.nodes()[fabric.chips() + draw(switches)].name)
                 : fmt::format("dead_chip, chip: {}", fabric.nodes()[draw(fabric.chips())].name);
      break;
    default:
      what = switches > 0
                 ? fmt::format("hot_swap, switch: {}, {}",
                               fabric.nodes()[fabric.chips() + draw(switches)].name, lasts)
                 : fmt::format("tray_pulled, tray: {}", tray_name(fabric, draw(fabric.chips())));
      break;
  }
  return fmt::format("  - {{{}, fault: {}}}\n", when, what);
}

// What is out of service from an instant on.
struct Epoch {
  Time from = 0;
  system::Outage out;
};

// Of faults that have happened, as the state says when.
std::vector<Epoch> epochs_of(const system::Fabric& fabric, const FaultState& state) {
  struct Change {
    Time at;
    std::size_t fault;
    bool end;
  };
  std::vector<Change> changes;
  const std::vector<Fault>& faults = state.script().faults;
  for (std::size_t n = 0; n < faults.size(); ++n) {
    const Time at = state.happened(n);
    if (at == kNever) continue;
    if (faults[n].from == Fault::From::kTime) REQUIRE(at == faults[n].at);
    changes.push_back({at, n, false});
    if (faults[n].kind == Fault::Kind::kHotSwap) changes.push_back({at + faults[n].lasts, n, true});
  }
  std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return std::tie(a.at, a.fault) < std::tie(b.at, b.fault);
  });
  std::vector<bool> dead_links(fabric.links().size()), dead(fabric.nodes().size());
  std::vector<unsigned> swapping(fabric.nodes().size());
  std::vector<Epoch> epochs(1);
  for (const Change& change : changes) {
    const Fault& fault = faults[change.fault];
    if (fault.kind == Fault::Kind::kDeadLink) {
      for (const std::uint32_t link : fault.links) dead_links[link] = true;
    }
    for (const std::uint32_t node : fault.nodes) {
      if (fault.kind != Fault::Kind::kHotSwap) {
        dead[node] = true;
      } else if (!change.end) {
        ++swapping[node];
      } else {
        --swapping[node];
        dead[node] = false;
        for (const std::uint32_t link : fabric.links_of(node)) dead_links[link] = false;
      }
    }
    Epoch epoch;
    epoch.from = change.at;
    epoch.out.links = dead_links;
    for (std::uint32_t n = 0; n < dead.size(); ++n)
      epoch.out.nodes.push_back(dead[n] || swapping[n] > 0);
    if (epochs.back().from == epoch.from) epochs.pop_back();
    epochs.push_back(epoch);
  }
  return epochs;
}

bool reaches(const system::Fabric& fabric, const system::Outage& out, const Transfer& t) {
  return !out.node(t.source) &&
         system::Routes(fabric, t.source, out).hops(t.target) != system::Routes::kUnreachable;
}

// Whether no way was left at some instant of [from, to].
bool was_cut_off(const system::Fabric& fabric, const std::vector<Epoch>& epochs, const Transfer& t,
                 Time from, Time to) {
  for (std::size_t n = 0; n < epochs.size(); ++n) {
    if (epochs[n].from > to || (n + 1 < epochs.size() && epochs[n + 1].from <= from)) continue;
    if (!reaches(fabric, epochs[n].out, t)) return true;
  }
  return false;
}

struct Send {
  Transfer transfer;
  Time at = 0;
};

std::vector<Send> random_sends(const system::Fabric& fabric, Random* random) {
  std::vector<Send> sends;
  const std::uint32_t chips = fabric.chips();
  const unsigned each = 2 + 1000 / chips;
  for (std::uint32_t source = 0; source < chips; ++source) {
    for (unsigned n = 0; n < each; ++n) {
      Transfer t;
      t.source = source;
      // Some of it to one chip.
      t.target = static_cast<std::uint32_t>((*random)() % 4 == 0 ? chips / 2 : (*random)() % chips);
      if (t.target == source) t.target = (source + 1) % chips;
      t.bytes = (*random)() % 4 == 0 ? (*random)() % 64 : (*random)() % 100'000;
      t.traffic_class = static_cast<std::uint8_t>((*random)() % 4);
      t.stream = static_cast<std::uint32_t>((*random)() % 2);
      t.tag = sends.size();
      sends.push_back({t, (*random)() % 25'000'000'000});
    }
  }
  std::stable_sort(sends.begin(), sends.end(),
                   [](const Send& a, const Send& b) { return a.at < b.at; });
  return sends;
}

void check_once_and_in_order(const std::vector<Delivery>& arrived, std::size_t sent) {
  REQUIRE(arrived.size() == sent);
  std::vector<bool> seen(sent);
  std::map<std::tuple<std::uint32_t, std::uint32_t, unsigned, std::uint32_t>,
           std::pair<Time, std::uint64_t>>
      last;
  Time now = 0;
  for (const Delivery& d : arrived) {
    REQUIRE(d.arrived >= now);
    now = d.arrived;
    const Transfer& t = d.transfer;
    REQUIRE_FALSE(seen[t.tag]);
    seen[t.tag] = true;
    auto& before = last[{t.source, t.target, t.traffic_class, t.stream}];
    REQUIRE(std::pair{d.sent, t.tag} >= before);
    before = {d.sent, t.tag};
  }
}

bool same(const std::vector<Delivery>& a, const std::vector<Delivery>& b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(), [](const Delivery& x, const Delivery& y) {
        return x.transfer.tag == y.transfer.tag && x.arrived == y.arrived && x.lost == y.lost;
      });
}

// In steps from stop to stop: during each, nothing begins to go over what is out of service.
std::vector<Delivery> run_in_epochs(const system::Fabric& fabric, FaultState* state,
                                    const std::vector<Send>& sends,
                                    const std::vector<Epoch>& epochs) {
  PacketNetwork network(*state);
  for (const Send& send : sends) network.send(send.transfer, send.at);
  std::vector<Delivery> arrived;
  for (std::size_t n = 0; n < epochs.size(); ++n) {
    network.advance(epochs[n].from, arrived);
    std::vector<std::uint64_t> before;
    const auto channels = static_cast<std::uint32_t>(2 * fabric.links().size());
    for (std::uint32_t c = 0; c < channels; ++c) before.push_back(network.statistics(c).trains);
    network.advance(n + 1 < epochs.size() ? epochs[n + 1].from - 1 : kNever - 1, arrived);
    for (std::uint32_t c = 0; c < channels; ++c) {
      const system::Link& link = fabric.links()[c / 2];
      const system::Outage& out = epochs[n].out;
      if (!out.link(c / 2) && !out.node(link.a) && !out.node(link.b)) continue;
      REQUIRE(network.statistics(c).trains == before[c]);
    }
  }
  CHECK(network.idle());
  return arrived;
}

// As the network of chips steps it: what arrives at an instant is announced before anything else of
// it is handled, and happens, whatever is sent then.
void check_announcements(PacketNetwork* network, const std::vector<Send>& sends,
                         const std::vector<Delivery>& expected) {
  network->announce();
  std::vector<Delivery> arrived, announced;
  const auto advance = [&](Time until) {
    network->advance(until, arrived);
    for (const Delivery& d : network->take_announced()) {
      REQUIRE(d.arrived == until + 1);
      announced.push_back(d);
    }
  };
  const auto before = [&](Time time) {
    if (time > 0) advance(time - 1);
  };
  const auto step = [&] {
    const Time time = network->next_time();
    before(time);
    advance(time);
  };
  for (const Send& send : sends) {
    while (network->next_time() < send.at) step();
    before(send.at);
    network->send(send.transfer, send.at);
  }
  while (network->next_time() != kNever) step();
  CHECK(same(arrived, expected));
  std::map<std::uint64_t, Time> times;  // by tag
  for (const Delivery& d : announced) REQUIRE(times.emplace(d.transfer.tag, d.arrived).second);
  for (const Delivery& d : expected) {
    const auto found = times.find(d.transfer.tag);
    REQUIRE((found != times.end()) == !d.lost);
    if (!d.lost) REQUIRE(found->second == d.arrived);
  }
}

void check_preset(const std::string& name, unsigned faults, Random* random) {
  system::SystemConfig config = system::load_system(name);
  // Small buffers: queues are blocked everywhere.
  if ((*random)() % 2 == 0) config.link.buffer_bytes_per_lane = 1;
  const system::Fabric fabric(std::move(config));
  std::string script;
  for (unsigned n = 0; n < faults; ++n) script += random_fault(fabric, random);
  CAPTURE(name, script);
  const std::vector<Send> sends = random_sends(fabric, random);

  FaultState state = state_of(script, fabric, 5);
  PacketNetwork network(state);
  for (const Send& send : sends) network.send(send.transfer, send.at);
  std::vector<Delivery> arrived;
  network.advance(kNever - 1, arrived);
  CHECK(network.idle());
  CHECK(network.next_time() == kNever);
  check_once_and_in_order(arrived, sends.size());
  const std::vector<Epoch> epochs = epochs_of(fabric, state);
  std::uint64_t lost = 0, counted = 0;
  for (const Delivery& d : arrived) {
    if (!d.lost) continue;
    ++lost;
    REQUIRE(was_cut_off(fabric, epochs, d.transfer, d.arrived, d.arrived));
  }
  for (std::uint32_t link = 0; link < fabric.links().size(); ++link)
    counted += state.observed(link)[Observed::kLost];
  CHECK(counted == lost);

  // The same in steps, one of them by every event, with sends just in time.
  FaultState again = state_of(script, fabric, 5);
  CHECK(same(arrived, run_in_epochs(fabric, &again, sends, epochs)));
  FaultState third = state_of(script, fabric, 5);
  PacketNetwork stepped(third);
  std::vector<Delivery> one_by_one;
  for (std::size_t n = 0; n < sends.size(); ++n) {
    while (stepped.next_time() < sends[n].at) stepped.advance(stepped.next_time(), one_by_one);
    stepped.send(sends[n].transfer, sends[n].at);
  }
  while (stepped.next_time() != kNever) stepped.advance(stepped.next_time(), one_by_one);
  CHECK(same(arrived, one_by_one));
  for (std::uint32_t link = 0; link < fabric.links().size(); ++link)
    REQUIRE(third.observed(link) == state.observed(link));

  FaultState fourth = state_of(script, fabric, 5);
  PacketNetwork announcing(fourth);
  check_announcements(&announcing, sends, arrived);

  FaultState flowing = state_of(script, fabric, 5);
  FlowTransport flow(flowing);
  for (const Send& send : sends) flow.send(send.transfer, send.at);
  std::vector<Delivery> flowed;
  while (flow.next_time() != kNever) flow.advance(flow.next_time(), flowed);
  check_once_and_in_order(flowed, sends.size());
  const std::vector<Epoch> of_flows = epochs_of(fabric, flowing);
  for (const Delivery& d : flowed) {
    // One that was cut off behind another one on its way is reported after that.
    if (d.lost) REQUIRE(was_cut_off(fabric, of_flows, d.transfer, d.sent, d.arrived));
  }
}

}  // namespace

TEST_CASE("random faults: once, in order, or lost when no way is left, on every preset") {
  CAPTURE(test_seed());
  Random random(test_seed());
  for (const std::string& name : system::system_names()) {
    for (const unsigned faults : {3U, 30U}) check_preset(name, faults, &random);
  }
}

TEST_CASE("random faults: small systems fall apart") {
  CAPTURE(test_seed());
  Random random(test_seed() + 1);
  for (unsigned round = 0; round < 30; ++round) {
    for (const char* name : {"inf2", "trn1-nl16", "trn2-nl16"})
      check_preset(name, 5 + static_cast<unsigned>(random() % 40), &random);
  }
}

}  // namespace tern::tb
