// SPDX-License-Identifier: Apache-2.0
#include "sw/app/report/report.h"

#include <fmt/format.h>

namespace tern::app {

Report make_report(const RunHeader& header, std::optional<bool> passed, const std::string& more) {
  Report report;
  report.title = header.workload;
  report.subtitle = fmt::format("{} on {}{}", header.description, header.chip, more);
  if (passed) report.verdict = {*passed, *passed ? "PASSED" : "FAILED"};
  if (!header.trace_path.empty())
    report.last_lines.push_back({"trace", header.trace_path + " (open at ui.perfetto.dev)"});
  if (!header.wave_path.empty())
    report.last_lines.push_back({"waveform", header.wave_path + " (open with gtkwave)"});
  report.kind = header.kind;
  report.how = {header.command, header.workload_path,        header.chip,
                header.version, std::to_string(header.seed), header.overrides};
  if (!header.values.values.empty()) report.chips = {header.values};
  report.data = {{"tern", header.version}};
  if (passed) report.data["passed"] = *passed;
  report.data["workload"] = header.workload;
  report.data["workload_file"] = header.workload_path;
  report.data["description"] = header.description;
  report.data["chip"] = header.chip;
  return report;
}

void add_paths(const RunHeader& header, nlohmann::ordered_json* data) {
  for (const auto& [key, path] : {std::pair("report", &header.report_path),
                                  {"trace", &header.trace_path},
                                  {"wave", &header.wave_path}}) {
    if (!path->empty()) (*data)[key] = *path;
  }
}

}  // namespace tern::app
