// SPDX-License-Identifier: Apache-2.0
#include "sw/app/report/program_sections.h"

#include <fmt/format.h>

#include <algorithm>

#include "sw/app/report/energy_section.h"
#include "sw/app/report/text.h"
#include "sw/spec/queues.h"

namespace tern::app {
namespace {

constexpr const char* kBoundsNote =
    "Measured. A phase is bound by what is at 90 % or more in it, else by latency. Fill: until the "
    "first engine computes; drain: after the last has. Busy: at least one instruction in "
    "execution. "
    "Of its rate: bytes moved over what it can move in that time, 16 DMA engines at the practical "
    "rate.";

constexpr unsigned kStripColumns = 400;
constexpr std::size_t kMaxLines = 15;

Cell share_cell(double share) {
  return {percent_text(share), Cell::kPlain, share};
}

double part_of(double us, double all_us) {
  return all_us > 0 ? us / all_us : 0;
}

Section parts_section(const std::vector<ProfilePart>& parts, double simulated_us) {
  Section section(
      "Parts of the program",
      "From the first to the last instruction of a part; parts overlap where the program is a "
      "pipeline. Under an engine: the time that the part keeps it busy, of the whole program's.",
      Section::kFiles);
  std::vector<Column> columns = {{"part"},
                                 {"from us", Column::kNumber},
                                 {"to us", Column::kNumber},
                                 {"instructions", Column::kNumber}};
  std::vector<const char*> engines;
  for (const char* engine : kQueueNames) {
    const auto works = [&](const ProfilePart& p) { return p.busy_us.count(engine) != 0; };
    if (std::any_of(parts.begin(), parts.end(), works)) engines.push_back(engine);
  }
  for (const char* engine : engines) columns.push_back({engine, Column::kNumber});
  columns.push_back({"busiest"});
  std::vector<Row> rows;
  for (const ProfilePart& part : parts) {
    Row row = {part.name, fmt::format("{:.2f}", part.begin_us), fmt::format("{:.2f}", part.end_us),
               grouped(part.instructions)};
    for (const char* engine : engines) {
      const auto busy = part.busy_us.find(engine);
      row.push_back(
          share_cell(busy == part.busy_us.end() ? 0 : part_of(busy->second, simulated_us)));
    }
    row.push_back(part.busiest());
    rows.push_back(row);
  }
  section.add(Table{columns, rows});
  return section;
}

Section lines_section(const std::vector<ProfileLine>& lines, double simulated_us) {
  Section section("Lines of the kernel",
                  fmt::format("Those that keep an engine busy for longest, {} of {}.",
                              std::min(kMaxLines, lines.size()), lines.size()),
                  Section::kFiles);
  const bool parted =
      std::any_of(lines.begin(), lines.end(), [](const ProfileLine& l) { return !l.part.empty(); });
  std::vector<Column> columns = {{"written by"},
                                 {"engine"},
                                 {"instructions", Column::kNumber},
                                 {"busy", Column::kNumber},
                                 {"of the program", Column::kNumber}};
  if (parted) columns.insert(columns.begin() + 1, {"part"});
  std::vector<Row> rows;
  for (std::size_t i = 0; i < std::min(kMaxLines, lines.size()); ++i) {
    const ProfileLine& line = lines[i];
    Row row = {line.source, line.engine, grouped(line.instructions), time_text(line.busy_us),
               share_cell(part_of(line.busy_us, simulated_us))};
    if (parted) row.insert(row.begin() + 1, {line.part, Cell::kDim});
    rows.push_back(row);
  }
  section.add(Table{columns, rows});
  return section;
}

}  // namespace

Section timeline_section(const trace::SpanLog& log, const TimelinePicture& picture, unsigned core) {
  Section section(
      core == 0 ? "Timeline" : fmt::format("Timeline of core {}", core),
      "Height: the part of its time that an engine is busy. DMA: that any of the 16 engines has "
      "a transfer in flight, at whatever rate.",
      Section::kFiles);
  Lanes lanes;
  lanes.axis_end = time_text(static_cast<double>(picture.end_fs - picture.begin_fs) * 1e-9);
  for (TimelineLane& lane : timeline_lanes(log, picture, kStripColumns))
    lanes.lanes.push_back(
        {lane.label, percent_text(lane.busy) + " " + lane_word(lane.label), std::move(lane.part)});
  section.add(lanes);
  section.add(Folded{"The whole timeline, with a stretch instruction by instruction",
                     {Picture{core == 0 ? "timeline.svg" : fmt::format("timeline-core{}.svg", core),
                              "", timeline_svg(log, picture)}}});
  return section;
}

Section bounds_section() {
  return {"What bounds each phase", kBoundsNote, Section::kFiles};
}

Table phases_table(const std::vector<PhaseBound>& phases) {
  std::vector<Column> columns = {{""}};
  Row time = {"time"}, bound = {"bound by"}, moving = {"only transfers"},
      nothing = {"nothing in flight"};
  std::vector<std::pair<std::string, double>> resources;  // with their time, the busiest first
  double all_us = 0, moving_us = 0, nothing_us = 0;
  for (const PhaseBound& phase : phases) {
    columns.push_back({phase.name, Column::kNumber});
    time.push_back(fmt::format("{:.2f} us", phase.us));
    bound.push_back(phase.bound);
    moving.push_back(share_cell(phase.only_transfers));
    nothing.push_back(share_cell(phase.nothing));
    all_us += phase.us;
    moving_us += phase.only_transfers * phase.us;
    nothing_us += phase.nothing * phase.us;
    for (const ResourceUse& use : phase.uses) {
      auto found = std::find_if(resources.begin(), resources.end(),
                                [&](const auto& r) { return r.first == use.name; });
      if (found == resources.end()) found = resources.insert(found, {use.name, 0});
      found->second += use.share * phase.us;
    }
  }
  std::stable_sort(resources.begin(), resources.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  // The same shares as in the timeline and in the table of the engines.
  const bool sum = phases.size() > 1;
  if (sum) {
    columns.push_back({"whole program", Column::kNumber});
    time.push_back(fmt::format("{:.2f} us", all_us));
    bound.push_back("");
    moving.push_back(share_cell(part_of(moving_us, all_us)));
    nothing.push_back(share_cell(part_of(nothing_us, all_us)));
  }
  std::vector<Row> rows = {time, bound};
  for (const auto& resource : resources) {
    const std::string& name = resource.first;
    Row row = {share_name(name)};
    for (const PhaseBound& phase : phases) {
      const auto use = std::find_if(phase.uses.begin(), phase.uses.end(),
                                    [&](const ResourceUse& u) { return u.name == name; });
      row.push_back(share_cell(use == phase.uses.end() ? 0 : use->share));
    }
    if (sum) row.push_back(share_cell(part_of(resource.second, all_us)));
    rows.push_back(row);
  }
  rows.push_back(moving);
  rows.push_back(nothing);
  return {columns, rows};
}

Table engines_table(const std::vector<EngineUse>& engines, double simulated_us) {
  std::vector<Row> rows;
  rows.reserve(engines.size());
  for (const EngineUse& use : engines) {
    rows.push_back({use.name, grouped(use.instructions), time_text(use.busy_us),
                    share_cell(part_of(use.busy_us, simulated_us))});
  }
  return {{{"engine"},
           {"instructions", Column::kNumber},
           {"busy", Column::kNumber},
           {"of the program", Column::kNumber}},
          rows};
}

Section memory_section(const MemoryUse& use, double simulated_us) {
  const auto rate = [&](std::uint64_t bytes) {
    return fmt::format("{:.1f}", part_of(1e-3 * static_cast<double>(bytes), simulated_us));
  };
  const auto size = [](std::uint64_t bytes) { return bytes_text(static_cast<double>(bytes)); };
  Section section("Memory and DMA",
                  "While the program ran; instructions and descriptors are fetched from HBM, too.",
                  Section::kFiles);
  section.add(Table{{{""}, {"bytes", Column::kNumber}, {"GB/s", Column::kNumber}, {""}},
                    {{"HBM, read", size(use.hbm_read_bytes), rate(use.hbm_read_bytes), ""},
                     {"HBM, written", size(use.hbm_write_bytes), rate(use.hbm_write_bytes), ""},
                     {"moved by DMA engines",
                      size(use.dma_bytes),
                      rate(use.dma_bytes),
                      {fmt::format("{} descriptors in {} packets", grouped(use.dma_descriptors),
                                   grouped(use.dma_packets)),
                       Cell::kDim}}}});
  const std::uint64_t rows = use.row_hits + use.row_misses + use.row_conflicts;
  if (rows > 0) {
    section.add(Note{fmt::format(
        "HBM rows: {} of {} accesses hit an open row, {} found the bank closed, "
        "{} another row open; {} refreshes.",
        percent_text(static_cast<double>(use.row_hits) / static_cast<double>(rows)), grouped(rows),
        grouped(use.row_misses), grouped(use.row_conflicts), grouped(use.refreshes))});
  }
  return section;
}

void add_profile(const std::vector<ProfilePart>& parts, const std::vector<ProfileLine>& lines,
                 double simulated_us, Report* report) {
  if (!parts.empty()) report->add(parts_section(parts, simulated_us));
  if (!lines.empty()) report->add(lines_section(lines, simulated_us));
}

void add_program(const ProgramRecord& program, Report* report) {
  report->add(Section("One program in detail", program.title, Section::kFiles));
  report->add(timeline_section(*program.log, {program.title, program.begin_fs, program.end_fs}));
  Section bounds = bounds_section();
  bounds.add(phases_table(program.phases));
  report->add(bounds);
  report->add(energy_section(program.energy));
  add_profile(program.parts, program.lines, program.us(), report);
}

}  // namespace tern::app
