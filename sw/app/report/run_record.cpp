// SPDX-License-Identifier: Apache-2.0
#include "sw/app/report/run_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sw/app/report/style.h"
#include "sw/app/report/text.h"

namespace tern::app {
namespace {

const kernels::CostLine& bounding_cost(const std::vector<kernels::CostLine>& cost) {
  return *std::max_element(cost.begin(), cost.end(), [](const auto& a, const auto& b) {
    return a.microseconds < b.microseconds;
  });
}

}  // namespace

std::vector<RecordLine> record_lines(const RunRecord& r) {
  std::vector<RecordLine> lines;
  if (r.accuracy) {
    std::string text = fmt::format("{:.2f} % ({} of {})", *r.accuracy * 100, grouped(r.correct),
                                   grouped(r.judged));
    if (r.accuracy_expected)
      text += fmt::format(", at least {:.2f} % expected", *r.accuracy_expected * 100);
    lines.push_back(
        {"accuracy", text,
         r.accuracy_expected ? std::optional(*r.accuracy >= *r.accuracy_expected) : std::nullopt});
  }
  for (const auto& c : r.comparisons) {
    std::string text = fmt::format("{}: {} of {} words equal", c.what,
                                   grouped(c.words - c.mismatches), grouped(c.words));
    if (c.mismatches > 0) text += "; first: " + c.first_difference;
    lines.push_back({"bit-exact", text, c.mismatches == 0});
  }
  if (r.executions.size() > 1) {
    std::string text;
    for (const auto& e : r.executions) {
      text += fmt::format("{}{} {}",
                          text.empty()     ? ""
                          : r.cycles_agree ? " = "
                                           : " != ",
                          e.label(), grouped(e.tensor_cycles));
    }
    lines.push_back({"cycle-exact", text + " tensor cycles", r.cycles_agree});
  }
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
    lines.push_back({"against FP64", fmt::format("rms relative error {:.3g}", *r.error_rms_fp64),
                     std::nullopt});
  }
  const Execution& e = r.executions.front();
  lines.push_back({"simulated time",
                   fmt::format("{} on the core, {} of host copies", time_text(e.simulated_us),
                               time_text(e.copy_us)),
                   std::nullopt});
  for (const auto& phases : e.phases)
    lines.push_back({"bound by", bounds_text(phases), std::nullopt});
  if (!r.cost.empty()) {
    const kernels::CostLine& bound = bounding_cost(r.cost);
    lines.push_back({"cost model",
                     fmt::format("at least {}, bound by {}; simulated: {:.2f} times that",
                                 time_text(bound.microseconds), bound.resource,
                                 e.simulated_us / std::max(bound.microseconds, 1e-9)),
                     std::nullopt});
    std::string busy;
    for (const EngineUse& u : e.engines) {
      if (u.instructions == 0) continue;
      busy += fmt::format("{}{} {:.1f} %", busy.empty() ? "" : ", ", u.name,
                          e.simulated_us > 0 ? 100 * u.busy_us / e.simulated_us : 0);
    }
    lines.push_back({"busy", busy, std::nullopt});
  }
  lines.push_back(
      {"tensor engine",
       fmt::format("{} cycles at {} GHz, utilisation {:.1f} %, {} MACs", grouped(e.tensor_cycles),
                   e.tensor_clock_ghz, e.utilisation() * 100, grouped(e.macs)),
       std::nullopt});
  if (e.rtl_cycles > 0) {
    lines.push_back({"simulator speed",
                     fmt::format("Verilated RTL {} cycles in {:.2f} s = {} cycles/s, {:.0f} M "
                                 "MAC/s; whole run {:.2f} s",
                                 grouped(e.rtl_cycles), e.rtl_wall_s,
                                 grouped(static_cast<std::uint64_t>(
                                     static_cast<double>(e.rtl_cycles) / e.rtl_wall_s)),
                                 static_cast<double>(e.macs) * 1e-6 / e.rtl_wall_s, e.wall_s),
                     std::nullopt});
  } else {
    lines.push_back({"simulator speed",
                     fmt::format("{:.2f} s for {} of simulated time, {:.0f} M MAC/s", e.wall_s,
                                 time_text(e.simulated_us + e.copy_us),
                                 static_cast<double>(e.macs) * 1e-6 / std::max(e.wall_s, 1e-9)),
                     std::nullopt});
  }
  if (e.exp_rtl_results > 0) {
    lines.push_back({"exponentials",
                     fmt::format("Verilated RTL {} results in {:.3f} s = {:.0f} M results/s",
                                 grouped(e.exp_rtl_results), e.exp_rtl_wall_s,
                                 static_cast<double>(e.exp_rtl_results) * 1e-6 / e.exp_rtl_wall_s),
                     std::nullopt});
  }
  if (e.dma_rtl_cycles > 0) {
    lines.push_back({"DMA engines",
                     fmt::format("Verilated RTL, {} cycles", grouped(e.dma_rtl_cycles)),
                     std::nullopt});
  }
  if (!r.timeline_path.empty()) lines.push_back({"timeline", r.timeline_path, std::nullopt});
  if (!r.report_path.empty()) lines.push_back({"report", r.report_path, std::nullopt});
  if (!r.trace_path.empty())
    lines.push_back({"trace", r.trace_path + " (open at ui.perfetto.dev)", std::nullopt});
  if (!r.wave_path.empty())
    lines.push_back({"waveform", r.wave_path + " (open with gtkwave)", std::nullopt});
  if (!r.wave_hint.empty()) lines.push_back({"waveform", r.wave_hint, std::nullopt});
  return lines;
}

bool RunRecord::passed() const {
  const bool bits = std::all_of(comparisons.begin(), comparisons.end(),
                                [](const Comparison& c) { return c.mismatches == 0; });
  const bool errors = std::all_of(output_errors.begin(), output_errors.end(),
                                  [](const kernels::OutputError& o) { return o.within(); });
  return bits && errors && cycles_agree &&
         (!accuracy || !accuracy_expected || *accuracy >= *accuracy_expected) &&
         (!error_expected || *error_expected <= tolerance);
}

std::string summary_text(const RunRecord& r, bool colour) {
  const Style style(colour);
  std::string out =
      fmt::format("\n{}: {} on {}, core {}, tensor engine: {}\n", r.workload, r.description, r.chip,
                  r.executions.front().core, r.executions.front().label());
  for (const auto& line : record_lines(r)) {
    out += fmt::format("  {:<16} {}", line.label, line.value);
    if (line.ok)
      out += fmt::format("  {}{}{}", *line.ok ? style.good : style.bad, *line.ok ? "ok" : "FAILED",
                         style.off);
    out += "\n";
  }
  out += verdict_line(r.passed(), style);
  return out;
}

std::string record_json(const RunRecord& r) {
  using Json = nlohmann::ordered_json;
  Json j = header_json(r, r.passed());
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
  j["comparisons"] = Json::array();
  for (const auto& c : r.comparisons) {
    j["comparisons"].push_back({{"what", c.what},
                                {"words", c.words},
                                {"mismatches", c.mismatches},
                                {"first_difference", c.first_difference}});
  }
  j["executions"] = Json::array();
  for (const auto& e : r.executions) {
    Json x = {{"core", e.core},
              {"backend", e.backend},
              {"exp_backend", e.exp_backend},
              {"dma_backend", e.dma_backend},
              {"simulated_us", e.simulated_us},
              {"copy_us", e.copy_us},
              {"wall_s", e.wall_s},
              {"tensor_clock_ghz", e.tensor_clock_ghz},
              {"tensor_cycles", e.tensor_cycles},
              {"tensor_columns", e.tensor_columns},
              {"tensor_utilisation", e.utilisation()},
              {"macs", e.macs},
              {"rtl_cycles", e.rtl_cycles},
              {"rtl_wall_s", e.rtl_wall_s},
              {"exp_rtl_results", e.exp_rtl_results},
              {"exp_rtl_wall_s", e.exp_rtl_wall_s},
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
    j["executions"].push_back(x);
  }
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
  for (const auto& [key, path] : {std::pair("report", &r.report_path),
                                  {"timeline", &r.timeline_path},
                                  {"trace", &r.trace_path},
                                  {"wave", &r.wave_path}}) {
    if (!path->empty()) j[key] = *path;
  }
  // File names are bytes, JSON is UTF-8.
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string record_markdown(const RunRecord& r) {
  std::string out =
      fmt::format("# {}: {}\n\n{} on `{}`; {}\n\n| | | |\n|---|---|---|\n", r.workload,
                  r.passed() ? "passed" : "FAILED", r.description, r.chip, r.command);
  for (const auto& line : record_lines(r)) {
    out += fmt::format("| {} | {} | {} |\n", line.label, line.value,
                       line.ok ? (*line.ok ? "ok" : "**FAILED**") : "");
  }
  if (!r.cost.empty()) {
    out +=
        "\n## Cost model\n\n| resource | at least | of the simulated time | formula "
        "|\n|---|---|---|---|\n";
    for (const kernels::CostLine& c : r.cost) {
      out += fmt::format("| {} | {} | {:.1f} % | {} |\n", c.resource, time_text(c.microseconds),
                         100 * c.microseconds / r.executions.front().simulated_us, c.formula);
    }
  }
  if (!r.timeline_path.empty()) out += "\n![timeline](timeline.svg)\n";
  for (const auto& e : r.executions) {
    out += fmt::format(
        "\n## Core {}, tensor engine: {}\n\n{} simulated, {:.2f} s on the host.\n\n"
        "| engine | instructions | busy | share |\n|---|---|---|---|\n",
        e.core, e.label(), time_text(e.simulated_us), e.wall_s);
    for (const auto& u : e.engines) {
      out += fmt::format("| {} | {} | {} | {:.1f} % |\n", u.name, grouped(u.instructions),
                         time_text(u.busy_us),
                         e.simulated_us > 0 ? 100 * u.busy_us / e.simulated_us : 0);
    }
  }
  out += "\n## What bounds each phase\n\n";
  for (const auto& phases : r.executions.front().phases) out += bounds_markdown(phases);
  out +=
      "\nDefinitions: a phase is bound by what is busy for 90 % of it, else by latency; fill: "
      "until "
      "the first engine computes, drain: after the last has; DMA engines: bytes over what 16 of "
      "them "
      "can move at the practical rate; utilisation = moving columns streamed / tensor cycles from "
      "the first command "
      "to the last status; busy = "
      "time with at least one instruction in execution, semaphore waits excluded.\n";
  return out;
}

}  // namespace tern::app
