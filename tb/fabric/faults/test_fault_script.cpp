// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sw/base/user_error.h"
#include "tb/fabric/faults/broken_system.h"

namespace tern::tb {

using fabric::faults::Fault;

namespace {

std::string refusal(const std::string& yaml) {
  try {
    (void)script_of(yaml, two_switches());
  } catch (const UserError& error) {
    const std::string message = error.what();
    REQUIRE(message.find('\n') == std::string::npos);
    return message.substr(message.find("faults.yaml"));
  }
  return "";
}

}  // namespace

TEST_CASE("fault script: every kind, its elements and times") {
  const system::Fabric fabric = two_switches();
  const auto script = script_of(
      "faults:\n"
      "  - {at_us: 1.5, fault: lane_loss, link: rack0.plane0.switch1--rack0.tray0.chip0, lanes: "
      "3}\n"
      "  - {at_us: 0, fault: bit_errors, link: rack0.tray0.chip0--rack0.plane0.switch0, rate: "
      "1e-6}\n"
      "  - {at_us: 0, fault: flap, link: rack0.tray0.chip0--rack0.plane0.switch0, for_us: 2}\n"
      "  - {at_us: 0, fault: flap, link: rack0.tray0.chip0--rack0.plane0.switch0, for_us: 2, "
      "train_us: 0.5}\n"
      "  - {after_bytes: 5, fault: dead_link, link: rack0.tray0.chip0--rack0.plane0.switch0}\n"
      "  - {after_transfers: 7, on: rack0.tray1.chip0--rack0.plane0.switch0, fault: dead_switch, "
      "switch: rack0.plane0.switch1}\n"
      "  - {at_us: 0, fault: dead_chip, chip: rack0.tray1.chip0}\n"
      "  - {at_us: 0, fault: tray_pulled, tray: rack0.tray1}\n"
      "  - {at_us: 0, fault: hot_swap, tray: rack0.tray1, for_us: 1}\n"
      "  - {at_us: 0, fault: hot_swap, switch: rack0.plane0.switch0, for_us: 1, train_us: 0}\n",
      fabric);
  const auto& f = script.faults;
  REQUIRE(f.size() == 10);
  const auto link_of = [&](const Fault& fault) { return fabric.links()[fault.links.at(0)]; };
  CHECK(f[0].kind == Fault::Kind::kLaneLoss);
  CHECK(f[0].at == 1'500'000'000);
  CHECK(f[0].lanes == 3);
  CHECK(fabric.nodes()[link_of(f[0]).b].name == "rack0.plane0.switch1");
  CHECK(link_of(f[0]).a == 0);
  CHECK(f[0].source.find("faults.yaml:2") != std::string::npos);
  CHECK(f[1].bit_error_rate == 1e-6);
  CHECK(f[2].lasts == 12'000'000'000);  // retraining takes 10 us
  CHECK(f[3].lasts == 2'500'000'000);
  CHECK(f[4].from == Fault::From::kBytes);
  CHECK(f[4].count == 5);
  CHECK(f[4].counted == f[4].links);
  CHECK(f[5].from == Fault::From::kTransfers);
  CHECK(f[5].counted.size() == 1);
  CHECK(f[5].counted != f[4].counted);
  CHECK(f[5].nodes == std::vector<std::uint32_t>{fabric.find("rack0.plane0.switch1").value()});
  CHECK(f[6].nodes == std::vector<std::uint32_t>{1});
  CHECK(f[7].nodes == std::vector<std::uint32_t>{1});
  CHECK(f[8].lasts == 100'001'000'000'000);  // training takes 100 ms
  CHECK(f[9].lasts == 1'000'000'000);
}

TEST_CASE("fault script: what is wrong is refused in one line with its place") {
  struct Row {
    const char *yaml, *message;
  };
  const std::string link = "link: rack0.tray0.chip0--rack0.plane0.switch0";
  const Row rows[] = {
      {"{at_us: 1, fault: meteor}", "faults.yaml:2: key 'faults[0].fault': expected one of"},
      {"{at_us: 1, fault: dead_link, LINK, colour: red}", "key 'faults[0].colour': unknown key"},
      {"{at_us: 1, fault: dead_link, LINK, lanes: 2}", "key 'faults[0].lanes': unknown key"},
      {"{at_us: 1, fault: dead_link}", "key 'faults[0].link': missing"},
      {"{at_us: 1, fault: dead_link, link: rack0.tray0.chip0}",
       "expected a link of small, as rack0.tray0.chip0--rack0.plane0.switch0"},
      {"{at_us: 1, fault: dead_link, link: rack0.tray0.chip0--rack0.tray1.chip0}",
       "expected a link of"},
      {"{at_us: 1, fault: dead_link, link: moon--rack0.tray1.chip0}", "expected a link of"},
      {"{at_us: 1, fault: dead_chip, chip: rack0.plane0.switch0}", "expected a chip of"},
      {"{at_us: 1, fault: dead_switch, switch: rack0.tray0.chip0}", "expected a switch of"},
      {"{at_us: 1, fault: tray_pulled, tray: rack0.tray9}", "expected a tray of"},
      {"{at_us: 1, fault: tray_pulled, tray: rack0.tray0.chip0}", "expected a tray of"},
      {"{at_us: -1, fault: dead_link, LINK}", "key 'faults[0].at_us': expected"},
      {"{at_us: .inf, fault: dead_link, LINK}", "key 'faults[0].at_us': expected"},
      {"{at_us: soon, fault: dead_link, LINK}", "key 'faults[0].at_us': expected"},
      {"{at_us: 1e10, fault: dead_link, LINK}", "key 'faults[0].at_us': expected"},
      {"{fault: dead_link, LINK}", "one of at_us, after_transfers, after_bytes"},
      {"{at_us: 1, after_bytes: 2, fault: dead_link, LINK}",
       "one of at_us, after_transfers, after_bytes"},
      {"{after_bytes: 0, fault: dead_link, LINK}", "key 'faults[0].after_bytes': expected"},
      {"{after_bytes: 9, fault: dead_chip, chip: rack0.tray0.chip0}",
       "key 'on' is missing: the link that is counted"},
      {"{after_bytes: 9, on: rack0.tray0, fault: dead_chip, chip: rack0.tray0.chip0}",
       "key 'faults[0].on': expected a link of"},
      {"{at_us: 1, on: rack0.tray0, fault: dead_chip, chip: rack0.tray0.chip0}",
       "key 'faults[0].on': unknown key"},
      {"{at_us: 1, fault: lane_loss, LINK, lanes: 9}", "key 'faults[0].lanes': expected"},
      {"{at_us: 1, fault: lane_loss, LINK, lanes: 0}", "key 'faults[0].lanes': expected"},
      {"{at_us: 1, fault: bit_errors, LINK, rate: 0.5}", "key 'faults[0].rate': expected"},
      {"{at_us: 1, fault: flap, LINK}", "key 'faults[0].for_us': missing"},
      {"{at_us: 1, fault: hot_swap, for_us: 1}", "hot_swap: one of switch, tray"},
      {"{at_us: 1, fault: hot_swap, switch: rack0.plane0.switch0, tray: rack0.tray0, for_us: 1}",
       "hot_swap: one of switch, tray"},
      {"7", "faults.yaml:2: key 'faults[0]': expected"},
  };
  for (const Row& row : rows) {
    std::string yaml = row.yaml;
    if (const auto at = yaml.find("LINK"); at != std::string::npos) yaml.replace(at, 4, link);
    INFO(yaml);
    const std::string message = refusal("faults:\n  - " + yaml + "\n");
    INFO(message);
    CHECK(message.find("faults.yaml:2: ") == 0);
    CHECK(message.find(row.message) != std::string::npos);
  }
  CHECK(refusal("faults: 3\n").find("faults.yaml:1: key 'faults': expected") == 0);
  CHECK(refusal("{}\n").find("key 'faults': missing") != std::string::npos);
  CHECK(refusal("faults: []\nlimit: 3\n").find("key 'limit': unknown key") != std::string::npos);
  std::string many = "faults:\n";
  for (unsigned n = 0; n < 1001; ++n)
    many += "  - {at_us: 1, fault: dead_chip, chip: rack0.tray0.chip0}\n";
  CHECK(refusal(many).find("at most 1000 faults") != std::string::npos);
}

}  // namespace tern::tb
