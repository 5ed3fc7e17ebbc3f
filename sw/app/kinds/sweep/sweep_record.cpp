// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/sweep/sweep_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sw/app/report/program_sections.h"
#include "sw/app/report/records.h"
#include "sw/app/report/text.h"

namespace tern::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kDefinitions =
    "load: operands HBM -> SBUF. run: the product from SBUF, its result stored to HBM. cycles: "
    "tensor engine, first command to last status. of peak: multiplications per cycle against the "
    "mode's most. speed-up: work per tensor cycle against bf16, if both have their operands "
    "in SBUF or neither; sparse formats count the dense product, quad its four. energy: the chip's "
    "estimate, load and "
    "run, idle and links included. errors: against "
    "FP64, relative to the rms of the result; sparse: of "
    "the pruned matrix.";

std::string bits_text(const SweepRow& row) {
  std::string bits = row.mismatches == 0
                         ? "yes"
                         : fmt::format("NO: {} of {}", grouped(row.mismatches), grouped(row.words));
  if (row.twin) bits += ", " + row.twin->text();
  if (!row.first_difference.empty()) bits += "; first: " + row.first_difference;
  return bits;
}

Table table_of(const SweepRecord& r) {
  Table table{columns_of({"format", "mode", "cycles", "load us", "run us", "of peak", "speed-up",
                          "HBM read", "energy uJ", "rms error", "max error", "bits = reference"},
                         {0, 1, 11}),
              {}};
  for (const SweepRow& row : r.rows) {
    if (!row.refused.empty()) {
      table.rows.push_back({row.format, row.mode, {row.refused, Cell::kDim}});
      continue;
    }
    table.rows.push_back({row.format,
                          row.mode,
                          grouped(row.tensor_cycles),
                          row.load_us ? fmt::format("{:.2f}", *row.load_us) : "in run",
                          fmt::format("{:.2f}", row.run_us),
                          percent_text(row.peak_share),
                          row.speed_up ? fmt::format("{:.2f}", *row.speed_up) : "-",
                          fmt::format("{:.2f} MB", static_cast<double>(row.hbm_bytes_read) * 1e-6),
                          fmt::format("{:.0f}", row.energy_uj),
                          fmt::format("{:.1e}", row.rms_error),
                          fmt::format("{:.1e}", row.max_error),
                          {bits_text(row), row.passed() ? Cell::kGood : Cell::kBad}});
  }
  return table;
}

Figures figures_of(const SweepRecord& r) {
  const SweepRow* fastest = nullptr;
  std::size_t ran = 0;
  for (const SweepRow& row : r.rows) {
    if (!row.refused.empty()) continue;
    ++ran;
    if (row.speed_up && (fastest == nullptr || *row.speed_up > *fastest->speed_up)) fastest = &row;
  }
  Figures figures = {{std::to_string(ran), "formats", fmt::format("of {} ran", r.rows.size())}};
  if (fastest != nullptr) {
    figures.push_back(
        {fmt::format("{:.2f}", *fastest->speed_up), "largest speed-up over bf16", fastest->format});
  }
  return figures;
}

BarChart chart_of(const SweepRecord& r) {
  BarChart speed{
      "speed-up over bf16", "work per tensor cycle over that of bf16", {}, {{"speed-up", {}}}};
  for (const SweepRow& row : r.rows) {
    if (!row.speed_up) continue;
    speed.groups.push_back(row.format);
    speed.series[0].y.push_back(*row.speed_up);
  }
  return speed;
}

ScatterChart errors_of(const SweepRecord& r) {
  ScatterChart chart;
  chart.title = "speed-up against error";
  chart.x_label = "work per tensor cycle over that of bf16";
  chart.y_label = "rms error against FP64, over the rms of the result";
  for (const SweepRow& row : r.rows) {
    if (row.speed_up) chart.points.push_back({row.format, *row.speed_up, row.rms_error});
  }
  return chart;
}

Json json_of(const SweepRow& row) {
  Json x = {{"format", row.format}, {"mode", row.mode}};
  if (!row.refused.empty()) {
    x["refused"] = row.refused;
    return x;
  }
  x["passed"] = row.passed();
  x["tensor_cycles"] = row.tensor_cycles;
  if (row.load_us) x["load_us"] = *row.load_us;
  x["run_us"] = row.run_us;
  x["peak_share"] = row.peak_share;
  if (row.speed_up) x["speed_up"] = *row.speed_up;
  x["hbm_bytes_read"] = row.hbm_bytes_read;
  x["energy_uj"] = row.energy_uj;
  x["rms_error"] = row.rms_error;
  x["max_error"] = row.max_error;
  if (row.not_finite > 0) x["not_finite"] = row.not_finite;
  x["words"] = row.words;
  x["mismatches"] = row.mismatches;
  if (!row.first_difference.empty()) x["first_difference"] = row.first_difference;
  add_twin(row.twin, &x);
  x["wall_s"] = row.wall_s;
  for (const auto& phases : row.phases) {
    for (const PhaseBound& p : phases)
      x["phases"].push_back({{"name", p.name}, {"us", p.us}, {"bound", p.bound}});
  }
  return x;
}

}  // namespace

bool SweepRecord::passed() const {
  const bool any = std::any_of(rows.begin(), rows.end(),
                               [](const SweepRow& row) { return row.refused.empty(); });
  return any && std::all_of(rows.begin(), rows.end(), [](const SweepRow& row) {
           return !row.refused.empty() || row.passed();
         });
}

Report report_of(const SweepRecord& r) {
  Report report = make_report(
      r, r.passed(),
      fmt::format(", core {}, tensor engine: {} at {} GHz", r.core, r.backend, r.tensor_clock_ghz));
  report.add(figures_of(r));
  Section formats("Formats");
  formats.add(table_of(r));
  formats.add(Note{kDefinitions});
  const BarChart chart = chart_of(r);
  if (!chart.groups.empty()) {
    formats.add(Picture{"error.svg", "Right: faster; down: closer to FP64", errors_of(r)});
    formats.add(Picture{"sweep.svg", "Speed-up over bf16", std::vector<BarChart>{chart}});
  }
  report.add(formats);
  Section phases("What bounds each phase", "Of the product's program, or the only one.",
                 Section::kFiles);
  for (const SweepRow& row : r.rows) {
    if (row.phases.empty()) continue;
    phases.add(Paragraph{row.format});
    phases.add(phases_table(row.phases.back()));
  }
  report.add(phases);

  Json& j = report.data;
  j.update(Json{{"seed", r.seed},
                {"m", r.m},
                {"k", r.k},
                {"n", r.n},
                {"backend", r.backend},
                {"tensor_clock_ghz", r.tensor_clock_ghz}});
  j["rows"] = Json::array();
  for (const SweepRow& row : r.rows) j["rows"].push_back(json_of(row));
  report.add(records("sweep.csv", j, {"rows"}));
  add_paths(r, &j);
  return report;
}

}  // namespace tern::app
