// SPDX-License-Identifier: Apache-2.0
#include "sw/app/report/run_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sw/app/report/energy_section.h"
#include "sw/app/report/program_sections.h"
#include "sw/app/report/records.h"
#include "sw/app/report/text.h"
#include "sw/base/text.h"

namespace tern::app {
namespace {

using Json = nlohmann::ordered_json;

// "a = b": a number of every execution.
template <typename Text>
std::string equation(const RunRecord& r, bool equal, const Text& text_of) {
  std::string text;
  for (const Execution& e : r.executions) {
    text += fmt::format("{}{} {}",
                        text.empty() ? ""
                        : equal      ? " = "
                                     : " != ",
                        e.label(), text_of(e));
  }
  return text;
}

// A unit of the Vector engine against its model's formula; `what`: of its cycles.
void add_unit(const RunRecord& r, const std::string Execution::*backend, RtlWork Execution::*unit,
              const std::string& what, Lines* lines) {
  bool asked = false, worked = false;
  for (const Execution& e : r.executions) {
    asked |= e.*backend != "model";
    const RtlWork& work = e.*unit;
    if (work.cycles == 0) continue;
    worked = true;
    const bool equal = work.cycles == work.model_cycles;
    lines->push_back({"cycle-exact",
                      fmt::format("{} {} {} model {} {} cycles", e.label(), grouped(work.cycles),
                                  equal ? "=" : "!=", grouped(work.model_cycles), what),
                      equal});
  }
  if (asked && !worked) lines->push_back({"cycle-exact", fmt::format("no {} work", what)});
}

// What the executions have in common besides their bits.
void add_twins(const RunRecord& r, Lines* lines) {
  const bool work = std::any_of(r.executions.begin(), r.executions.end(),
                                [](const Execution& e) { return e.tensor_cycles > 0; });
  const bool asked = std::any_of(r.executions.begin(), r.executions.end(),
                                 [](const Execution& e) { return e.backend != "model"; });
  const bool board = std::any_of(r.executions.begin(), r.executions.end(),
                                 [](const Execution& e) { return e.backend == "fpga"; });
  if (board) {
    lines->push_back({"cycles", "products on the board; the times here are the modelled chip's"});
  } else if (work) {
    const auto cycles = [](const Execution& e) { return grouped(e.tensor_cycles); };
    lines->push_back(
        {"cycle-exact", equation(r, r.cycles_agree, cycles) + " tensor cycles", r.cycles_agree});
  } else if (asked) {
    lines->push_back({"cycle-exact", "no tensor work"});
  }
  add_unit(r, &Execution::exp_backend, &Execution::exp_rtl, "exponential", lines);
  add_unit(r, &Execution::mx_backend, &Execution::mx_rtl, "MX conversion", lines);
  const auto nanoseconds = [](const Execution& e) {
    return fmt::format("{:.3f}", static_cast<double>(e.duration_fs()) * 1e-6);
  };
  lines->push_back({"time-exact", equation(r, r.times_agree, nanoseconds) + " ns", r.times_agree});
}

constexpr const char* kEnginesNote =
    "Busy: at least one instruction in execution, waits for semaphores excluded; the share is of "
    "the "
    "whole program's time. Tensor utilisation: columns streamed per cycle of the tensor engine, "
    "from "
    "its first command to its last status.";

double part_of(double us, double all_us) {
  return all_us > 0 ? us / all_us : 0;
}

const kernels::CostLine& bounding_cost(const std::vector<kernels::CostLine>& cost) {
  return *std::max_element(cost.begin(), cost.end(), [](const auto& a, const auto& b) {
    return a.microseconds < b.microseconds;
  });
}

Lines lines_of(const RunRecord& r) {
  Lines lines;
  if (r.accuracy) {
    std::string text = fmt::format("{:.2f} % ({} of {})", *r.accuracy * 100, grouped(r.correct),
                                   grouped(r.judged));
    if (r.accuracy_expected)
      text += fmt::format(", at least {:.2f} % expected", *r.accuracy_expected * 100);
    lines.push_back(
        {"accuracy", text,
         r.accuracy_expected ? std::optional(*r.accuracy >= *r.accuracy_expected) : std::nullopt});
  }
  for (const Comparison& c : r.comparisons) lines.push_back(line_of(c));
  if (r.executions.size() > 1) add_twins(r, &lines);
  if (r.error_expected) {
    lines.push_back(
        {"expected output",
         fmt::format("largest error {:.3g}, tolerance {:.3g}", *r.error_expected, r.tolerance),
         *r.error_expected <= r.tolerance});
  }
  for (const kernels::OutputError& o : r.output_errors) {
    lines.push_back({"against FP64",
                     fmt::format("{}: largest error {:.3g} at {}, tolerance {:.3g}; rms {:.3g}",
                                 o.name, o.largest, o.place, o.tolerance, o.rms),
                     o.within()});
  }
  if (r.error_rms_fp64) {
    std::string text = fmt::format("rms relative error {:.3g}", *r.error_rms_fp64);
    if (r.error_worst_fp64) text += fmt::format(", largest {:.3g}", *r.error_worst_fp64);
    if (r.not_finite > 0) {
      text += fmt::format("; {} NaN or infinite in FP64, and here",
                          base::counted(r.not_finite, "result"));
    }
    lines.push_back({"against FP64", text});
  }
  const Execution& e = r.executions.front();
  lines.push_back({"simulated time", fmt::format("{} on the core, {} of host copies",
                                                 time_text(e.simulated_us), time_text(e.copy_us))});
  for (const auto& phases : e.phases) {
    // One line each, so that none exceeds a terminal's width.
    for (const PhaseBound& phase : phases) {
      const bool first = &phase == &phases.front();
      lines.push_back({first ? "bound by" : "", bound_text(phase)});
    }
  }
  lines.push_back({"energy", energy_text(e.all_energy())});
  if (!r.cost.empty()) {
    const kernels::CostLine& bound = bounding_cost(r.cost);
    lines.push_back(
        {"cost model", fmt::format("{} alone needs at least {}; simulated: {:.2f} times that",
                                   bound.resource, time_text(bound.microseconds),
                                   e.simulated_us / std::max(bound.microseconds, 1e-9))});
    std::string busy;
    for (const EngineUse& u : e.engines) {
      if (u.instructions == 0) continue;
      busy += fmt::format("{}{} {:.1f} %", busy.empty() ? "" : ", ", u.name,
                          e.simulated_us > 0 ? 100 * u.busy_us / e.simulated_us : 0);
    }
    lines.push_back({"busy", busy});
  }
  if (e.tensor_cycles == 0) {
    lines.push_back({"tensor engine", "no work"});
  } else {
    lines.push_back(
        {"tensor engine",
         fmt::format("{} cycles at {} GHz, utilisation {:.1f} %, {} MACs", grouped(e.tensor_cycles),
                     e.tensor_clock_ghz, e.utilisation() * 100, grouped(e.macs))});
    // Utilisation counts from the engine's first command to its last status, MFU the whole time.
    lines.push_back({"", fmt::format("utilisation: columns per cycle of its work; MFU {:.1f} %: "
                                     "MACs over {:.1f} TFLOPS",
                                     e.mfu() * 100, 2e-12 * e.peak_macs_per_s())});
  }
  if (e.rtl_cycles > 0) {
    lines.push_back({"simulator speed",
                     fmt::format("Verilated RTL {} cycles in {:.2f} s = {} cycles/s, {:.0f} M "
                                 "MAC/s; whole run {:.2f} s",
                                 grouped(e.rtl_cycles), e.rtl_wall_s,
                                 grouped(static_cast<std::uint64_t>(
                                     static_cast<double>(e.rtl_cycles) / e.rtl_wall_s)),
                                 static_cast<double>(e.macs) * 1e-6 / e.rtl_wall_s, e.wall_s)});
  } else {
    lines.push_back({"simulator speed",
                     fmt::format("{:.2f} s for {} of simulated time, {:.0f} M MAC/s", e.wall_s,
                                 time_text(e.simulated_us + e.copy_us),
                                 static_cast<double>(e.macs) * 1e-6 / std::max(e.wall_s, 1e-9))});
  }
  const auto add_speed = [&lines](const char* title, const RtlWork& work) {
    if (work.results == 0) return;
    lines.push_back({title, fmt::format("Verilated RTL {} results in {:.3f} s = {:.0f} M results/s",
                                        grouped(work.results), work.seconds,
                                        static_cast<double>(work.results) * 1e-6 / work.seconds)});
  };
  add_speed("exponentials", e.exp_rtl);
  add_speed("MX conversions", e.mx_rtl);
  if (e.near_memory_rtl_beats > 0) {
    lines.push_back({"near-memory adders", fmt::format("Verilated RTL, {} beats of 64 bytes",
                                                       grouped(e.near_memory_rtl_beats))});
  }
  if (e.dma_rtl_cycles > 0) {
    lines.push_back(
        {"DMA engines", fmt::format("Verilated RTL, {} cycles", grouped(e.dma_rtl_cycles))});
  }
  if (!r.wave_hint.empty()) lines.push_back({"waveform", r.wave_hint});
  return lines;
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

Figures head_figures(const RunRecord& r) {
  const Execution& e = r.executions.front();
  Figures figures;
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
    figures.push_back({percent_text(e.utilisation()), "tensor utilisation",
                       fmt::format("columns / {} cycles at {} GHz", grouped(e.tensor_cycles),
                                   e.tensor_clock_ghz)});
    figures.push_back(
        {fmt::format("{:.1f}", part_of(2e-6 * static_cast<double>(e.macs), e.simulated_us)),
         "TFLOP/s", fmt::format("{} multiply-adds", grouped(e.macs))});
  }
  if (const PhaseBound* phase = main_phase(e)) {
    const std::size_t colon = phase->bound.find(": ");
    const ResourceUse most = phase->uses.empty() ? ResourceUse() : phase->uses.front();
    figures.push_back(
        {phase->bound.substr(0, colon), fmt::format("bounds the phase \"{}\"", phase->name),
         colon == std::string::npos ? fmt::format("{} {} of {:.2f} us", share_name(most.name),
                                                  percent_text(most.share), phase->us)
                                    : phase->bound.substr(colon + 2)});
  }
  figures.push_back({fmt::format("{:.2f} s", e.wall_s), "simulated in", "on this host"});
  return figures;
}

Section engines_section(const RunRecord& r) {
  Section section("Engines", kEnginesNote, Section::kFiles);
  for (const Execution& e : r.executions) {
    if (r.executions.size() > 1) section.add(Paragraph{"tensor engine: " + e.label()});
    section.add(engines_table(e.engines, e.simulated_us));
  }
  return section;
}

Section cost_section(const RunRecord& r) {
  Section section("Cost model",
                  "Computed, not measured: the minimum time of each resource alone, from the "
                  "formula. What the run waited for is in \"What bounds each phase\".",
                  Section::kFiles);
  const double us = r.executions.front().simulated_us;
  Table table{{{"resource"},
               {"at least", Column::kNumber},
               {"of the simulated", Column::kNumber},
               {"formula"}},
              {}};
  for (const kernels::CostLine& c : r.cost) {
    const double share = part_of(c.microseconds, us);
    table.rows.push_back({c.resource,
                          time_text(c.microseconds),
                          {percent_text(share), Cell::kPlain, share},
                          {c.formula, Cell::kDim}});
  }
  section.add(table);
  return section;
}

Section simulator_section(const RunRecord& r) {
  Section section("Simulator", "Host seconds depend on the machine and its load.", Section::kFiles);
  Table table{
      columns_of({"execution", "simulated", "tensor cycles", "RTL cycles", "in RTL, s", "all, s"},
                 {0}),
      {}};
  for (const Execution& e : r.executions) {
    table.rows.push_back({fmt::format("core {}, {}", e.core, e.label()), time_text(e.simulated_us),
                          grouped(e.tensor_cycles), grouped(e.rtl_cycles),
                          fmt::format("{:.2f}", e.rtl_cycles > 0 ? e.rtl_wall_s : 0),
                          fmt::format("{:.2f}", e.wall_s)});
  }
  section.add(table);
  return section;
}

Json json_of(const Execution& e) {
  Json x = {{"core", e.core},
            {"backend", e.backend},
            {"exp_backend", e.exp_backend},
            {"mx_backend", e.mx_backend},
            {"near_memory_backend", e.near_memory_backend},
            {"dma_backend", e.dma_backend},
            {"simulated_us", e.simulated_us},
            {"copy_us", e.copy_us},
            {"wall_s", e.wall_s},
            {"tensor_clock_ghz", e.tensor_clock_ghz},
            {"tensor_cycles", e.tensor_cycles},
            {"tensor_columns", e.tensor_columns},
            {"tensor_utilisation", e.utilisation()},
            {"mfu", e.mfu()},
            {"macs", e.macs},
            {"rtl_cycles", e.rtl_cycles},
            {"rtl_wall_s", e.rtl_wall_s},
            {"exp_rtl_results", e.exp_rtl.results},
            {"exp_rtl_cycles", e.exp_rtl.cycles},
            {"exp_model_cycles", e.exp_rtl.model_cycles},
            {"exp_rtl_wall_s", e.exp_rtl.seconds},
            {"mx_rtl_results", e.mx_rtl.results},
            {"mx_rtl_cycles", e.mx_rtl.cycles},
            {"mx_model_cycles", e.mx_rtl.model_cycles},
            {"mx_rtl_wall_s", e.mx_rtl.seconds},
            {"near_memory_rtl_beats", e.near_memory_rtl_beats},
            {"dma_rtl_cycles", e.dma_rtl_cycles}};
  x["memory"] = {{"dma_bytes", e.memory.dma_bytes},
                 {"dma_descriptors", e.memory.dma_descriptors},
                 {"dma_packets", e.memory.dma_packets},
                 {"hbm_read_bytes", e.memory.hbm_read_bytes},
                 {"hbm_write_bytes", e.memory.hbm_write_bytes},
                 {"row_hits", e.memory.row_hits},
                 {"row_misses", e.memory.row_misses},
                 {"row_conflicts", e.memory.row_conflicts},
                 {"refreshes", e.memory.refreshes}};
  x["engines"] = Json::array();
  for (const auto& u : e.engines) {
    x["engines"].push_back(
        {{"name", u.name}, {"instructions", u.instructions}, {"busy_us", u.busy_us}});
  }
  x["energy"] = json_of(e.all_energy());
  x["phases"] = Json::array();
  for (const auto& phases : e.phases) {
    for (const PhaseBound& p : phases) {
      Json y = {{"name", p.name},
                {"us", p.us},
                {"bound", p.bound},
                {"only_transfers", p.only_transfers},
                {"nothing", p.nothing}};
      for (const ResourceUse& use : p.uses) y["busy"][use.name] = use.share;
      x["phases"].push_back(y);
    }
  }
  return x;
}

void add_data(const RunRecord& r, Json* data) {
  Json& j = *data;
  j["seed"] = r.seed;
  if (r.accuracy) {
    j["accuracy"] = *r.accuracy;
    j["correct"] = r.correct;
    j["judged"] = r.judged;
  }
  if (r.accuracy_expected) j["accuracy_expected"] = *r.accuracy_expected;
  if (r.error_expected) {
    j["error_expected"] = *r.error_expected;
    j["tolerance"] = r.tolerance;
  }
  if (r.error_rms_fp64) j["error_rms_fp64"] = *r.error_rms_fp64;
  if (r.error_worst_fp64) j["error_worst_fp64"] = *r.error_worst_fp64;
  if (r.not_finite > 0) j["not_finite"] = r.not_finite;
  for (const kernels::OutputError& o : r.output_errors) {
    j["outputs"].push_back({{"name", o.name},
                            {"largest_error", o.largest},
                            {"rms_error", o.rms},
                            {"tolerance", o.tolerance},
                            {"place", o.place}});
  }
  for (const kernels::CostLine& c : r.cost) {
    j["cost"].push_back(
        {{"resource", c.resource}, {"microseconds", c.microseconds}, {"formula", c.formula}});
  }
  j["cycles_agree"] = r.cycles_agree;
  j["times_agree"] = r.times_agree;
  j["comparisons"] = Json::array();
  for (const Comparison& c : r.comparisons) j["comparisons"].push_back(json_of(c));
  j["executions"] = Json::array();
  for (const Execution& e : r.executions) j["executions"].push_back(json_of(e));
  for (const ProfilePart& p : r.parts) {
    j["parts"].push_back({{"name", p.name},
                          {"begin_us", p.begin_us},
                          {"end_us", p.end_us},
                          {"instructions", p.instructions},
                          {"busy_us", p.busy_us}});
  }
  for (const ProfileLine& l : r.lines) {
    j["lines"].push_back({{"source", l.source},
                          {"part", l.part},
                          {"engine", l.engine},
                          {"instructions", l.instructions},
                          {"busy_us", l.busy_us}});
  }
  if (!r.report_path.empty()) j["report"] = r.report_path;
  if (!r.timeline_path.empty()) j["timeline"] = r.timeline_path;
  if (!r.trace_path.empty()) j["trace"] = r.trace_path;
  if (!r.wave_path.empty()) j["wave"] = r.wave_path;
  add_written(r, &j);
}

}  // namespace

bool RunRecord::passed() const {
  const bool bits = std::all_of(comparisons.begin(), comparisons.end(),
                                [](const Comparison& c) { return c.mismatches == 0; });
  const bool errors = std::all_of(output_errors.begin(), output_errors.end(),
                                  [](const kernels::OutputError& o) { return o.within(); });
  return bits && errors && cycles_agree && times_agree &&
         (!accuracy || !accuracy_expected || *accuracy >= *accuracy_expected) &&
         (!error_expected || *error_expected <= tolerance);
}

Report report_of(const RunRecord& r, const trace::SpanLog* log) {
  const Execution& e = r.executions.front();
  Report report =
      make_report(r, r.passed(), fmt::format(", core {}, tensor engine: {}", e.core, e.label()));
  if (!r.timeline_path.empty())
    report.last_lines.insert(report.last_lines.begin(), {"timeline", r.timeline_path});
  report.add(head_figures(r));
  report.add(lines_of(r));
  if (const Lines lines = lines_of(r.management, r.faults); !lines.empty()) report.add(lines);
  if (log != nullptr && e.end_fs > e.begin_fs) {
    const std::string title = fmt::format("{}: {} on {}", r.workload, r.description, r.chip);
    report.add(timeline_section(*log, {title, e.begin_fs, e.end_fs}));
  }
  Section bounds = bounds_section();
  for (const auto& phases : e.phases) bounds.add(phases_table(phases));
  report.add(bounds);
  report.add(energy_section(e.all_energy()));
  report.add(engines_section(r));
  add_profile(r.parts, r.lines, e.simulated_us, &report);
  report.add(memory_section(e.memory, e.simulated_us));
  if (!r.cost.empty()) report.add(cost_section(r));
  report.add(simulator_section(r));
  add_data(r, &report.data);
  add_data(r.management, r.faults, &report.data);
  const Json& first = report.data["executions"][0];
  report.add(records("engines.csv", first, {"engines"}));
  report.add(records("phases.csv", first, {"phases"}));
  if (!r.parts.empty()) report.add(records("parts.csv", report.data, {"parts"}));
  if (!r.lines.empty()) report.add(records("lines.csv", report.data, {"lines"}));
  return report;
}

}  // namespace tern::app
