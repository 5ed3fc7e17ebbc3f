// SPDX-License-Identifier: Apache-2.0
#include "systemc/fabric/faults/fault_script.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>

#include "sw/base/user_error.h"
#include "sw/config/yaml_reader.h"
#include "sw/system/routing.h"

namespace tern::fabric::faults {

namespace {

using config::YamlMap;
using config::YamlValue;

constexpr double kMostUs = 1e9;
constexpr double kFsPerUs = 1e9, kFsPerNs = 1e6;
constexpr double kMostErrorRate = 1e-3;  // as of a system's link

// In the order of Fault::Kind.
const std::vector<std::string> kKinds = {"lane_loss",   "bit_errors", "flap",        "dead_link",
                                         "dead_switch", "dead_chip",  "tray_pulled", "hot_swap"};

Time fs(double value, double unit) {
  return static_cast<Time>(std::llround(value * unit));
}

Time us_of(const YamlValue& value) {
  return fs(value.as_number(0, kMostUs), kFsPerUs);
}

std::vector<std::uint32_t> members(const std::vector<bool>& set) {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t n = 0; n < set.size(); ++n) {
    if (set[n]) numbers.push_back(n);
  }
  return numbers;
}

class Reader {
 public:
  explicit Reader(const system::Fabric& fabric) : fabric_(fabric) {}

  Fault read(const YamlMap& map) const {
    Fault fault;
    fault.source = map.source();
    fault.kind = static_cast<Fault::Kind>(map.get("fault").as_index(kKinds));
    switch (fault.kind) {
      case Fault::Kind::kLaneLoss:
        read_link(map, &fault);
        fault.lanes = static_cast<unsigned>(
            map.get("lanes").as_integer(1, fabric_.links()[fault.links.front()].lanes));
        break;
      case Fault::Kind::kBitErrors:
        read_link(map, &fault);
        fault.bit_error_rate = map.get("rate").as_number(0, kMostErrorRate);
        break;
      case Fault::Kind::kFlap:
        read_link(map, &fault);
        read_lasts(map, fabric_.config().link.retrain_ns, &fault);
        break;
      case Fault::Kind::kDeadLink:
        read_link(map, &fault);
        break;
      case Fault::Kind::kDeadSwitch:
        read_node(map.get("switch"), &fault);
        break;
      case Fault::Kind::kDeadChip:
        read_node(map.get("chip"), &fault);
        break;
      case Fault::Kind::kTrayPulled:
        read_tray(map.get("tray"), &fault);
        break;
      case Fault::Kind::kHotSwap:
        read_swap(map, &fault);
        break;
    }
    read_time(map, &fault);
    return fault;
  }

 private:
  std::vector<std::uint32_t> links_of(const YamlValue& value) const {
    const std::string name = value.as_string();
    const auto found = system::outage_of(fabric_, name);
    if (name.find("--") == std::string::npos || !found)
      value.fail(fmt::format("a link of {}, as {}", fabric_.config().name, example()));
    return members(found->links);
  }

  std::string example() const {
    const system::Link& link = fabric_.links().front();
    return fabric_.nodes()[link.a].name + "--" + fabric_.nodes()[link.b].name;
  }

  void read_link(const YamlMap& map, Fault* fault) const {
    const YamlValue link = map.get("link");
    fault->links = links_of(link);
    fault->element = link.as_string();
  }

  // The key's name says which kind of node.
  void read_node(const YamlValue& value, Fault* fault) const {
    fault->element = value.as_string();
    const auto found = fabric_.find(fault->element);
    const bool wants_chip = fault->kind == Fault::Kind::kDeadChip;
    if (!found || (*found < fabric_.chips()) != wants_chip)
      value.fail(fmt::format("a {} of {}", wants_chip ? "chip" : "switch", fabric_.config().name));
    fault->nodes = {*found};
  }

  void read_tray(const YamlValue& value, Fault* fault) const {
    fault->element = value.as_string();
    const auto found = system::outage_of(fabric_, fault->element);
    if (!found || fabric_.find(fault->element) || fault->element.find("--") != std::string::npos)
      value.fail(
          fmt::format("a tray of {}, as {}", fabric_.config().name,
                      fabric_.nodes()[0].name.substr(0, fabric_.nodes()[0].name.rfind('.'))));
    fault->nodes = members(found->nodes);
  }

  void read_swap(const YamlMap& map, Fault* fault) const {
    const auto node = map.find("switch"), tray = map.find("tray");
    if (node.has_value() == tray.has_value())
      throw UserError(fmt::format("{}: hot_swap: one of switch, tray", map.source()));
    if (node) {
      read_node(*node, fault);
    } else {
      read_tray(*tray, fault);
    }
    read_lasts(map, fabric_.config().link.train_ns, fault);
  }

  static void read_lasts(const YamlMap& map, double train_ns, Fault* fault) {
    fault->lasts = us_of(map.get("for_us"));
    const auto train = map.find("train_us");
    fault->lasts += train ? us_of(*train) : fs(train_ns, kFsPerNs);
  }

  void read_time(const YamlMap& map, Fault* fault) const {
    const auto at = map.find("at_us"), transfers = map.find("after_transfers"),
               bytes = map.find("after_bytes");
    if (int{at.has_value()} + int{transfers.has_value()} + int{bytes.has_value()} != 1)
      throw UserError(
          fmt::format("{}: one of at_us, after_transfers, after_bytes (that a link has carried)",
                      map.source()));
    if (at) {
      fault->at = us_of(*at);
      return;
    }
    fault->from = transfers ? Fault::From::kTransfers : Fault::From::kBytes;
    fault->count = static_cast<std::uint64_t>(
        (transfers ? *transfers : *bytes).as_integer(1, std::numeric_limits<std::int64_t>::max()));
    const auto on = map.find("on");
    if (!on && fault->links.empty())
      throw UserError(
          fmt::format("{}: key 'on' is missing: the link that is counted", map.source()));
    fault->counted = on ? links_of(*on) : fault->links;
  }

  const system::Fabric& fabric_;
};

}  // namespace

std::string fault_name(Fault::Kind kind) {
  return kKinds[static_cast<unsigned>(kind)];
}

FaultScript load_fault_script(const std::string& path, const system::Fabric& fabric) {
  const YamlMap top = YamlMap::from_file(path);
  if (fabric.config().scale_out.units > 1)
    throw UserError(fmt::format(
        "{}: faults of several units with a network between them are not modelled: of one unit",
        top.source()));
  const YamlValue list = top.get("faults");
  FaultScript script;
  const Reader reader(fabric);
  for (const YamlValue& item : list.as_list()) {
    if (script.faults.size() == FaultScript::kMostFaults)
      list.fail(fmt::format("at most {} faults", FaultScript::kMostFaults));
    script.faults.push_back(reader.read(item.as_map()));
  }
  top.finish();
  return script;
}

}  // namespace tern::fabric::faults
