// SPDX-License-Identifier: Apache-2.0
// tern fidelity: every published figure that Tern can be held to, measured.
#include "sw/app/measure/fidelity/fidelity_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "sw/app/host/interrupt.h"
#include "sw/app/host/progress.h"
#include "sw/app/measure/fidelity/fidelity_record.h"
#include "sw/app/report/report_folder.h"
#include "sw/app/report/version.h"
#include "sw/app/report/write_report.h"
#include "sw/base/user_error.h"
#include "sw/platform/live/live_publisher.h"
#include "systemc/chip/simulation.h"

namespace tern::app {
namespace {

bool begins_with(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

std::vector<PublishedFigure> chosen(const std::vector<std::string>& only) {
  std::vector<PublishedFigure> all = published_figures();
  if (only.empty()) return all;
  for (const std::string& id : only) {
    const bool known = std::any_of(all.begin(), all.end(),
                                   [&](const PublishedFigure& f) { return begins_with(f.id, id); });
    if (known) continue;
    std::string ids;
    for (const PublishedFigure& f : all) ids += (ids.empty() ? "" : ", ") + f.id;
    throw UserError(fmt::format("--only: no figure '{}': expected one of {}", id, ids));
  }
  std::vector<PublishedFigure> some;
  for (const PublishedFigure& f : all) {
    const bool wanted = std::any_of(only.begin(), only.end(),
                                    [&](const std::string& id) { return begins_with(f.id, id); });
    if (wanted) some.push_back(f);
  }
  return some;
}

int list_figures(const std::vector<PublishedFigure>& figures, bool json) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const PublishedFigure& f : figures) {
    if (json) {
      all.push_back({{"id", f.id}, {"what", f.what}, {"chip", f.chip}, {"source", f.source}});
    } else {
      fmt::print("{:<22} {}, {}\n", f.id, f.chip, f.what);
    }
  }
  if (json) fmt::print("{}\n", all.dump(2));
  return 0;
}

}  // namespace

int fidelity_command(const FidelityOptions& options) {
  if (options.list && (options.check || options.markdown || !options.report.empty()))
    throw UserError("--list: measures nothing, not with --check, --markdown or --report");
  if (options.list) return list_figures(chosen(options.only), options.json);
  if (options.check && !options.only.empty())
    throw UserError("--check: of all figures, not with --only");
  if (options.markdown && options.json) throw UserError("--markdown: not with --json");
  const std::vector<PublishedFigure> figures = chosen(options.only);
  prepare_report_folder(options.report, "fidelity");
  FidelityRecord record;
  record.version = kVersion;
  record.command = options.command;
  record.complete = options.only.empty();

  Simulation simulation;
  std::set<std::string> chips;
  for (const PublishedFigure& figure : figures) chips.insert(figure.chip);
  FidelityBench bench({chips.begin(), chips.end()});
  Progress progress("figures", options.quiet);
  Simulation::Options run;
  run.stop = catch_interrupts();
  run.progress = [&](std::uint64_t) {
    const std::size_t done = record.figures.size();
    progress.update(static_cast<double>(done) / static_cast<double>(figures.size()),
                    fmt::format("{} of {} measured", done, figures.size()));
  };
  live::description().kind = "fidelity";
  live::Publisher live;
  for (const std::string& chip : chips) live.add(bench.chip(chip), chip);
  live.watch(simulation);
  simulation.run(
      [&] {
        for (const PublishedFigure& figure : figures)
          record.figures.push_back({figure, figure.measure(bench)});
      },
      run);

  const bool met = record.predicted().mean <= kMeanAim && record.predicted().median <= kMedianAim &&
                   record.chart().mean <= kChartAim;
  Report report = report_of(record);
  for (const std::string& chip : chips) report.chips.push_back(chip_values(chip, {}));
  int code = 0;
  if (options.markdown) {
    write_report_files(report, options.report);
    fmt::print("{}", markdown_of(record));
  } else {
    code = write_report(report, options.report, options.json);
  }
  return options.check && !met ? 1 : code;
}

}  // namespace tern::app
