// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/sweep/sweep_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sw/app/report/chart_svg.h"
#include "sw/app/report/html_page.h"
#include "sw/app/report/run_page.h"
#include "sw/app/report/style.h"
#include "sw/app/report/text.h"

namespace tern::app {
namespace {

constexpr const char* kDefinitions =
    "load: operands HBM -> SBUF. run: the product from SBUF, its result stored to HBM. cycles: "
    "tensor\n"
    "engine, first command to last status. of peak: multiplications per cycle against the mode's "
    "most.\n"
    "speed-up: work per tensor cycle against bf16; sparse formats count the dense product, quad "
    "its four.\n"
    "errors: against FP64, relative to the rms of the result; sparse: of the pruned matrix.";

// Titles and cells of the table, the same in the terminal and in Markdown.
const std::vector<std::string>& titles() {
  static const std::vector<std::string> kTitles = {
      "format",   "mode",     "cycles",    "load us",   "run us",          "of peak",
      "speed-up", "HBM read", "rms error", "max error", "bits = reference"};
  return kTitles;
}

std::vector<std::string> cells(const SweepRow& row) {
  if (!row.refused.empty()) return {row.format, row.mode};
  std::string bits = row.mismatches == 0
                         ? "yes"
                         : fmt::format("NO: {} of {}", grouped(row.mismatches), grouped(row.words));
  if (row.model_cycles) {
    const bool same = row.model_mismatches == 0 && *row.model_cycles == row.tensor_cycles;
    bits += same ? ", = model" : fmt::format(", NOT model ({} cycles)", grouped(*row.model_cycles));
  }
  return {row.format,
          row.mode,
          grouped(row.tensor_cycles),
          row.load_us ? fmt::format("{:.2f}", *row.load_us) : "in run",
          fmt::format("{:.2f}", row.run_us),
          fmt::format("{:.1f} %", row.peak_share * 100),
          row.speed_up ? fmt::format("{:.2f}", *row.speed_up) : "-",
          fmt::format("{:.2f} MB", static_cast<double>(row.hbm_bytes_read) * 1e-6),
          fmt::format("{:.1e}", row.rms_error),
          fmt::format("{:.1e}", row.max_error),
          bits};
}

bool is_text_column(std::size_t column) {
  return column < 2 || column + 1 == titles().size();
}

}  // namespace

bool SweepRecord::passed() const {
  const bool any = std::any_of(rows.begin(), rows.end(),
                               [](const SweepRow& row) { return row.refused.empty(); });
  return any && std::all_of(rows.begin(), rows.end(), [](const SweepRow& row) {
           return !row.refused.empty() || row.passed();
         });
}

std::string sweep_text(const SweepRecord& r, bool colour) {
  const Style style(colour);
  std::vector<std::size_t> widths;
  for (const auto& title : titles()) widths.push_back(title.size());
  for (const auto& row : r.rows) {
    const auto text = cells(row);
    for (std::size_t c = 0; c < text.size(); ++c) widths[c] = std::max(widths[c], text[c].size());
  }
  const auto line = [&](const std::vector<std::string>& text) {
    std::string out = " ";
    for (std::size_t c = 0; c < text.size(); ++c) {
      out += is_text_column(c) ? fmt::format(" {:<{}} ", text[c], widths[c])
                               : fmt::format(" {:>{}} ", text[c], widths[c]);
    }
    return out.substr(0, out.find_last_not_of(' ') + 1);
  };
  std::string out = fmt::format("\n{}: {} on {}, core 0, tensor engine: {} at {} GHz\n\n",
                                r.workload, r.description, r.chip, r.backend, r.tensor_clock_ghz);
  out += fmt::format("{}{}{}\n", style.dim, line(titles()), style.off);
  for (const auto& row : r.rows) {
    if (!row.refused.empty()) {
      out += fmt::format("{}  {:<{}}  {:<{}}  {}{}\n", style.dim, row.format, widths[0], row.mode,
                         widths[1], row.refused, style.off);
      continue;
    }
    out += fmt::format("{}{}{}\n", row.passed() ? "" : style.bad, line(cells(row)), style.off);
    if (!row.first_difference.empty()) out += fmt::format("      {}\n", row.first_difference);
  }
  out += fmt::format("\n{}{}{}\n", style.dim, kDefinitions, style.off);
  return out + paths_text(r.report_path, r.trace_path, r.wave_path) +
         verdict_line(r.passed(), style);
}

std::string sweep_json(const SweepRecord& r) {
  using Json = nlohmann::ordered_json;
  Json j = header_json(r, r.passed());
  j.update(Json{{"seed", r.seed},
                {"m", r.m},
                {"k", r.k},
                {"n", r.n},
                {"backend", r.backend},
                {"tensor_clock_ghz", r.tensor_clock_ghz}});
  j["rows"] = Json::array();
  for (const auto& row : r.rows) {
    Json x = {{"format", row.format}, {"mode", row.mode}};
    if (!row.refused.empty()) {
      x["refused"] = row.refused;
      j["rows"].push_back(x);
      continue;
    }
    x["passed"] = row.passed();
    x["tensor_cycles"] = row.tensor_cycles;
    if (row.load_us) x["load_us"] = *row.load_us;
    x["run_us"] = row.run_us;
    x["peak_share"] = row.peak_share;
    if (row.speed_up) x["speed_up"] = *row.speed_up;
    x["hbm_bytes_read"] = row.hbm_bytes_read;
    x["rms_error"] = row.rms_error;
    x["max_error"] = row.max_error;
    x["words"] = row.words;
    x["mismatches"] = row.mismatches;
    if (!row.first_difference.empty()) x["first_difference"] = row.first_difference;
    if (row.model_cycles) {
      x["model_cycles"] = *row.model_cycles;
      x["model_mismatches"] = row.model_mismatches;
    }
    x["wall_s"] = row.wall_s;
    for (const auto& phases : row.phases) {
      for (const PhaseBound& p : phases)
        x["phases"].push_back({{"name", p.name}, {"us", p.us}, {"bound", p.bound}});
    }
    j["rows"].push_back(x);
  }
  for (const auto& [key, path] :
       {std::pair("report", &r.report_path), {"trace", &r.trace_path}, {"wave", &r.wave_path}}) {
    if (!path->empty()) j[key] = *path;
  }
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string sweep_markdown(const SweepRecord& r) {
  const auto line = [](const std::vector<std::string>& text) {
    std::string out = "|";
    for (const auto& cell : text) out += " " + cell + " |";
    return out + "\n";
  };
  std::string out = fmt::format("# {}: {}\n\n{} on `{}`, tensor engine: {} at {} GHz; {}\n\n",
                                r.workload, r.passed() ? "passed" : "FAILED", r.description, r.chip,
                                r.backend, r.tensor_clock_ghz, r.command);
  out += line(titles()) + "|";
  for (std::size_t c = 0; c < titles().size(); ++c) out += is_text_column(c) ? "---|" : "---:|";
  out += "\n";
  for (const auto& row : r.rows) {
    auto text = cells(row);
    if (!row.refused.empty()) {
      text.resize(titles().size(), "");
      text.back() = row.refused;
    }
    out += line(text);
  }
  out +=
      fmt::format("\n{}\n\n## What bounds each phase\n\nThe product's program, or the only one:\n",
                  kDefinitions);
  for (const auto& row : r.rows) {
    if (!row.phases.empty())
      out += fmt::format("\n{}:\n\n{}", row.format, bounds_markdown(row.phases.back()));
  }
  return out;
}

std::string sweep_page(const SweepRecord& r) {
  HtmlPage page(r.workload, fmt::format("{} on {}, core 0, tensor engine: {} at {} GHz",
                                        r.description, r.chip, r.backend, r.tensor_clock_ghz));
  page.verdict(r.passed());
  std::vector<HtmlFigure> figures;
  const SweepRow* fastest = nullptr;
  std::size_t ran = 0;
  for (const SweepRow& row : r.rows) {
    if (!row.refused.empty()) continue;
    ++ran;
    if (row.speed_up && (fastest == nullptr || *row.speed_up > *fastest->speed_up)) fastest = &row;
  }
  figures.push_back({std::to_string(ran), "formats", fmt::format("of {} ran", r.rows.size())});
  if (fastest != nullptr) {
    figures.push_back(
        {fmt::format("{:.2f}", *fastest->speed_up), "largest speed-up over bf16", fastest->format});
  }
  page.figures(figures);
  page.section("Formats");
  std::vector<HtmlColumn> columns;
  for (std::size_t c = 0; c < titles().size(); ++c)
    columns.push_back({titles()[c], is_text_column(c) ? HtmlColumn::kText : HtmlColumn::kNumber});
  std::vector<HtmlRow> rows;
  for (const SweepRow& row : r.rows) {
    HtmlRow cell_row;
    for (const std::string& text : cells(row)) cell_row.emplace_back(text);
    if (!row.refused.empty()) {
      cell_row.push_back({row.refused, HtmlCell::kDim});
    } else {
      cell_row.back().tone = row.passed() ? HtmlCell::kGood : HtmlCell::kBad;
      if (!row.first_difference.empty()) cell_row.back().text += "; first: " + row.first_difference;
    }
    rows.push_back(cell_row);
  }
  page.table(columns, rows);
  page.note(kDefinitions);
  BarChart speed{
      "speed-up over bf16", "work per tensor cycle over that of bf16", {}, {{"speed-up", {}}}};
  for (const SweepRow& row : r.rows) {
    if (!row.speed_up) continue;
    speed.groups.push_back(row.format);
    speed.series[0].y.push_back(*row.speed_up);
  }
  if (!speed.groups.empty()) page.picture(bar_charts_svg({speed}));
  page.section("What bounds each phase", "Of the product's program, or the only one.");
  for (const SweepRow& row : r.rows) {
    if (row.phases.empty()) continue;
    page.paragraph(row.format);
    add_phases(row.phases.back(), &page);
  }
  page.how_it_ran({r.command, r.workload_path, r.chip, r.version, std::to_string(r.seed)});
  return page.html();
}

}  // namespace tern::app
