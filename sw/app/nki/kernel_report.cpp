// SPDX-License-Identifier: Apache-2.0
#include "sw/app/nki/kernel_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>
#include <utility>

#include "sw/app/nki/source_text.h"
#include "sw/app/report/energy_section.h"
#include "sw/app/report/execution.h"
#include "sw/app/report/program_sections.h"
#include "sw/app/report/records.h"
#include "sw/app/report/text.h"
#include "sw/app/report/version.h"
#include "sw/spec/queues.h"

namespace tern::app {

namespace {

constexpr std::size_t kShownLines = 40;

// A line of the kernel on one engine.
struct KernelLine {
  nki::SourcePlace place;
  std::string engine;
  std::uint64_t instructions = 0;
  double busy_us = 0;
};

struct Usage {
  std::vector<EngineUse> engines;  // those of core 0, then those of core 1 that did anything
  std::vector<KernelLine> lines;   // the busiest first
};

// What the queues executed, and the time with an instruction of theirs in execution. Where
// instructions overlap, the time is the earlier one's: so lines add up to their engine.
Usage usage_of(const std::vector<nki::RunSpan>& spans) {
  const std::string second = " of core 1";
  std::map<std::string, EngineUse> engines;
  std::map<std::string, std::uint64_t> end_fs;
  std::map<std::tuple<std::string, unsigned, std::string>, KernelLine> lines;
  for (unsigned q = 0; q < kEngineQueues; ++q) {
    const char* queue = kQueueNames[q];
    engines[queue].name = queue;
    engines[queue + second].name = queue + second;
  }
  for (const nki::RunSpan& span : spans) {
    const auto engine = engines.find(span.lane);
    if (engine == engines.end()) continue;
    std::uint64_t& end = end_fs[span.lane];
    const std::uint64_t begin = std::max(span.begin_fs, end);
    end = std::max(end, span.end_fs);
    const double busy_us =
        span.end_fs > begin ? static_cast<double>(span.end_fs - begin) * 1e-9 : 0;
    engine->second.busy_us += busy_us;
    ++engine->second.instructions;
    if (span.source.empty()) continue;
    const nki::SourcePlace place = nki::place_of(span.source);
    KernelLine& line = lines[{place.file, place.line, span.lane}];
    line.place = place;
    line.engine = span.lane;
    ++line.instructions;
    line.busy_us += busy_us;
  }
  Usage usage;
  for (unsigned q = 0; q < kEngineQueues; ++q) usage.engines.push_back(engines[kQueueNames[q]]);
  for (unsigned q = 0; q < kEngineQueues; ++q) {
    const EngineUse& other = engines[kQueueNames[q] + second];
    if (other.instructions > 0) usage.engines.push_back(other);
  }
  for (auto& [key, line] : lines) usage.lines.push_back(std::move(line));
  std::stable_sort(usage.lines.begin(), usage.lines.end(),
                   [](const KernelLine& a, const KernelLine& b) { return a.busy_us > b.busy_us; });
  return usage;
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
  Figures figures = {{time_text(r.us()), "latency",
                      fmt::format("{} before its first instruction and {} after its last",
                                  time_text(r.start_us), time_text(r.end_us))},
                     {grouped(instructions), "instructions executed", "without waits"}};
  if (busiest != nullptr)
    figures.push_back({busiest->name, "busiest engine",
                       percent_text(r.us() > 0 ? busiest->busy_us / r.us() : 0)});
  return figures;
}

Section lines_section(const KernelRecord& r, const std::vector<KernelLine>& lines,
                      SourceText* text) {
  const std::size_t shown = std::min(kShownLines, lines.size());
  Section section("Lines of the kernel",
                  fmt::format("Those that keep an engine busy for longest, {} of {}; a transfer "
                              "counts as the time of its start. Where instructions of an engine "
                              "overlap, the time is that of the earlier one's line.",
                              shown, lines.size()));
  std::vector<Row> rows;
  for (std::size_t i = 0; i < shown; ++i) {
    const KernelLine& line = lines[i];
    const std::string file = std::filesystem::path(line.place.file).filename().string();
    const bool known = line.place.line > 0;  // else what the runtime of two cores adds
    rows.push_back(
        {known ? fmt::format("{}:{}", file, line.place.line) : "-",
         line.engine,
         grouped(line.instructions),
         time_text(line.busy_us),
         share_cell(line.busy_us, r.us()),
         {known ? text->at(line.place) : "start and exchange of the cores", Cell::kDim}});
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

nlohmann::ordered_json data_of(const KernelRecord& r, const Usage& usage, SourceText* text) {
  nlohmann::ordered_json data = {{"tern", kVersion},       {"kernel", r.kernel},
                                 {"chip", r.chip},         {"latency_us", r.us()},
                                 {"start_us", r.start_us}, {"end_us", r.end_us}};
  data["engines"] = nlohmann::ordered_json::array();
  for (const EngineUse& use : usage.engines) {
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
  data["energy"] = json_of(r.energy);
  data["lines"] = nlohmann::ordered_json::array();
  for (const KernelLine& line : usage.lines) {
    data["lines"].push_back({{"file", line.place.file},
                             {"line", line.place.line},
                             {"engine", line.engine},
                             {"instructions", line.instructions},
                             {"busy_us", line.busy_us},
                             {"source", text->at(line.place)}});
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
    file.table.rows.push_back(
        {span.lane, span.name, ns(span.begin_fs), ns(span.end_fs), span.source});
  }
  return file;
}

}  // namespace

bool is_control(std::string_view instruction) {
  return instruction == "nop" || instruction == "halt" || instruction == "extend";
}

Report kernel_report(const KernelRecord& r, const trace::SpanLog& log,
                     const trace::SpanLog& other_log) {
  SourceText text;
  const Usage usage = usage_of(r.spans);
  Report report;
  report.kind = "nki";
  report.title = r.kernel;
  report.subtitle = fmt::format("kernel in Python on {}", r.chip);
  report.how = {r.command, "", r.chip, kVersion, "", r.overrides};
  report.chips = {chip_values(r.chip, r.overrides)};
  report.add(figures_of(r, usage.engines));
  const auto title = fmt::format("{} on {}", r.kernel, r.chip);
  report.add(timeline_section(log, {title, r.begin_fs, r.end_fs}));
  if (usage.engines.size() > kEngineQueues)
    report.add(timeline_section(other_log, {title + ", core 1", r.begin_fs, r.end_fs}, 1));
  Section bounds = bounds_section();
  bounds.add(phases_table(r.phases));
  report.add(bounds);
  report.add(energy_section(r.energy));
  Section section("Engines", "Instructions without waits; busy: at least one in execution.");
  section.add(engines_table(usage.engines, r.us()));
  report.add(section);
  report.add(lines_section(r, usage.lines, &text));
  report.data = data_of(r, usage, &text);
  report.add(records("engines.csv", report.data, {"engines"}));
  report.add(records("lines.csv", report.data, {"lines"}));
  report.add(spans_of(r.spans));
  return report;
}

}  // namespace tern::app
