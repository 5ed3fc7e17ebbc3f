// SPDX-License-Identifier: Apache-2.0
#include "sw/app/system/link_use.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sw/app/report/text.h"
#include "sw/app/system/drawing.h"

namespace tern::app {

namespace {

constexpr std::size_t kRows = 5;
constexpr std::size_t kMaxDrawn = 50'000;  // links of a page's picture, some 100 bytes each

struct Hot {
  std::uint32_t channel;
  double share;
};

// The largest shares.
std::vector<Hot> largest(const std::vector<double>& shares) {
  std::vector<Hot> all;
  for (std::uint32_t c = 0; c < shares.size(); ++c)
    if (shares[c] > 0) all.push_back({c, shares[c]});
  const std::size_t count = std::min(kRows, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), all.end(),
                    [](const Hot& a, const Hot& b) {
                      return a.share != b.share ? a.share > b.share : a.channel < b.channel;
                    });
  all.resize(count);
  return all;
}

std::string name_of(const system::Fabric& fabric, std::uint32_t channel) {
  const system::Link& link = fabric.links()[channel / 2];
  const bool forward = channel % 2 == 0;
  return fmt::format("{} to {}", fabric.nodes()[forward ? link.a : link.b].name,
                     fabric.nodes()[forward ? link.b : link.a].name);
}

void add_table(const system::Fabric& fabric, const char* title, const char* column,
               const std::vector<double>& shares, const char* key, Report* report) {
  Table table{columns_of({title, "lanes", "medium", column}, {0, 2}), {}};
  nlohmann::ordered_json data = nlohmann::ordered_json::array();
  for (const Hot& hot : largest(shares)) {
    const system::Link& link = fabric.links()[hot.channel / 2];
    const std::string name = name_of(fabric, hot.channel);
    table.rows.push_back({name, std::to_string(link.lanes), system::medium_name(link.medium),
                          percent_text(hot.share)});
    data.push_back({{"link", name}, {column, hot.share}});
  }
  if (!table.rows.empty()) report->add(table);
  report->data[key] = data;
}

DataFile links_file(const system::Fabric& fabric, const LinkUse& use) {
  Table table{columns_of({"link", "lanes", "medium", "use", "stalled", "state"}, {0, 2, 5}), {}};
  for (std::uint32_t channel = 0; channel < use.used.size(); ++channel) {
    const system::Link& link = fabric.links()[channel / 2];
    table.rows.push_back({name_of(fabric, channel), std::to_string(link.lanes),
                          system::medium_name(link.medium), fmt::format("{}", use.used[channel]),
                          use.stalled.empty() ? "" : fmt::format("{}", use.stalled[channel]),
                          !use.dead.empty() && use.dead[channel / 2] ? "dead" : "in service"});
  }
  return {"links.csv", table};
}

}  // namespace

std::vector<double> shares_of(const std::vector<std::uint64_t>& times, std::uint64_t whole) {
  std::vector<double> shares;
  shares.reserve(times.size());
  for (const std::uint64_t time : times)
    shares.push_back(whole == 0 ? 0 : static_cast<double>(time) / static_cast<double>(whole));
  return shares;
}

void add_link_tables(const system::Fabric& fabric, const LinkUse& use, Report* report) {
  add_table(fabric, "hottest links", "use", use.used, "hottest", report);
  if (!use.stalled.empty())
    add_table(fabric, "waiting for credits", "time", use.stalled, "stalled", report);
}

std::string heat_map_of(const system::Fabric& fabric, const LinkUse& use, const std::string& note) {
  std::vector<LinkHeat> heat(use.used.size() / 2);
  for (std::size_t link = 0; link < heat.size(); ++link) {
    heat[link].use = std::max(use.used[2 * link], use.used[2 * link + 1]);
    heat[link].dead = !use.dead.empty() && use.dead[link];
  }
  return heat_map_of(fabric, heat, note);
}

Section link_section(const system::Fabric& fabric, const LinkUse& use, const std::string& note) {
  Section section("Use of the links",
                  "Share of the time in which a link sends: of its two directions the busier one.",
                  Section::kFiles);
  if (fabric.links().size() <= kMaxDrawn) {
    section.add(
        Picture{"heat.svg", "Links of the system by their use", heat_map_of(fabric, use, note)});
  } else {
    section.add(Note{fmt::format("No picture: {} links are too many for a page.",
                                 grouped(fabric.links().size()))});
  }
  section.add(links_file(fabric, use));
  return section;
}

}  // namespace tern::app
