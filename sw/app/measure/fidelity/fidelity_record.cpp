// SPDX-License-Identifier: Apache-2.0
#include "sw/app/measure/fidelity/fidelity_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tern::app {
namespace {

using Json = nlohmann::ordered_json;

template <typename Chosen>
ErrorSummary summary_of(const std::vector<MeasuredFigure>& figures, Chosen chosen) {
  std::vector<double> errors;
  for (const MeasuredFigure& f : figures) {
    if (chosen(f.figure)) errors.push_back(std::abs(f.error()));
  }
  ErrorSummary summary;
  summary.count = errors.size();
  if (errors.empty()) return summary;
  std::sort(errors.begin(), errors.end());
  for (const double error : errors) summary.mean += error / static_cast<double>(errors.size());
  const std::size_t half = errors.size() / 2;
  summary.median = errors.size() % 2 == 1 ? errors[half] : (errors[half - 1] + errors[half]) / 2;
  summary.largest = errors.back();
  return summary;
}

std::string value_text(double value) {
  return value < 100 ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value);
}

std::string error_text(const MeasuredFigure& f) {
  return fmt::format("{:+.1f} %", f.error() * 100);
}

// A setting as code, a rule as text.
std::string key_text(const PublishedFigure& figure) {
  const bool is_setting = figure.key.find('.') != std::string::npos;
  return is_setting ? fmt::format("`{}`", figure.key) : figure.key;
}

std::string means_text(const char* of, const ErrorSummary& s) {
  return fmt::format("{} {}: mean error {:.1f} %, median {:.1f} %, largest {:.1f} %", s.count, of,
                     s.mean * 100, s.median * 100, s.largest * 100);
}

std::string aim_text(const char* what, double error, double aim) {
  return fmt::format("{} {:.1f} % (aim: {:.0f} %)", what, error * 100, aim * 100);
}

}  // namespace

ErrorSummary FidelityRecord::predicted() const {
  return summary_of(figures, [](const PublishedFigure& f) {
    return f.kind == FigureKind::kPredicted && !f.chart;
  });
}

ErrorSummary FidelityRecord::chart() const {
  return summary_of(figures, [](const PublishedFigure& f) { return f.chart; });
}

std::string markdown_of(const FidelityRecord& r) {
  std::string text =
      "| figure | chip | kind | published | Tern | error | source | chose |\n"
      "|---|---|---|---:|---:|---:|---|---|\n";
  for (const MeasuredFigure& f : r.figures) {
    const PublishedFigure& p = f.figure;
    text += fmt::format("| {} | {} | {} | {} {} | {} | {} | {} | {} |\n", p.what, p.chip,
                        figure_kind_name(p.kind), value_text(p.published), p.unit,
                        value_text(f.ours), error_text(f), p.source, key_text(p));
  }
  if (!r.complete) return text;
  text += "\n" + means_text("predicted figures without the chart", r.predicted()) + ".\n";
  text += means_text("points of the chart", r.chart()) + ".\n";
  return text;
}

Report report_of(const FidelityRecord& r) {
  Report report;
  report.name = report.kind = "fidelity";
  report.several_chips = true;
  report.title = "Fidelity";
  report.subtitle = "published figures of real chips, and the same on Tern's presets";
  Table table{{{"name"},
               {"figure"},
               {"chip"},
               {"kind"},
               {"published", Column::kNumber},
               {"Tern", Column::kNumber},
               {"unit"},
               {"error", Column::kNumber}},
              {}};
  Json rows = Json::array();
  for (const MeasuredFigure& f : r.figures) {
    const PublishedFigure& p = f.figure;
    const Cell::Tone tone = p.kind == FigureKind::kPredicted ? Cell::kPlain : Cell::kDim;
    table.rows.push_back({{p.id, Cell::kDim},
                          p.what,
                          p.chip,
                          {figure_kind_name(p.kind), tone},
                          value_text(p.published),
                          value_text(f.ours),
                          p.unit,
                          {error_text(f), tone}});
    rows.push_back({{"id", p.id},
                    {"what", p.what},
                    {"chip", p.chip},
                    {"kind", figure_kind_name(p.kind)},
                    {"unit", p.unit},
                    {"published", p.published},
                    {"tern", f.ours},
                    {"error", f.error()},
                    {"chart", p.chart},
                    {"key", p.key},
                    {"source", p.source}});
  }
  report.add(table);
  report.add(Note{
      "input: a key of the preset is this number, or was chosen by it; derived: follows from "
      "documented numbers that are keys; predicted: nothing was chosen by it. Sources and causes: "
      "docs/fidelity.md."});
  const ErrorSummary predicted = r.predicted(), chart = r.chart();
  const auto of = [](const ErrorSummary& s) {
    return Json{{"count", s.count}, {"mean", s.mean}, {"median", s.median}, {"largest", s.largest}};
  };
  if (r.complete) {
    report.add(Lines{
        {"predicted", aim_text("mean error", predicted.mean, kMeanAim), predicted.mean <= kMeanAim},
        {"", aim_text("median", predicted.median, kMedianAim), predicted.median <= kMedianAim},
        {"chart of DMA", aim_text("mean error", chart.mean, kChartAim), chart.mean <= kChartAim}});
  }
  report.how = {r.command, "", "", r.version, "", {}};
  report.data = {{"tern", r.version}, {"figures", rows}};
  if (r.complete) {
    report.data["predicted"] = of(predicted);
    report.data["chart"] = of(chart);
  }
  return report;
}

}  // namespace tern::app
