// SPDX-License-Identifier: Apache-2.0
#include "sw/app/nki/kernel_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "sw/app/nki/source_text.h"
#include "sw/app/report/execution.h"
#include "sw/app/report/program_sections.h"
#include "sw/app/report/records.h"
#include "sw/app/report/text.h"
#include "sw/app/report/version.h"
#include "sw/spec/queues.h"

namespace tern::app {

namespace {

constexpr std::size_t kShownLines = 40;

bool is_control(const std::string& name) {
  return name == "nop" || name == "halt" || name == "extend";
}

// What the queues executed, and the time with an instruction of theirs in execution.
std::vector<EngineUse> engines_of(const KernelRecord& r, const trace::SpanLog& log,
                                  const std::string& more = "") {
  std::vector<EngineUse> engines;
  for (const char* queue : kQueueNames) {
    EngineUse use;
    use.name = queue + more;
    std::vector<trace::SpanLog::Entry> entries;
    if (const auto lane = log.lanes().find(queue); lane != log.lanes().end())
      entries = lane->second;
    std::sort(entries.begin(), entries.end(),
              [](const auto& a, const auto& b) { return a.begin_fs < b.begin_fs; });
    std::uint64_t busy_fs = 0, end_fs = 0;
    for (const trace::SpanLog::Entry& entry : entries) {
      if (is_control(log.names()[entry.name]) || entry.begin_fs < r.begin_fs) continue;
      ++use.instructions;
      const std::uint64_t begin = std::max(entry.begin_fs, end_fs);
      if (entry.end_fs() > begin) busy_fs += entry.end_fs() - begin;
      end_fs = std::max(end_fs, entry.end_fs());
    }
    use.busy_us = static_cast<double>(busy_fs) * 1e-9;
    engines.push_back(use);
  }
  return engines;
}

Cell share_cell(double busy_us, double all_us) {
  const double share = all_us > 0 ? busy_us / all_us : 0;
  return {percent_text(share), Cell::kPlain, share};
}

Figures figures_of(const KernelRecord& r, const std::vector<EngineUse>& engines) {
  std::uint64_t instructions = 0;
  const EngineUse* busiest = nullptr;
  for (const EngineUse& use : engines) {
    instructions += use.instructions;
    if (busiest == nullptr || use.busy_us > busiest->busy_us) busiest = &use;
  }
  Figures figures = {{time_text(r.us()), "latency", "from the start of the kernel to its end"},
                     {grouped(instructions), "instructions", ""}};
  if (busiest != nullptr)
    figures.push_back({busiest->name, "busiest engine",
                       percent_text(r.us() > 0 ? busiest->busy_us / r.us() : 0)});
  return figures;
}

Section lines_section(const KernelRecord& r, SourceText* text) {
  Section section("Lines of the kernel",
                  fmt::format("Those that keep an engine busy for longest, {} of {}; a transfer "
                              "counts as the time of its start.",
                              std::min(kShownLines, r.lines.size()), r.lines.size()));
  std::vector<Row> rows;
  for (std::size_t i = 0; i < std::min(kShownLines, r.lines.size()); ++i) {
    const ProfileLine& line = r.lines[i];
    const SourcePlace place = place_of(line.source);
    const std::string file = std::filesystem::path(place.file).filename().string();
    rows.push_back({fmt::format("{}:{}", file, place.line),
                    line.engine,
                    grouped(line.instructions),
                    time_text(line.busy_us),
                    share_cell(line.busy_us, r.us()),
                    {text->at(place), Cell::kDim}});
  }
  section.add(Table{{{"line"},
                     {"engine"},
                     {"instructions", Column::kNumber},
                     {"busy", Column::kNumber},
                     {"of the kernel", Column::kNumber},
                     {"source"}},
                    rows});
  return section;
}

nlohmann::ordered_json data_of(const KernelRecord& r, const std::vector<EngineUse>& engines,
                               SourceText* text) {
  nlohmann::ordered_json data = {
      {"tern", kVersion}, {"kernel", r.kernel}, {"chip", r.chip}, {"latency_us", r.us()}};
  data["engines"] = nlohmann::ordered_json::array();
  for (const EngineUse& use : engines) {
    data["engines"].push_back(
        {{"engine", use.name}, {"instructions", use.instructions}, {"busy_us", use.busy_us}});
  }
  data["phases"] = nlohmann::ordered_json::array();
  for (const PhaseBound& phase : r.phases) {
    nlohmann::ordered_json shares = nlohmann::ordered_json::object();
    for (const ResourceUse& use : phase.uses) shares[use.name] = use.share;
    data["phases"].push_back({{"name", phase.name},
                              {"us", phase.us},
                              {"bound", phase.bound},
                              {"shares", shares},
                              {"only_transfers", phase.only_transfers},
                              {"nothing", phase.nothing}});
  }
  data["lines"] = nlohmann::ordered_json::array();
  for (const ProfileLine& line : r.lines) {
    const SourcePlace place = place_of(line.source);
    data["lines"].push_back({{"file", place.file},
                             {"line", place.line},
                             {"engine", line.engine},
                             {"instructions", line.instructions},
                             {"busy_us", line.busy_us},
                             {"source", text->at(place)}});
  }
  return data;
}

// Every instruction and transfer.
DataFile spans_of(const std::vector<nki::RunSpan>& spans) {
  DataFile file{"instructions.csv",
                {{{"lane"},
                  {"instruction"},
                  {"begin_ns", Column::kNumber},
                  {"end_ns", Column::kNumber},
                  {"source"}},
                 {}}};
  const auto ns = [](std::uint64_t fs) {
    return fmt::format("{:.3f}", static_cast<double>(fs) * 1e-6);
  };
  for (const nki::RunSpan& span : spans) {
    if (is_control(span.name)) continue;
    file.table.rows.push_back(
        {span.lane, span.name, ns(span.begin_fs), ns(span.end_fs), span.source});
  }
  return file;
}

}  // namespace

Report kernel_report(const KernelRecord& r, const trace::SpanLog& log,
                     const trace::SpanLog& second) {
  SourceText text;
  std::vector<EngineUse> engines = engines_of(r, log);
  for (const EngineUse& use : engines_of(r, second, " of core 1")) {
    if (use.instructions > 0) engines.push_back(use);
  }
  Report report;
  report.kind = "nki";
  report.title = r.kernel;
  report.subtitle = fmt::format("kernel in Python on {}", r.chip);
  report.how = {r.command, "", r.chip, kVersion, "", r.overrides};
  report.chips = {chip_values(r.chip, r.overrides)};
  report.add(figures_of(r, engines));
  report.add(
      timeline_section(log, {fmt::format("{} on {}", r.kernel, r.chip), r.begin_fs, r.end_fs}));
  Section bounds = bounds_section();
  bounds.add(phases_table(r.phases));
  report.add(bounds);
  Section section("Engines");
  section.add(engines_table(engines, r.us()));
  report.add(section);
  report.add(lines_section(r, &text));
  report.data = data_of(r, engines, &text);
  report.add(records("engines.csv", report.data, {"engines"}));
  report.add(records("lines.csv", report.data, {"lines"}));
  report.add(spans_of(r.spans));
  return report;
}

}  // namespace tern::app
