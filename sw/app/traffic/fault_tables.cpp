// SPDX-License-Identifier: Apache-2.0
#include "sw/app/traffic/fault_tables.h"

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
    const fabric::Time at = state.happened(n);
    const bool happened = at != fabric::kNever;
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

}  // namespace

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
