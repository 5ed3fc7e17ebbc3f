// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/kind.h"

#include <filesystem>
#include <regex>

#include "sw/app/report/version.h"

namespace tern::app {

RunHeader run_header(const RunOptions& options, const Workload& workload) {
  RunHeader header;
  header.version = kVersion;
  header.kind = workload.kind;
  header.workload = workload.name;
  header.workload_path = workload.path;
  header.description = workload.describe();
  header.command = options.command;
  header.overrides = options.overrides;
  header.values = chip_values(options.chip, options.all_overrides());
  header.seed = options.seed;
  header.warnings = load_chip_config(options.chip, options.overrides).warnings;
  header.warnings.insert(header.warnings.end(), workload.warnings.begin(), workload.warnings.end());
  if (!options.report.empty())
    header.report_path = (std::filesystem::path(options.report) / "report.html").string();
  header.trace_path = options.trace;
  header.wave_path = options.wave.file;
  return header;
}

std::string reason_of(const UserError& error) {
  static const std::regex source_line("^[^ ]+:[0-9]+: ");
  const std::string text = std::regex_replace(error.what(), source_line, "");
  const std::size_t chip = text.find("chip '");
  return chip == std::string::npos ? text : text.substr(chip);
}

}  // namespace tern::app
