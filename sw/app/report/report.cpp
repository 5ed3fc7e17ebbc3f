// SPDX-License-Identifier: Apache-2.0
#include "sw/app/report/report.h"

#include <fmt/format.h>

namespace tern::app {
namespace {

constexpr std::size_t kListed = 8;  // files that were written, a line each

// What left the run, and where it is.
void add_lines(const std::vector<WrittenFile>& written, Lines* lines) {
  if (written.size() > kListed) {
    const std::string& last = written.back().path;
    lines->push_back({"output", fmt::format("{} files, the last {}", written.size(), last)});
    return;
  }
  for (const WrittenFile& file : written) {
    std::string text = fmt::format("{}: {}", file.path, file.result);
    if (!file.dtype.empty())
      text += fmt::format(", {} [{}]", file.dtype, fmt::join(file.shape, ", "));
    lines->push_back({"output", text});
  }
}

}  // namespace

Report make_report(const RunHeader& header, std::optional<bool> passed, const std::string& more) {
  Report report;
  report.title = header.workload;
  report.subtitle = fmt::format("{} on {}{}", header.description, header.chip, more);
  if (passed) report.verdict = {*passed, *passed ? "PASSED" : "FAILED"};
  if (!header.trace_path.empty())
    report.last_lines.push_back({"trace", header.trace_path + " (open at ui.perfetto.dev)"});
  if (!header.wave_path.empty())
    report.last_lines.push_back({"waveform", header.wave_path + " (open with gtkwave)"});
  add_lines(header.written, &report.last_lines);
  report.kind = header.kind;
  report.how = {header.command, header.workload_path,        header.chip,
                header.version, std::to_string(header.seed), header.overrides};
  if (!header.values.values.empty()) report.chips = {header.values};
  if (!header.warnings.empty()) {
    Lines lines;
    for (const std::string& warning : header.warnings) lines.push_back({"warning", warning});
    Section section("Warnings", "", Section::kFiles);  // a terminal has had them
    section.add(lines);
    report.add(section);
  }
  report.data = {{"tern", header.version}};
  if (passed) report.data["passed"] = *passed;
  report.data["workload"] = header.workload;
  report.data["workload_file"] = header.workload_path;
  report.data["description"] = header.description;
  report.data["chip"] = header.chip;
  if (!header.warnings.empty()) report.data["warnings"] = header.warnings;
  return report;
}

void add_paths(const RunHeader& header, nlohmann::ordered_json* data) {
  for (const auto& [key, path] : {std::pair("report", &header.report_path),
                                  {"trace", &header.trace_path},
                                  {"wave", &header.wave_path}}) {
    if (!path->empty()) (*data)[key] = *path;
  }
  add_written(header, data);
}

void add_written(const RunHeader& header, nlohmann::ordered_json* data) {
  for (const WrittenFile& file : header.written) {
    nlohmann::ordered_json x = {{"result", file.result}, {"path", file.path}};
    if (!file.dtype.empty()) x.update({{"dtype", file.dtype}, {"shape", file.shape}});
    (*data)["written"].push_back(x);
  }
}

}  // namespace tern::app
