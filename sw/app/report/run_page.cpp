// SPDX-License-Identifier: Apache-2.0
#include "sw/app/report/run_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sw/app/report/text.h"
#include "sw/spec/queues.h"

namespace tern::app {
namespace {

constexpr const char* kBoundsNote =
    "A phase is bound by what is busy for 90 % of it, else by latency. Fill: until the first "
    "engine "
    "computes; drain: after the last has. DMA engines: of what 16 of them can move at the "
    "practical "
    "rate.";

constexpr unsigned kStripColumns = 400;
constexpr std::size_t kMaxLines = 15;

std::string percent(double share) {
  return fmt::format("{:.1f} %", share * 100);
}

HtmlCell share_cell(double share) {
  return {percent(share), HtmlCell::kPlain, share};
}

double part_of(double us, double all_us) {
  return all_us > 0 ? us / all_us : 0;
}

// The phase in which engines compute, or the only one.
const PhaseBound* main_phase(const Execution& e) {
  const PhaseBound* longest = nullptr;
  for (const auto& phases : e.phases) {
    for (const PhaseBound& phase : phases) {
      if (longest == nullptr || phase.us > longest->us) longest = &phase;
    }
  }
  return longest;
}

std::vector<HtmlFigure> head_figures(const RunRecord& r) {
  const Execution& e = r.executions.front();
  std::vector<HtmlFigure> figures;
  if (r.accuracy) {
    figures.push_back({fmt::format("{:.2f} %", *r.accuracy * 100), "accuracy",
                       fmt::format("{} of {}", grouped(r.correct), grouped(r.judged))});
  }
  if (!r.output_errors.empty()) {
    const auto worst = std::max_element(r.output_errors.begin(), r.output_errors.end(),
                                        [](const auto& a, const auto& b) {
                                          return a.largest / a.tolerance < b.largest / b.tolerance;
                                        });
    figures.push_back({fmt::format("{:.2g}", worst->largest), "largest error",
                       fmt::format("against FP64, tolerance {:.2g}", worst->tolerance)});
  } else if (r.error_rms_fp64) {
    figures.push_back({fmt::format("{:.2g}", *r.error_rms_fp64), "rms error", "against FP64"});
  }
  std::uint64_t words = 0, wrong = 0;
  for (const Comparison& c : r.comparisons) {
    words += c.words;
    wrong += c.mismatches;
  }
  if (words > 0) {
    figures.push_back({wrong == 0 ? "bit-exact" : grouped(wrong) + " words differ", "bits",
                       fmt::format("{} words compared", grouped(words))});
  }
  figures.push_back({time_text(e.simulated_us), "simulated time",
                     fmt::format("and {} of host copies", time_text(e.copy_us))});
  if (e.macs > 0) {
    figures.push_back(
        {percent(e.utilisation()), "tensor utilisation",
         fmt::format("{} cycles at {} GHz", grouped(e.tensor_cycles), e.tensor_clock_ghz)});
    figures.push_back(
        {fmt::format("{:.1f}", part_of(2e-6 * static_cast<double>(e.macs), e.simulated_us)),
         "TFLOP/s", fmt::format("{} multiply-adds", grouped(e.macs))});
  }
  if (const PhaseBound* phase = main_phase(e)) {
    const std::size_t colon = phase->bound.find(": ");
    figures.push_back({phase->bound.substr(0, colon), "bound by",
                       colon == std::string::npos ? phase->name : phase->bound.substr(colon + 2)});
  }
  figures.push_back({fmt::format("{:.2f} s", e.wall_s), "simulated in", "on this host"});
  return figures;
}

void add_verdict(const RunRecord& r, HtmlPage* page) {
  page->section("What was checked");
  std::vector<HtmlRow> rows;
  for (const RecordLine& line : record_lines(r)) {
    if (!line.ok && line.label != "against FP64") continue;
    HtmlCell verdict = {""};
    if (line.ok)
      verdict = {*line.ok ? "ok" : "FAILED", *line.ok ? HtmlCell::kGood : HtmlCell::kBad};
    rows.push_back({line.label, line.value, verdict});
  }
  page->table({{"check"}, {"result"}, {"verdict"}}, rows);
}

void add_executions(const RunRecord& r, HtmlPage* page) {
  page->section("Simulator", "Host seconds depend on the machine and its load.");
  std::vector<HtmlRow> rows;
  for (const Execution& e : r.executions) {
    rows.push_back({fmt::format("core {}, {}", e.core, e.label()), time_text(e.simulated_us),
                    grouped(e.tensor_cycles), grouped(e.rtl_cycles),
                    fmt::format("{:.2f}", e.rtl_cycles > 0 ? e.rtl_wall_s : 0),
                    fmt::format("{:.2f}", e.wall_s)});
  }
  page->table({{"execution"},
               {"simulated", HtmlColumn::kNumber},
               {"tensor cycles", HtmlColumn::kNumber},
               {"RTL cycles", HtmlColumn::kNumber},
               {"in RTL, s", HtmlColumn::kNumber},
               {"all, s", HtmlColumn::kNumber}},
              rows);
}

void add_cost(const RunRecord& r, HtmlPage* page) {
  if (r.cost.empty()) return;
  page->section("Cost model",
                "The time that each resource needs at least, beside the simulated one.");
  const double us = r.executions.front().simulated_us;
  std::vector<HtmlRow> rows;
  for (const kernels::CostLine& c : r.cost)
    rows.push_back({c.resource,
                    time_text(c.microseconds),
                    share_cell(part_of(c.microseconds, us)),
                    {c.formula, HtmlCell::kDim}});
  page->table({{"resource"},
               {"at least", HtmlColumn::kNumber},
               {"of the simulated", HtmlColumn::kNumber},
               {"formula"}},
              rows);
}

}  // namespace

void add_timeline(const trace::SpanLog& log, const TimelinePicture& picture, HtmlPage* page) {
  page->section("Timeline", "Height: the part of its time that an engine works.");
  std::vector<HtmlLane> lanes;
  for (TimelineLane& lane : timeline_lanes(log, picture, kStripColumns))
    lanes.push_back({lane.label, percent(lane.busy), std::move(lane.part)});
  page->lanes(lanes, time_text(static_cast<double>(picture.end_fs - picture.begin_fs) * 1e-9));
  page->folded_picture("The whole timeline, with a stretch instruction by instruction",
                       timeline_svg(log, picture));
}

void add_phases(const std::vector<PhaseBound>& phases, HtmlPage* page) {
  std::vector<HtmlColumn> columns = {{""}};
  HtmlRow time = {"time"}, bound = {"bound by"}, moving = {"only transfers"},
          nothing = {"nothing under way"};
  std::vector<std::pair<std::string, double>> resources;  // with their time, the busiest first
  for (const PhaseBound& phase : phases) {
    columns.push_back({phase.name, HtmlColumn::kNumber});
    time.push_back(fmt::format("{:.2f} us", phase.us));
    bound.push_back(phase.bound);
    moving.push_back(share_cell(phase.only_transfers));
    nothing.push_back(share_cell(phase.nothing));
    for (const ResourceUse& use : phase.uses) {
      auto found = std::find_if(resources.begin(), resources.end(),
                                [&](const auto& r) { return r.first == use.name; });
      if (found == resources.end()) found = resources.insert(found, {use.name, 0});
      found->second += use.share * phase.us;
    }
  }
  std::stable_sort(resources.begin(), resources.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<HtmlRow> rows = {time, bound};
  for (const auto& resource : resources) {
    const std::string& name = resource.first;
    HtmlRow row = {name};
    for (const PhaseBound& phase : phases) {
      const auto use = std::find_if(phase.uses.begin(), phase.uses.end(),
                                    [&](const ResourceUse& u) { return u.name == name; });
      row.push_back(share_cell(use == phase.uses.end() ? 0 : use->share));
    }
    rows.push_back(row);
  }
  rows.push_back(moving);
  rows.push_back(nothing);
  page->table(columns, rows);
}

void add_engines(const std::vector<EngineUse>& engines, double simulated_us, HtmlPage* page) {
  std::vector<HtmlRow> rows;
  for (const EngineUse& use : engines) {
    rows.push_back({use.name, grouped(use.instructions), time_text(use.busy_us),
                    share_cell(part_of(use.busy_us, simulated_us))});
  }
  page->table({{"engine"},
               {"instructions", HtmlColumn::kNumber},
               {"busy", HtmlColumn::kNumber},
               {"share", HtmlColumn::kNumber}},
              rows);
}

void add_parts(const std::vector<ProfilePart>& parts, double simulated_us, HtmlPage* page) {
  if (parts.empty()) return;
  page->section(
      "Parts of the program",
      "From the first to the last instruction of a part; parts overlap where the program is a "
      "pipeline. Shares are of the whole program's time.");
  std::vector<HtmlColumn> columns = {{"part"},
                                     {"from us", HtmlColumn::kNumber},
                                     {"to us", HtmlColumn::kNumber},
                                     {"instructions", HtmlColumn::kNumber}};
  std::vector<const char*> engines;
  for (const char* engine : kQueueNames) {
    const auto works = [&](const ProfilePart& p) { return p.busy_us.count(engine) != 0; };
    if (std::any_of(parts.begin(), parts.end(), works)) engines.push_back(engine);
  }
  for (const char* engine : engines) columns.push_back({engine, HtmlColumn::kNumber});
  columns.push_back({"busiest"});
  std::vector<HtmlRow> rows;
  for (const ProfilePart& part : parts) {
    HtmlRow row = {part.name, fmt::format("{:.2f}", part.begin_us),
                   fmt::format("{:.2f}", part.end_us), grouped(part.instructions)};
    for (const char* engine : engines) {
      const auto busy = part.busy_us.find(engine);
      row.push_back(
          share_cell(busy == part.busy_us.end() ? 0 : part_of(busy->second, simulated_us)));
    }
    row.push_back(part.busiest());
    rows.push_back(row);
  }
  page->table(columns, rows);
}

void add_lines(const std::vector<ProfileLine>& lines, double simulated_us, HtmlPage* page) {
  if (lines.empty()) return;
  page->section("Lines of the kernel",
                fmt::format("Those that keep an engine busy for longest, {} of {}.",
                            std::min(kMaxLines, lines.size()), lines.size()));
  const bool parted =
      std::any_of(lines.begin(), lines.end(), [](const ProfileLine& l) { return !l.part.empty(); });
  std::vector<HtmlColumn> columns = {{"written by"},
                                     {"engine"},
                                     {"instructions", HtmlColumn::kNumber},
                                     {"busy", HtmlColumn::kNumber},
                                     {"share", HtmlColumn::kNumber}};
  if (parted) columns.insert(columns.begin() + 1, {"part"});
  std::vector<HtmlRow> rows;
  for (std::size_t i = 0; i < std::min(kMaxLines, lines.size()); ++i) {
    const ProfileLine& line = lines[i];
    HtmlRow row = {line.source, line.engine, grouped(line.instructions), time_text(line.busy_us),
                   share_cell(part_of(line.busy_us, simulated_us))};
    if (parted) row.insert(row.begin() + 1, {line.part, HtmlCell::kDim});
    rows.push_back(row);
  }
  page->table(columns, rows);
}

void add_memory(const MemoryUse& use, double simulated_us, HtmlPage* page) {
  const auto rate = [&](std::uint64_t bytes) {
    return fmt::format("{:.1f}", part_of(1e-3 * static_cast<double>(bytes), simulated_us));
  };
  const auto size = [](std::uint64_t bytes) { return bytes_text(static_cast<double>(bytes)); };
  page->section("Memory and DMA",
                "While the program ran; instructions and descriptors are fetched from HBM, too.");
  page->table({{""}, {"bytes", HtmlColumn::kNumber}, {"GB/s", HtmlColumn::kNumber}, {""}},
              {{"HBM, read", size(use.hbm_read_bytes), rate(use.hbm_read_bytes), ""},
               {"HBM, written", size(use.hbm_write_bytes), rate(use.hbm_write_bytes), ""},
               {"moved by DMA engines",
                size(use.dma_bytes),
                rate(use.dma_bytes),
                {fmt::format("{} descriptors in {} packets", grouped(use.dma_descriptors),
                             grouped(use.dma_packets)),
                 HtmlCell::kDim}}});
  const std::uint64_t rows = use.row_hits + use.row_misses + use.row_conflicts;
  if (rows > 0) {
    page->note(fmt::format(
        "HBM rows: {} of {} accesses hit an open row, {} found the bank closed, "
        "{} another row open; {} refreshes.",
        percent(static_cast<double>(use.row_hits) / static_cast<double>(rows)), grouped(rows),
        grouped(use.row_misses), grouped(use.row_conflicts), grouped(use.refreshes)));
  }
}

void add_program(const ProgramRecord& program, HtmlPage* page) {
  page->section("One program in detail", program.title);
  add_timeline(*program.log, {program.title, program.begin_fs, program.end_fs}, page);
  page->section("What bounds it", kBoundsNote);
  add_phases(program.phases, page);
  add_parts(program.parts, program.us(), page);
  add_lines(program.lines, program.us(), page);
}

std::string run_page(const RunRecord& r, const trace::SpanLog* log) {
  const Execution& e = r.executions.front();
  HtmlPage page(r.workload, fmt::format("{} on {}, core {}, tensor engine: {}", r.description,
                                        r.chip, e.core, e.label()));
  page.verdict(r.passed());
  page.figures(head_figures(r));
  add_verdict(r, &page);
  if (log != nullptr && e.end_fs > e.begin_fs) {
    const std::string title = fmt::format("{}: {} on {}", r.workload, r.description, r.chip);
    add_timeline(*log, {title, e.begin_fs, e.end_fs}, &page);
  }
  page.section("What bounds it", kBoundsNote);
  for (const auto& phases : e.phases) add_phases(phases, &page);
  add_parts(r.parts, e.simulated_us, &page);
  page.section("Engines", "Busy: at least one instruction in execution, semaphore waits excluded.");
  add_engines(e.engines, e.simulated_us, &page);
  add_lines(r.lines, e.simulated_us, &page);
  add_memory(e.memory, e.simulated_us, &page);
  add_cost(r, &page);
  add_executions(r, &page);
  page.how_it_ran({r.command, r.workload_path, r.chip, r.version, std::to_string(r.seed)});
  return page.html();
}

}  // namespace tern::app
