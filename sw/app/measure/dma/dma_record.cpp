// SPDX-License-Identifier: Apache-2.0
#include "sw/app/measure/dma/dma_record.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sw/app/report/records.h"
#include "sw/app/report/text.h"

namespace tern::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kDefinitions =
    "alone: one transfer on an idle chip, from its trigger to the instruction that waits for +16; "
    "ns/transfer, GB/s: many in flight, time per transfer and rate of a core; formula: "
    "docs/data-movement.md; share: of the practical rate "
    "of the core's 16 engines.";

std::string size_text(std::uint64_t bytes) {
  if (bytes >= (1 << 20) && bytes % (1 << 20) == 0) return fmt::format("{} MiB", bytes >> 20);
  if (bytes >= (1 << 10) && bytes % (1 << 10) == 0) return fmt::format("{} KiB", bytes >> 10);
  return fmt::format("{} B", bytes);
}

std::uint64_t tile_bytes(const DmaRecord& r, const DmaPoint& point) {
  TransferSeries series;
  series.bytes = point.bytes;
  series.engines = r.question.engines;
  return transfer_bytes(series);
}

std::string question_text(const DmaRecord& r) {
  const DmaQuestion& q = r.question;
  const unsigned rows = 8 * q.engines;
  std::string text =
      fmt::format("{}, [{}, {}] bytes over {} engine{}", transfer_path_name(q.path), rows,
                  r.sweep ? "n" : std::to_string(q.bytes), q.engines, q.engines == 1 ? "" : "s");
  if (r.over_element) text += fmt::format(", n = {} bytes", q.bytes);
  if (q.element != 0 && !r.over_element) text += fmt::format(", elements of {} bytes", q.element);
  if (r.sweep) text += fmt::format(", {} in flight", q.in_flight);
  if (q.generators > 1) text += fmt::format(", {} generators in turns", q.generators);
  if (q.cores > 1) text += fmt::format(", {} cores at the same time", q.cores);
  return text;
}

std::string rates_text(const DmaChipResult& chip) {
  return fmt::format("all 16 engines: {:.0f} GB/s practical, {:.0f} theoretical; descriptors by {}",
                     chip.practical_gb_per_s, chip.theoretical_gb_per_s, chip.descriptors);
}

Table points_table(const DmaRecord& r, const DmaChipResult& chip) {
  Table table{columns_of({"bytes/partition", "element", "transfer", "alone us", "alone GB/s",
                          "ns/transfer", "formula", "error", "GB/s", "share"},
                         {}),
              {}};
  for (const DmaPoint& p : chip.points) {
    const bool known = p.formula_ns > 0;
    table.rows.push_back(
        {size_text(p.bytes),
         p.run == p.bytes ? "all" : size_text(p.run),
         size_text(tile_bytes(r, p)),
         fmt::format("{:.3f}", p.alone_ns * 1e-3),
         fmt::format("{:.1f}", p.alone_gb_per_s),
         fmt::format("{:.1f}", p.transfer_ns),
         known ? fmt::format("{:.1f}", p.formula_ns) : "-",
         known ? fmt::format("{:+.1f} %", (p.transfer_ns / p.formula_ns - 1) * 100) : "-",
         fmt::format("{:.1f}", p.gb_per_s),
         {percent_text(p.share), Cell::kPlain, p.share}});
  }
  return table;
}

Table steps_table(const DmaSteps& steps) {
  Table table{{{"ns", Column::kNumber}, {"since last", Column::kNumber}, {"what"}}, {}};
  double before = 0;
  for (const auto& step : steps.steps) {
    table.rows.push_back({fmt::format("{:.1f}", step.ns),
                          {fmt::format("{:+.1f}", step.ns - before), Cell::kDim},
                          step.what});
    before = step.ns;
  }
  return table;
}

Section section_of(const DmaRecord& r, const DmaChipResult& chip) {
  Section section(chip.chip, rates_text(chip));
  if (r.sweep) {
    section.add(points_table(r, chip));
    return section;
  }
  section.add(steps_table(chip.steps));
  section.add(Paragraph{fmt::format(
      "{} bytes in {} pairs, {} packets: {:.1f} GB/s from end to end. "
      "The slowest engine: {:.1f} ns from its first packet's start to "
      "its last one's end.",
      grouped(chip.steps.bytes), grouped(chip.steps.pairs), grouped(chip.steps.packets),
      static_cast<double>(chip.steps.bytes) / chip.steps.end_ns, chip.steps.engine_ns)});
  if (chip.steps.starts > 1) {
    section.add(Paragraph{
        fmt::format("Of {} starts at different moments of the memory's refresh, this one ends in "
                    "the middle; they take from {:.1f} to {:.1f} ns.{}",
                    chip.steps.starts, chip.steps.least_end_ns, chip.steps.most_end_ns,
                    r.trace_path.empty()
                        ? ""
                        : fmt::format(" In the trace, which shows all, it begins at {:.3f} us.",
                                      chip.steps.begin_us))});
  }
  return section;
}

Picture picture_of(const DmaRecord& r) {
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
  return {"dma.svg", "Rates over the size", chart};
}

Json json_of(const DmaRecord& r) {
  Json j = {{"tern", r.version},
            {"path", transfer_path_name(r.question.path)},
            {"sweep", r.sweep},
            {"cores", r.question.cores},
            {"engines", r.question.engines},
            {"generators", r.question.generators}};
  if (r.sweep) {
    j["in_flight"] = r.question.in_flight;
  } else {
    j["bytes_per_partition"] = r.question.bytes;
    j["element_bytes"] = r.question.element == 0 ? r.question.bytes : r.question.element;
  }
  j["chips"] = Json::array();
  for (const DmaChipResult& chip : r.chips) {
    Json x = {{"chip", chip.chip},
              {"descriptors", chip.descriptors},
              {"practical_gb_per_s", chip.practical_gb_per_s},
              {"theoretical_gb_per_s", chip.theoretical_gb_per_s}};
    for (const DmaPoint& p : chip.points) {
      x["points"].push_back({{"bytes_per_partition", p.bytes},
                             {"element_bytes", p.run},
                             {"transfer_bytes", tile_bytes(r, p)},
                             {"alone_ns", p.alone_ns},
                             {"alone_gb_per_s", p.alone_gb_per_s},
                             {"transfer_ns", p.transfer_ns},
                             {"gb_per_s", p.gb_per_s},
                             {"share", p.share}});
      if (p.formula_ns > 0) x["points"].back()["formula_ns"] = p.formula_ns;
    }
    if (!r.sweep) {
      const DmaSteps& s = chip.steps;
      x["bytes"] = s.bytes;
      x["pairs"] = s.pairs;
      x["packets"] = s.packets;
      x["engine_ns"] = s.engine_ns;
      x["end_ns"] = s.end_ns;
      x["starts"] = s.starts;
      x["least_end_ns"] = s.least_end_ns;
      x["most_end_ns"] = s.most_end_ns;
    }
    for (const auto& step : chip.steps.steps)
      x["steps"].push_back({{"ns", step.ns}, {"what", step.what}});
    j["chips"].push_back(x);
  }
  return j;
}

}  // namespace

Report report_of(const DmaRecord& r) {
  Report report;
  report.name = report.kind = "dma";
  report.several_chips = true;
  report.title = "DMA";
  report.subtitle = question_text(r);
  if (r.sweep) report.add(picture_of(r));
  std::string names;
  for (const DmaChipResult& chip : r.chips) {
    names += (names.empty() ? "" : ", ") + chip.chip;
    report.add(section_of(r, chip));
    report.chips.push_back(chip.values);
  }
  if (r.sweep) report.add(Note{kDefinitions});
  report.how = {r.command, "", names, r.version, "", r.overrides};
  if (!r.trace_path.empty())
    report.last_lines.push_back({"trace", r.trace_path + " (open at ui.perfetto.dev)"});
  report.data = json_of(r);
  report.add(records("dma.csv", report.data, {"chips", r.sweep ? "points" : "steps"}));
  return report;
}

}  // namespace tern::app
