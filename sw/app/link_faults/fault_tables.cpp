// SPDX-License-Identifier: Apache-2.0
#include "sw/app/link_faults/fault_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "sw/app/report/text.h"

namespace tern::app {

namespace {

using fabric::faults::Fault;
using fabric::faults::FaultState;
using fabric::faults::kObservedNames;
using fabric::faults::Observed;
using fabric::faults::ObservedCounts;

constexpr std::size_t kMostRows = 20;  // of links, and of faults
constexpr std::size_t kMost = 3;       // of them in a message

double us(fabric::Time fs) {
  return static_cast<double>(fs) * 1e-9;
}

std::string name_of(const system::Fabric& fabric, std::uint32_t number) {
  const system::Link& link = fabric.links()[number];
  return fmt::format("{}--{}", fabric.nodes()[link.a].name, fabric.nodes()[link.b].name);
}

Row row_of(const std::string& name, const ObservedCounts& counts) {
  Row row = {name};
  for (std::size_t n = 0; n < kObservedNames.size(); ++n) {
    const std::uint64_t count = counts[static_cast<Observed>(n)];
    const bool bad = static_cast<Observed>(n) == Observed::kLost && count > 0;
    row.push_back({count == 0 ? "-" : grouped(count), bad ? Cell::kBad : Cell::kPlain});
  }
  return row;
}

nlohmann::ordered_json json_of(const ObservedCounts& counts) {
  nlohmann::ordered_json json;
  for (std::size_t n = 0; n < kObservedNames.size(); ++n) {
    std::string key = kObservedNames[n];
    std::replace(key.begin(), key.end(), ' ', '_');
    json[key] = counts[static_cast<Observed>(n)];
  }
  return json;
}

void add_script(const FaultState& state, Report* report) {
  Table table{columns_of({"fault", "of", "in", "happened at"}, {0, 1, 2}), {}};
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  const auto& faults = state.script().faults;
  for (std::size_t n = 0; n < faults.size(); ++n) {
    const Fault& fault = faults[n];
    const bool happened = state.happened(n) != fabric::kNever;
    const fabric::Time at = happened ? state.happened(n) - state.origin() : 0;
    const std::string name = fabric::faults::fault_name(fault.kind);
    if (n < kMostRows)
      table.rows.push_back({name, fault.element, printable(fault.source),
                            happened ? time_text(us(at)) : "not reached"});
    list.push_back({{"fault", name},
                    {"element", fault.element},
                    {"source", fault.source},
                    {"state", happened ? "happened" : "waits"}});
    if (happened) list.back()["at_us"] = us(at);
  }
  if (faults.size() > kMostRows)
    table.rows.push_back({fmt::format("and {} more", faults.size() - kMostRows)});
  report->add(table);
  report->data["faults"] = list;
}

// Links of which something was observed: first those that the script names.
std::vector<std::uint32_t> in_order(const FaultState& state) {
  std::vector<bool> named(state.fabric().links().size());
  for (const Fault& fault : state.script().faults) {
    for (const std::uint32_t link : fault.links) named[link] = true;
  }
  std::vector<std::uint32_t> links;
  for (std::uint32_t link = 0; link < named.size(); ++link) {
    if (!(state.observed(link) == ObservedCounts())) links.push_back(link);
  }
  std::stable_partition(links.begin(), links.end(), [&](std::uint32_t n) { return named[n]; });
  return links;
}

// That the link is out of service because of, or that damaged it.
bool concerns(const Fault& fault, const system::Link& link, std::uint32_t number) {
  const auto has = [](const std::vector<std::uint32_t>& numbers, std::uint32_t n) {
    return std::find(numbers.begin(), numbers.end(), n) != numbers.end();
  };
  return has(fault.links, number) || has(fault.nodes, link.a) || has(fault.nodes, link.b);
}

}  // namespace

std::string reason_of_losses(const FaultState& state) {
  const system::Fabric& fabric = state.fabric();
  std::vector<std::string> links, faults;
  for (std::uint32_t link = 0; link < fabric.links().size(); ++link) {
    if (state.observed(link)[Observed::kLost] > 0) links.push_back(name_of(fabric, link));
  }
  for (std::size_t n = 0; n < state.script().faults.size(); ++n) {
    const Fault& fault = state.script().faults[n];
    if (state.happened(n) == fabric::kNever) continue;
    for (std::uint32_t link = 0; link < fabric.links().size(); ++link) {
      if (state.observed(link)[Observed::kLost] == 0 ||
          !concerns(fault, fabric.links()[link], link))
        continue;
      faults.push_back(fmt::format("{} {} ({})", fabric::faults::fault_name(fault.kind),
                                   fault.element, printable(fault.source)));
      break;
    }
  }
  const auto list = [](const std::vector<std::string>& all) {
    std::string text;
    for (std::size_t n = 0; n < std::min(all.size(), kMost); ++n)
      text += (n > 0 ? ", " : "") + all[n];
    return all.size() > kMost ? fmt::format("{} and {} more", text, all.size() - kMost) : text;
  };
  return fmt::format("out of service: {}; because of {}", list(links), list(faults));
}

void add_faults(const FaultState& state, Report* report) {
  add_script(state, report);
  const system::Fabric& fabric = state.fabric();
  std::vector<std::string> titles(kObservedNames.begin(), kObservedNames.end());
  titles.insert(titles.begin(), "observed on links");
  Table table{columns_of(titles, {0}), {}};
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  ObservedCounts all;
  for (const std::uint32_t link : in_order(state)) {
    const ObservedCounts& counts = state.observed(link);
    for (std::size_t n = 0; n < kObservedNames.size(); ++n)
      all[static_cast<Observed>(n)] += counts[static_cast<Observed>(n)];
    if (list.size() < kMostRows) table.rows.push_back(row_of(name_of(fabric, link), counts));
    list.push_back({{"link", name_of(fabric, link)}});
    list.back().update(json_of(counts));
  }
  if (list.size() > kMostRows)
    table.rows.push_back({fmt::format("and {} more", list.size() - kMostRows)});
  table.rows.push_back(row_of("all links", all));
  report->add(table);
  report->data["observed"] = list;
  report->data["observed_all"] = json_of(all);
  report->data["dead_links"] = nlohmann::ordered_json::array();
  for (std::uint32_t link = 0; link < fabric.links().size(); ++link) {
    if (!state.usable(link)) report->data["dead_links"].push_back(name_of(fabric, link));
  }
}

}  // namespace tern::app
