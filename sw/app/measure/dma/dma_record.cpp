// SPDX-License-Identifier: Apache-2.0
#include "sw/app/measure/dma/dma_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sw/app/report/chart_svg.h"
#include "sw/app/report/html_page.h"
#include "sw/app/report/style.h"
#include "sw/app/report/text.h"

namespace tern::app {
namespace {

constexpr const char* kDefinitions =
    "alone: one transfer on an idle chip, from its trigger to the instruction that waits for +16; "
    "ns/transfer, GB/s: many in flight, time per transfer and rate of a core; formula: "
    "docs/data-movement.md; share: of the practical rate "
    "of the core's 16 engines.";

const std::vector<std::string> kTitles = {
    "bytes/partition", "element", "transfer", "alone us", "alone GB/s",
    "ns/transfer",     "formula", "error",    "GB/s",     "share"};

std::string size_text(std::uint64_t bytes) {
  if (bytes >= (1 << 20) && bytes % (1 << 20) == 0) return fmt::format("{} MiB", bytes >> 20);
  if (bytes >= (1 << 10) && bytes % (1 << 10) == 0) return fmt::format("{} KiB", bytes >> 10);
  return fmt::format("{} B", bytes);
}

std::uint64_t tile_bytes(const DmaPoint& point) {
  TransferSeries series;
  series.bytes = point.bytes;
  return transfer_bytes(series);
}

std::vector<std::string> cells(const DmaPoint& p) {
  return {
      size_text(p.bytes),
      p.run == p.bytes ? "all" : size_text(p.run),
      size_text(tile_bytes(p)),
      fmt::format("{:.3f}", p.alone_ns * 1e-3),
      fmt::format("{:.1f}", p.alone_gb_per_s),
      fmt::format("{:.1f}", p.transfer_ns),
      p.formula_ns > 0 ? fmt::format("{:.1f}", p.formula_ns) : "-",
      p.formula_ns > 0 ? fmt::format("{:+.1f} %", (p.transfer_ns / p.formula_ns - 1) * 100) : "-",
      fmt::format("{:.1f}", p.gb_per_s),
      fmt::format("{:.1f} %", p.share * 100)};
}

std::string row_text(const std::vector<std::string>& row) {
  std::string out;
  for (std::size_t c = 0; c < row.size(); ++c)
    out += fmt::format("  {:>{}}", row[c], std::max<std::size_t>(kTitles[c].size(), 8));
  return out + "\n";
}

std::string question_text(const DmaRecord& r) {
  const DmaQuestion& q = r.question;
  std::string text = fmt::format("{}, [128, n] tiles over 16 engines", transfer_path_name(q.path));
  if (!r.sweep) text = fmt::format("{}, [128, {}] bytes", transfer_path_name(q.path), q.bytes);
  if (r.over_element) text += fmt::format(", n = {} bytes", q.bytes);
  if (q.element != 0 && !r.over_element) text += fmt::format(", elements of {} bytes", q.element);
  if (r.sweep) text += fmt::format(", {} in flight", q.in_flight);
  if (q.cores > 1) text += fmt::format(", {} cores at the same time", q.cores);
  return text;
}

std::string rates_text(const DmaChipResult& chip) {
  return fmt::format("16 engines: {:.0f} GB/s practical, {:.0f} theoretical",
                     chip.practical_gb_per_s, chip.theoretical_gb_per_s);
}

}  // namespace

std::string dma_text(const DmaRecord& r, bool colour) {
  const Style style(colour);
  std::string out;
  for (const DmaChipResult& chip : r.chips) {
    out += fmt::format("\n{}: {}; {}\n\n", chip.chip, question_text(r), rates_text(chip));
    if (!r.sweep) {
      for (std::size_t i = 0; i < chip.steps.steps.size(); ++i) {
        const auto& step = chip.steps.steps[i];
        const double before = i == 0 ? 0 : chip.steps.steps[i - 1].ns;
        out += fmt::format("  {:>9.1f} ns {}{:>+10.1f}{}  {}\n", step.ns, style.dim,
                           step.ns - before, style.off, step.what);
      }
      out += fmt::format("\n  {} bytes in {} pairs, {} packets: {:.1f} GB/s from end to end\n",
                         grouped(chip.steps.bytes), grouped(chip.steps.pairs),
                         grouped(chip.steps.packets),
                         static_cast<double>(chip.steps.bytes) / chip.steps.end_ns);
      continue;
    }
    out += fmt::format("{}{}{}", style.dim, row_text(kTitles), style.off);
    for (const DmaPoint& point : chip.points) out += row_text(cells(point));
  }
  if (r.sweep) out += fmt::format("\n{}{}{}\n", style.dim, kDefinitions, style.off);
  if (!r.report_path.empty()) out += fmt::format("  {:<10} {}\n", "report", r.report_path);
  if (!r.trace_path.empty())
    out += fmt::format("  {:<10} {} (open at ui.perfetto.dev)\n", "trace", r.trace_path);
  return out;
}

std::string dma_json(const DmaRecord& r) {
  using Json = nlohmann::ordered_json;
  Json j = {{"tern", r.version},
            {"path", transfer_path_name(r.question.path)},
            {"sweep", r.sweep},
            {"in_flight", r.question.in_flight},
            {"cores", r.question.cores}};
  j["chips"] = Json::array();
  for (const DmaChipResult& chip : r.chips) {
    Json x = {{"chip", chip.chip},
              {"practical_gb_per_s", chip.practical_gb_per_s},
              {"theoretical_gb_per_s", chip.theoretical_gb_per_s}};
    for (const DmaPoint& p : chip.points) {
      x["points"].push_back({{"bytes_per_partition", p.bytes},
                             {"element_bytes", p.run},
                             {"transfer_bytes", tile_bytes(p)},
                             {"alone_ns", p.alone_ns},
                             {"alone_gb_per_s", p.alone_gb_per_s},
                             {"transfer_ns", p.transfer_ns},
                             {"gb_per_s", p.gb_per_s},
                             {"share", p.share}});
      if (p.formula_ns > 0) x["points"].back()["formula_ns"] = p.formula_ns;
    }
    for (const auto& step : chip.steps.steps)
      x["steps"].push_back({{"ns", step.ns}, {"what", step.what}});
    j["chips"].push_back(x);
  }
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string dma_markdown(const DmaRecord& r) {
  std::string out = fmt::format("# DMA: {}\n\n`{}`\n", question_text(r), r.command);
  const auto line = [](const std::vector<std::string>& row) {
    std::string text = "|";
    for (const auto& cell : row) text += " " + cell + " |";
    return text + "\n";
  };
  for (const DmaChipResult& chip : r.chips) {
    out += fmt::format("\n## {}\n\n{}\n\n", chip.chip, rates_text(chip));
    if (!r.sweep) {
      out += "| ns | what |\n|---:|---|\n";
      for (const auto& step : chip.steps.steps)
        out += fmt::format("| {:.1f} | {} |\n", step.ns, step.what);
      continue;
    }
    out += line(kTitles) + "|";
    for (std::size_t c = 0; c < kTitles.size(); ++c) out += "---:|";
    out += "\n";
    for (const DmaPoint& point : chip.points) out += line(cells(point));
  }
  if (r.sweep) out += fmt::format("\n{}\n\n![rates](dma.svg)\n", kDefinitions);
  return out;
}

std::string dma_csv(const DmaRecord& r) {
  std::string out =
      "chip,bytes_per_partition,element_bytes,transfer_bytes,alone_ns,alone_gb_per_s,transfer_ns,"
      "gb_per_s,share,formula_ns\n";
  for (const DmaChipResult& chip : r.chips) {
    for (const DmaPoint& p : chip.points) {
      out += fmt::format("{},{},{},{},{:.3f},{:.3f},{:.3f},{:.3f},{:.5f},{:.3f}\n", chip.chip,
                         p.bytes, p.run, tile_bytes(p), p.alone_ns, p.alone_gb_per_s, p.transfer_ns,
                         p.gb_per_s, p.share, p.formula_ns);
    }
  }
  return out;
}

std::string dma_svg(const DmaRecord& r) {
  LineChart chart;
  chart.title = question_text(r);
  chart.x_label = r.over_element ? "bytes of a contiguous element" : "bytes per partition";
  chart.y_label = "GB/s of one core";
  for (const DmaChipResult& chip : r.chips) {
    LineChart::Series sustained{chip.chip + ", many in flight", {}, {}};
    LineChart::Series alone{chip.chip + ", one alone", {}, {}};
    for (const DmaPoint& p : chip.points) {
      const double x = r.over_element ? p.run : p.bytes;
      sustained.x.push_back(x);
      sustained.y.push_back(p.gb_per_s);
      alone.x.push_back(x);
      alone.y.push_back(p.alone_gb_per_s);
    }
    chart.series.push_back(sustained);
    chart.series.push_back(alone);
    chart.levels.push_back({fmt::format("{} practical {:.0f}", chip.chip, chip.practical_gb_per_s),
                            chip.practical_gb_per_s});
  }
  return line_chart_svg(chart);
}

std::string dma_page(const DmaRecord& r) {
  HtmlPage page("DMA", question_text(r));
  if (r.sweep) page.picture(dma_svg(r));
  std::string names;
  for (const DmaChipResult& chip : r.chips) {
    names += (names.empty() ? "" : ", ") + chip.chip;
    page.section(chip.chip, rates_text(chip));
    std::vector<HtmlRow> rows;
    if (!r.sweep) {
      for (const auto& step : chip.steps.steps)
        rows.push_back({fmt::format("{:.1f}", step.ns), step.what});
      page.table({{"ns", HtmlColumn::kNumber}, {"what"}}, rows);
      continue;
    }
    std::vector<HtmlColumn> columns;
    for (const std::string& title : kTitles) columns.push_back({title, HtmlColumn::kNumber});
    for (const DmaPoint& point : chip.points) {
      const auto texts = cells(point);
      rows.emplace_back(texts.begin(), texts.end());
      rows.back().back().bar = point.share;
    }
    page.table(columns, rows);
  }
  if (r.sweep) page.note(kDefinitions);
  page.how_it_ran({r.command, "", names, r.version, ""});
  return page.html();
}

}  // namespace tern::app
