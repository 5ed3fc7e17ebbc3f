// SPDX-License-Identifier: Apache-2.0
#include "sw/app/report/energy_section.h"

#include <fmt/format.h>

#include <algorithm>

#include "sw/app/report/text.h"

namespace tern::app {
namespace {

constexpr const char* kNote =
    "An estimate of the whole chip: events times energies that are published for other chips or "
    "assumed (docs/energy.md; the keys energy.* of the chip). At full rate: what the block draws "
    "when it does nothing but work.";

std::string joules_text(double uj) {
  if (uj >= 1e6) return fmt::format("{:.2f} J", uj * 1e-6);
  return uj >= 1e3 ? fmt::format("{:.2f} mJ", uj * 1e-3) : fmt::format("{:.2f} uJ", uj);
}

std::string watts_text(double watts) {
  return fmt::format(watts >= 100 ? "{:.0f} W" : watts >= 10 ? "{:.1f} W" : "{:.2f} W", watts);
}

double always_w(const EnergyUse& use) {
  const auto of = [&](EnergyBlock block) { return use.full_w[static_cast<unsigned>(block)]; };
  return of(EnergyBlock::kLinks) + of(EnergyBlock::kIdle);
}

LineChart power_chart(const EnergyUse& use) {
  LineChart chart{"Power of the chip", "us", "W", {}, {}};
  chart.logarithmic = chart.bytes = false;
  LineChart::Series series{"all blocks", {}, {}};
  // A step is a horizontal line.
  for (std::size_t i = 0; i < use.curve_w.size(); ++i) {
    const double from = use.step_us * static_cast<double>(i);
    for (const double us : {from, std::min(from + use.step_us, use.curve_us)}) {
      series.x.push_back(us);
      series.y.push_back(use.curve_w[i]);
    }
  }
  chart.series.push_back(series);
  chart.levels.push_back({"idle and links", always_w(use)});
  chart.levels.push_back({"all at full rate", use.all_full_w()});
  return chart;
}

}  // namespace

std::string energy_text(const EnergyUse& use) {
  return fmt::format("estimate: {} of work, {} idle; {} on average, at most {} for {:.2f} us",
                     joules_text(use.work_uj()), joules_text(use.all_uj() - use.work_uj()),
                     watts_text(use.mean_w()), watts_text(use.most_w), use.step_us);
}

Section energy_section(const EnergyUse& use) {
  Section section("Energy", kNote, Section::kFiles);
  Table table{{{""},
               {"energy", Column::kNumber},
               {"of all", Column::kNumber},
               {"on average", Column::kNumber},
               {"at full rate", Column::kNumber}},
              {}};
  const double all = use.all_uj();
  const auto row = [&](const std::string& name, double uj, double full_w) {
    const double share = all > 0 ? uj / all : 0;
    table.rows.push_back({name,
                          joules_text(uj),
                          {percent_text(share), Cell::kPlain, share},
                          watts_text(use.us > 0 ? uj / use.us : 0),
                          watts_text(full_w)});
  };
  for (unsigned b = 0; b < kEnergyBlocks; ++b)
    row(energy_block_name(static_cast<EnergyBlock>(b)), use.uj[b], use.full_w[b]);
  row("the chip", all, use.all_full_w());
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
                      {"full_w", use.full_w[b]}});
  }
  return {{"uj", use.all_uj()},     {"work_uj", use.work_uj()},   {"mean_w", use.mean_w()},
          {"most_w", use.most_w},   {"full_w", use.all_full_w()}, {"blocks", blocks},
          {"step_us", use.step_us}, {"curve_w", use.curve_w}};
}

}  // namespace tern::app
