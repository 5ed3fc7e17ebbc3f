// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/compare_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "sw/app/host/interrupt.h"
#include "sw/app/host/progress.h"
#include "sw/app/kinds/registry.h"
#include "sw/app/report/report_folder.h"
#include "sw/app/report/text.h"
#include "sw/app/report/version.h"
#include "sw/app/report/write_report.h"
#include "sw/base/child_process.h"
#include "sw/base/text.h"
#include "sw/base/user_error.h"

namespace tern::app {
namespace {

using Json = nlohmann::ordered_json;

struct VariantRun {
  Variant variant;
  std::string folder;  // of its report; empty: none
  int exit_code = 0;
  std::string error;  // its line, when there is no report
  Json report;
  ChipValues values = {};
};

void refuse_options(const RunOptions& options, const Kind& kind, const Workload& workload) {
  const auto refuse = [](bool given, const char* option) {
    if (given) throw UserError(fmt::format("{}: of one run, not of several", option));
  };
  refuse(!options.trace.empty(), "--trace");
  refuse(!options.wave.file.empty(), "--wave");
  refuse(options.train.resume, "--resume");
  refuse(!options.train.checkpoint.empty(), "--checkpoint");
  refuse(!options.train.save_chip.empty(), "--save-chip");
  refuse(!options.train.restore_chip.empty(), "--restore-chip");
  refuse(!options.train.time_plan.empty(), "--time-plan");
  refuse(!options.output.empty(), "--output");
  if (!workload.outputs.empty() && options.report.empty()) {
    throw UserError(fmt::format("{}: each run writes its own into its report: add --report DIR",
                                workload.outputs.front().source));
  }
  if (kind.compared.checkpoints && options.report.empty()) {
    throw UserError(fmt::format(
        "kind {}: each run writes a checkpoint into its report: add --report DIR", kind.name));
  }
}

std::vector<std::string> arguments_of(const RunOptions& options, const VariantRun& run) {
  std::vector<std::string> arguments = {base::own_program(), "run", "--chip", run.variant.chip};
  const auto add = [&](const std::string& option, const std::string& value) {
    arguments.push_back(option + "=" + value);
  };
  for (const ConfigOverride& setting : options.overrides) {
    const auto own = std::find_if(run.variant.settings.begin(), run.variant.settings.end(),
                                  [&](const ConfigOverride& s) { return s.key == setting.key; });
    const std::string& value = own == run.variant.settings.end() ? setting.value : own->value;
    add("--set", setting.key + "=" + value);
  }
  if (options.core) add("--core", std::to_string(*options.core));
  for (std::size_t i = 0; i < options.backends.size(); ++i) {
    if (options.backends[i])
      add(fmt::format("--{}", kRtlBlocks[i].name), backend_name(*options.backends[i]));
  }
  for (const std::string& block : options.rtl) add("--rtl", block);
  if (!options.rtl_cores.empty())
    add("--rtl-cores", fmt::format("{}", fmt::join(options.rtl_cores, ",")));
  if (options.rtl_threads > 0) add("--rtl-threads", std::to_string(options.rtl_threads));
  for (const std::string& query : options.queries) add("--query", query);
  const auto add_number = [&](const std::string& option, const std::optional<std::uint64_t>& n) {
    if (n) add(option, std::to_string(*n));
  };
  add_number("--every", options.search.every);
  add_number("--count", options.search.count);
  add_number("--best", options.search.best);
  if (options.search.no_index) arguments.emplace_back("--no-index");
  for (const std::uint64_t step : options.train.rtl_steps) add("--rtl-steps", std::to_string(step));
  add("--seed", std::to_string(options.seed));
  if (!run.folder.empty()) add("--report", run.folder);
  arguments.insert(arguments.end(), {"--json", "--quiet", "--", options.workload});
  return arguments;
}

void execute(const RunOptions& options, const std::atomic<bool>* stop, VariantRun* run) {
  const base::ChildResult child = base::run_child(arguments_of(options, *run), stop);
  run->exit_code = child.exit_code;
  run->report = Json::parse(child.out, nullptr, false);
  if (!run->report.is_object()) {
    run->report = Json::object();
    run->error = child.last_message();
    if (run->error.empty()) run->error = fmt::format("ended with code {}", run->exit_code);
    if (run->exit_code == 0) run->exit_code = 1;
  }
}

void execute_all(const RunOptions& options, const std::atomic<bool>* stop,
                 std::vector<VariantRun>* runs) {
  Progress progress(std::to_string(runs->size()) + " runs", options.quiet);
  std::atomic<std::size_t> next{0};
  std::size_t done = 0;
  std::mutex mutex;
  std::vector<std::thread> workers;
  const std::size_t count =
      std::min<std::size_t>(runs->size(), std::max(1u, std::thread::hardware_concurrency()));
  std::string failure;
  for (std::size_t w = 0; w < count; ++w) {
    workers.emplace_back([&] {
      for (std::size_t i = next++; i < runs->size() && !*stop; i = next++) {
        std::string error;
        try {
          execute(options, stop, &(*runs)[i]);
        } catch (const std::exception& e) {
          error = e.what();
        }
        const std::lock_guard<std::mutex> lock(mutex);
        if (!error.empty()) failure = error;
        progress.update(static_cast<double>(++done) / static_cast<double>(runs->size()),
                        fmt::format("{} of {} runs", done, runs->size()));
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  if (!failure.empty()) throw RunError(failure);
  if (!*stop) return;
  for (VariantRun& run : *runs) {
    if (run.report.is_null()) {
      run.exit_code = 1;
      run.error = "not started";
      run.report = Json::object();
    }
    std::error_code ignored;  // a folder that is not empty stays
    if (!run.folder.empty() && !run.error.empty() && std::filesystem::remove(run.folder, ignored))
      run.folder.clear();
  }
}

std::string text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{:.4g}", value.get<double>());
  return value.is_null() ? "" : value.dump();
}

// A value at a pointer; null if there is none.
Json at(const Json& from, const std::string& pointer) {
  const Json::json_pointer p(pointer);
  return from.contains(p) ? from.at(p) : Json();
}

// The things a run compares: the report itself, or the entries of its list.
std::vector<Json> items_of(const Compared& compared, const Json& report) {
  if (compared.list.empty()) return {report};
  const Json list = at(report, compared.list);
  if (!list.is_array() || list.empty()) return {Json::object()};
  return {list.begin(), list.end()};
}

std::string number_text(const Compared::Number& number, const Json& value) {
  if (!value.is_number()) return "";
  const double x = value.get<double>();
  if (number.percent) return fmt::format("{:.2f} %", x * 100);
  if (value.is_number_integer()) return fmt::format("{}", value.get<std::int64_t>());
  if (number.digits == Compared::kScientific) return fmt::format("{:.1e}", x);
  return fmt::format("{:.{}f}", x, number.digits);
}

// A group for each thing that the runs compare, a colour for each run; a run alone is a group.
void add_bar(const std::string& group, const std::string& series, double value, BarChart* chart) {
  const auto at = [](auto& list, const auto& is) {
    return static_cast<std::size_t>(std::find_if(list.begin(), list.end(), is) - list.begin());
  };
  const std::size_t g = at(chart->groups, [&](const auto& name) { return name == group; });
  const std::size_t s = at(chart->series, [&](const auto& own) { return own.name == series; });
  if (g == chart->groups.size()) chart->groups.push_back(group);
  if (s == chart->series.size()) chart->series.push_back({series, {}});
  for (BarChart::Series& own : chart->series) own.y.resize(chart->groups.size(), std::nan(""));
  chart->series[s].y[g] = value;
}

struct Rows {
  Table table;  // for people
  Table plain;  // the same, numbers as they are: the CSV file
  Json data;    // the same, for programs
  std::vector<BarChart> charts;
  Lines reasons;  // of what did not run
};

Rows rows_of(const Compared& compared, const std::vector<VariantRun>& runs) {
  Rows rows;
  rows.data = Json::array();
  std::vector<std::string> keys;
  for (const ConfigOverride& setting : runs.front().variant.settings) keys.push_back(setting.key);
  std::vector<Column> columns = {{"chip"}};
  for (const std::string& key : keys) columns.push_back({key, Column::kNumber});
  for (const std::string& name : compared.names) columns.push_back({name.substr(1)});
  for (const Compared::Number& number : compared.numbers)
    columns.push_back({number.title, Column::kNumber});
  columns.push_back({"verdict"});
  rows.table.columns = rows.plain.columns = columns;

  const std::size_t many = runs.size();
  for (const Compared::Number& number : compared.numbers) {
    rows.charts.push_back({number.title, number.percent ? "%" : "", {}, {}});
  }
  for (std::size_t i = 0; i < many; ++i) {
    const VariantRun& run = runs[i];
    const bool failed = run.exit_code != 0;
    for (const Json& item : items_of(compared, run.report)) {
      Row row = {run.variant.chip}, plain = {run.variant.chip};
      Json entry = {{"chip", run.variant.chip},
                    {"settings", Json::object()},
                    {"names", Json::object()},
                    {"numbers", Json::object()}};
      std::string label = run.variant.chip, thing;
      for (const ConfigOverride& setting : run.variant.settings) {
        row.emplace_back(setting.value);
        plain.emplace_back(setting.value);
        entry["settings"][setting.key] = setting.value;
        label += (keys.size() == 1 ? " " : ", ") + setting.value;
      }
      for (const std::string& name : compared.names) {
        const Json value = at(item, name);
        row.emplace_back(text_of(value));
        plain.emplace_back(text_of(value));
        entry["names"][name.substr(1)] = text_of(value);
        if (!value.is_null()) thing += (thing.empty() ? "" : " ") + text_of(value);
      }
      for (std::size_t n = 0; n < compared.numbers.size(); ++n) {
        const Compared::Number& number = compared.numbers[n];
        const Json value = at(item, number.pointer);
        row.emplace_back(number_text(number, value));
        plain.emplace_back(value.is_number() ? value.dump() : "");
        if (value.is_number()) entry["numbers"][number.title] = value;
        if (!value.is_number()) continue;
        add_bar(thing.empty() ? label : thing, thing.empty() ? "" : label,
                value.get<double>() * (number.percent ? 100 : 1), &rows.charts[n]);
      }
      const Json refused = at(item, "/refused");  // such a thing of this run, not the run
      const std::string reason = printable(!run.error.empty()  ? run.error
                                           : refused.is_null() ? ""
                                                               : text_of(refused));
      const std::string verdict = failed ? "FAILED" : reason.empty() ? "ok" : "not run";
      row.emplace_back(verdict, failed ? Cell::kBad : reason.empty() ? Cell::kGood : Cell::kDim);
      plain.emplace_back(reason.empty() ? verdict : reason);
      if (!reason.empty()) {
        // Below the table: a long one would push its columns apart.
        const std::string where = thing.empty() ? label : label + ", " + thing;
        rows.reasons.push_back({where, reason, failed ? std::optional(false) : std::nullopt});
      }
      entry["passed"] = !failed;
      if (!reason.empty()) entry[run.error.empty() ? "refused" : "error"] = reason;
      if (!run.folder.empty()) entry["report"] = run.folder;
      rows.table.rows.push_back(row);
      rows.plain.rows.push_back(plain);
      rows.data.push_back(entry);
    }
  }
  const auto empty = [](const BarChart& chart) { return chart.groups.empty(); };
  rows.charts.erase(std::remove_if(rows.charts.begin(), rows.charts.end(), empty),
                    rows.charts.end());
  return rows;
}

Report report_of(const RunOptions& options, const Kind& kind, const Workload& workload,
                 const std::vector<VariantRun>& runs) {
  RunHeader header;
  header.version = kVersion;
  header.kind = kind.name;
  header.overrides = options.overrides;
  header.workload = workload.name;
  header.workload_path = options.workload;
  header.description = fmt::format("kind {}, {} runs", kind.name, runs.size());
  header.command = options.command;
  header.seed = options.seed;
  std::set<std::string> chips;
  for (const VariantRun& run : runs) {
    if (chips.insert(run.variant.chip).second)
      header.chip += (header.chip.empty() ? "" : ", ") + run.variant.chip;
  }
  const bool passed =
      std::all_of(runs.begin(), runs.end(), [](const auto& run) { return run.exit_code == 0; });
  Report report = make_report(header, passed);
  report.several_chips = true;
  for (const VariantRun& run : runs) {
    report.chips.push_back(run.values);
    report.chips.back().settings = run.variant.settings;
  }
  Rows rows = rows_of(workload.compared.value_or(kind.compared), runs);
  Section section("Comparison");
  section.add(rows.table);
  if (!rows.reasons.empty()) section.add(rows.reasons);
  std::string folders;
  for (const VariantRun& run : runs) {
    if (run.folder.empty()) continue;
    if (!folders.empty()) folders += ", ";
    folders += std::filesystem::path(run.folder).filename().string();
  }
  if (!folders.empty())
    section.add(Note{
        "Reports of the runs, in the order of the rows, are beside this one: " + folders + "."});
  if (!rows.charts.empty()) section.add(Picture{"comparison.svg", "", rows.charts});
  report.add(section);
  report.add(DataFile{"comparison.csv", rows.plain});
  report.data["seed"] = options.seed;
  report.data["runs"] = rows.data;
  return report;
}

// Folders of the runs: "1-trn2", "2-trn3".
std::string folder_of(const RunOptions& options, std::size_t number, const Variant& variant) {
  if (options.report.empty()) return "";
  std::string chip = std::filesystem::path(variant.chip).stem().string();
  std::replace_if(
      chip.begin(), chip.end(), [](char c) { return c < ' ' || c > '~'; }, '_');
  const auto folder =
      std::filesystem::path(options.report) / fmt::format("{}-{}", number + 1, chip);
  if (std::filesystem::is_symlink(folder)) {
    throw UserError(fmt::format("--report {}: {} is a link, which is not followed", options.report,
                                folder.filename().string()));
  }
  return folder.string();
}

}  // namespace

int compare_runs(const RunOptions& options, const std::vector<Variant>& variants) {
  if (!options.firmware.empty() || !options.faults.empty())
    throw UserError("--firmware, --faults: of one chip, not in a comparison");
  const LoadedWorkload loaded = load_workload(options);
  refuse_options(options, loaded.kind, *loaded.workload);
  std::vector<VariantRun> runs;
  std::set<std::string> warnings;  // each once
  for (const Variant& variant : variants) {
    RunOptions own = options;
    for (ConfigOverride& setting : own.overrides) {
      for (const ConfigOverride& value : variant.settings) {
        if (value.key == setting.key) setting.value = value.value;
      }
    }
    // A fault of a chip or value now, not after long runs.
    for (const std::string& line : load_chip_config(variant.chip, own.overrides).warnings)
      warnings.insert(variant.chip + ": " + line);
    runs.push_back({variant,
                    folder_of(options, runs.size(), variant),
                    0,
                    "",
                    {},
                    chip_values(variant.chip, own.all_overrides())});
  }
  warnings.insert(loaded.workload->warnings.begin(), loaded.workload->warnings.end());
  for (const std::string& line : warnings)
    base::to_stderr(fmt::format("tern: warning: {}\n", printable(line)));
  prepare_report_folder(options.report, "report");
  const std::atomic<bool>* stop = catch_interrupts();
  execute_all(options, stop, &runs);
  const bool any =
      std::any_of(runs.begin(), runs.end(), [](const auto& r) { return r.error.empty(); });
  if (*stop && !any) throw RunError("interrupted");
  const int shown = write_report(report_of(options, loaded.kind, *loaded.workload, runs),
                                 options.report, options.json);
  if (*stop) throw RunError("interrupted");
  int worst = shown;
  for (const VariantRun& run : runs) worst = std::max(worst, run.exit_code);
  return worst;
}

}  // namespace tern::app
