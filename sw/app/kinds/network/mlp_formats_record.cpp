// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/network/mlp_formats_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sw/app/report/records.h"
#include "sw/app/report/text.h"

namespace tern::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kDefinitions =
    "Layer by layer: a product, then bias and function, are programs of the chip; the host rounds "
    "or quantises the operands of each product. products, functions: simulated time on the core. "
    "same answers, rms error: against the network in FP64 with the numbers of the files; the error "
    "of the last layer relative to its rms. bits: results of all layers against the reference.";

std::string bits_text(const MlpFormatRow& row) {
  std::string bits = row.mismatches == 0
                         ? "yes"
                         : fmt::format("NO: {} of {}", grouped(row.mismatches), grouped(row.words));
  if (row.twin) bits += ", " + row.twin->text();
  if (!row.first_difference.empty()) bits += "; first: " + row.first_difference;
  return bits;
}

Table table_of(const MlpFormatsRecord& r) {
  const bool labels = r.accuracy_fp64.has_value();
  const bool expected = std::any_of(r.rows.begin(), r.rows.end(),
                                    [](const MlpFormatRow& row) { return row.error_expected; });
  Table table;
  table.columns = {{"format"}};
  const auto number = [&](const char* name) { table.columns.push_back({name, Column::kNumber}); };
  if (labels) number("accuracy");
  if (labels) number("against FP64");
  number("same answers");
  number("rms error");
  number("products us");
  number("functions us");
  number("tensor cycles");
  if (expected) number("expected output");
  table.columns.push_back({"bits = reference"});
  for (const MlpFormatRow& row : r.rows) {
    if (!row.refused.empty()) {
      table.rows.push_back({row.format, {row.refused, Cell::kDim}});
      continue;
    }
    Row cells = {row.format};
    if (labels) {
      const bool enough = !r.accuracy_expected || *row.accuracy >= *r.accuracy_expected;
      cells.emplace_back(fmt::format("{:.2f} %", *row.accuracy * 100),
                         enough ? Cell::kPlain : Cell::kBad);
      cells.emplace_back(fmt::format("{:+.2f}", (*row.accuracy - *r.accuracy_fp64) * 100));
    }
    cells.emplace_back(fmt::format("{} of {}", grouped(row.same_answers), grouped(r.inputs)));
    cells.emplace_back(fmt::format("{:.1e}", row.rms_error));
    cells.emplace_back(fmt::format("{:.2f}", row.product_us));
    cells.emplace_back(fmt::format("{:.2f}", row.function_us));
    cells.emplace_back(grouped(row.tensor_cycles));
    if (expected) {
      cells.emplace_back(fmt::format("{:.3g}", *row.error_expected),
                         *row.error_expected <= r.tolerance ? Cell::kGood : Cell::kBad);
    }
    cells.emplace_back(bits_text(row), r.passed(row) ? Cell::kGood : Cell::kBad);
    table.rows.push_back(cells);
  }
  return table;
}

Json json_of(const MlpFormatsRecord& r, const MlpFormatRow& row) {
  Json x = {{"format", row.format}};
  if (!row.refused.empty()) {
    x["refused"] = row.refused;
    return x;
  }
  x["passed"] = r.passed(row);
  if (row.accuracy) {
    x["accuracy"] = *row.accuracy;
    x["correct"] = row.correct;
  }
  x["same_answers"] = row.same_answers;
  x["rms_error"] = row.rms_error;
  if (row.not_finite > 0) x["not_finite"] = row.not_finite;
  x["simulated_us"] = row.simulated_us();
  x["product_us"] = row.product_us;
  x["function_us"] = row.function_us;
  x["tensor_cycles"] = row.tensor_cycles;
  x["words"] = row.words;
  x["mismatches"] = row.mismatches;
  if (!row.first_difference.empty()) x["first_difference"] = row.first_difference;
  add_twin(row.twin, &x);
  if (row.error_expected) x["error_expected"] = *row.error_expected;
  x["wall_s"] = row.wall_s;
  return x;
}

Picture picture_of(const MlpFormatsRecord& r) {
  ScatterChart chart;
  chart.title = "error against time";
  chart.x_label = "us on the core, products and functions";
  chart.y_label = "rms error against FP64, over the rms of the last layer";
  for (const MlpFormatRow& row : r.rows) {
    if (row.refused.empty())
      chart.points.push_back({row.format, row.simulated_us(), row.rms_error});
  }
  return {"error.svg", "Left: faster; down: closer to FP64", chart};
}

}  // namespace

bool MlpFormatsRecord::passed(const MlpFormatRow& row) const {
  return row.mismatches == 0 && (!row.twin || row.twin->good()) &&
         (!accuracy_expected || row.accuracy.value_or(0) >= *accuracy_expected) &&
         (!row.error_expected || *row.error_expected <= tolerance);
}

bool MlpFormatsRecord::passed() const {
  const auto ran = [](const MlpFormatRow& row) { return row.refused.empty(); };
  return std::any_of(rows.begin(), rows.end(), ran) &&
         std::all_of(rows.begin(), rows.end(),
                     [&](const MlpFormatRow& row) { return !ran(row) || passed(row); });
}

Report report_of(const MlpFormatsRecord& r) {
  Report report =
      make_report(r, r.passed(), fmt::format(", core {}, tensor engine: {}", r.core, r.backend));
  Lines lines;
  if (r.accuracy_fp64) {
    std::string text = fmt::format("{:.2f} % in FP64 on the host", *r.accuracy_fp64 * 100);
    if (r.accuracy_expected)
      text += fmt::format(", at least {:.2f} % expected of each", *r.accuracy_expected * 100);
    lines.push_back({"accuracy", text});
    report.add(lines);
  }
  Section formats("Formats");
  formats.add(table_of(r));
  formats.add(Note{kDefinitions});
  formats.add(picture_of(r));
  report.add(formats);
  Json& j = report.data;
  j["seed"] = r.seed;
  j["backend"] = r.backend;
  j["inputs"] = r.inputs;
  if (r.accuracy_fp64) j["accuracy_fp64"] = *r.accuracy_fp64;
  if (r.accuracy_expected) j["accuracy_expected"] = *r.accuracy_expected;
  j["rows"] = Json::array();
  for (const MlpFormatRow& row : r.rows) j["rows"].push_back(json_of(r, row));
  report.add(records("formats.csv", j, {"rows"}));
  add_written(r, &j);
  add_paths(r, &j);
  return report;
}

}  // namespace tern::app
