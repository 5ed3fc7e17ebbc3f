// SPDX-License-Identifier: Apache-2.0
#include "sw/app/report/energy_section.h"

#include <fmt/format.h>

#include <algorithm>

#include "sw/app/report/text.h"

namespace tern::app {
namespace {

constexpr const char* kNote =
    "An estimate of the whole chip: events times energies that are published for other chips or "
    "assumed (docs/energy.md; the keys energy.* of the chip). At its limit: what the block draws "
    "when it does nothing but work.";

std::string joules_text(double uj) {
  if (uj >= 1e6) return fmt::format("{:.2f} J", uj * 1e-6);
  return uj >= 1e3 ? fmt::format("{:.2f} mJ", uj * 1e-3) : fmt::format("{:.2f} uJ", uj);
}

std::string watts_text(double watts) {
  return fmt::format(watts >= 100 ? "{:.0f} W" : watts >= 10 ? "{:.1f} W" : "{:.2f} W", watts);
}

LineChart power_chart(const EnergyUse& use) {
  LineChart chart{"Power of the chip", "us", "W", {}, {}};
  chart.logarithmic = chart.bytes = false;
  LineChart::Series series{"all blocks", {}, {}};
  const auto add = [&](double us, double watts) {
    series.x.push_back(us);
    series.y.push_back(watts);
  };
  const auto always = [&](EnergyBlock block) { return use.peak_w[static_cast<unsigned>(block)]; };
  const double always_w = always(EnergyBlock::kLinks) + always(EnergyBlock::kIdle);
  add(0, always_w);
  add(use.curve_from_us, always_w);
  // A step is a horizontal line.
  for (std::size_t i = 0; i < use.curve_w.size(); ++i) {
    const double from = use.curve_from_us + use.step_us * static_cast<double>(i);
    add(from, use.curve_w[i]);
    add(std::min(from + use.step_us, use.us), use.curve_w[i]);
  }
  chart.series.push_back(series);
  chart.levels.push_back({"idle and links", always_w});
  chart.levels.push_back({"all at their limit", use.limit_w()});
  return chart;
}

}  // namespace

std::string energy_text(const EnergyUse& use) {
  return fmt::format("{}, {} on average, {} at most (estimate: docs/energy.md)",
                     joules_text(use.all_uj()), watts_text(use.mean_w()),
                     watts_text(use.highest_w()));
}

Section energy_section(const EnergyUse& use) {
  Section section("Energy", kNote, Section::kFiles);
  Table table{{{""},
               {"energy", Column::kNumber},
               {"of all", Column::kNumber},
               {"on average", Column::kNumber},
               {"at its limit", Column::kNumber}},
              {}};
  const double all = use.all_uj();
  const auto row = [&](const std::string& name, double uj, double limit_w) {
    const double share = all > 0 ? uj / all : 0;
    table.rows.push_back({name,
                          joules_text(uj),
                          {percent_text(share), Cell::kPlain, share},
                          watts_text(use.us > 0 ? uj / use.us : 0),
                          watts_text(limit_w)});
  };
  for (unsigned b = 0; b < kEnergyBlocks; ++b)
    row(energy_block_name(static_cast<EnergyBlock>(b)), use.uj[b], use.peak_w[b]);
  row("the chip", all, use.limit_w());
  section.add(table);
  if (!use.curve_w.empty())
    section.add(
        Picture{"power.svg", fmt::format("In steps of {:.2f} us", use.step_us), power_chart(use)});
  return section;
}

nlohmann::ordered_json json_of(const EnergyUse& use) {
  nlohmann::ordered_json blocks = nlohmann::ordered_json::array();
  for (unsigned b = 0; b < kEnergyBlocks; ++b) {
    blocks.push_back({{"name", energy_block_name(static_cast<EnergyBlock>(b))},
                      {"uj", use.uj[b]},
                      {"limit_w", use.peak_w[b]}});
  }
  return {{"uj", use.all_uj()},        {"mean_w", use.mean_w()},
          {"most_w", use.highest_w()}, {"limit_w", use.limit_w()},
          {"blocks", blocks},          {"curve_from_us", use.curve_from_us},
          {"step_us", use.step_us},    {"curve_w", use.curve_w}};
}

}  // namespace tern::app
