// SPDX-License-Identifier: Apache-2.0
// tern hbm: requests from a trace or a generator through the HBM model alone.
#include <fmt/format.h>

#include "sw/app/host/interrupt.h"
#include "sw/app/host/progress.h"
#include "sw/app/measure/hbm/hbm_command.h"
#include "sw/app/measure/hbm/hbm_record.h"
#include "sw/app/report/named_files.h"
#include "sw/app/report/report_folder.h"
#include "sw/app/report/version.h"
#include "sw/app/report/write_report.h"
#include "sw/base/stop.h"
#include "sw/base/user_error.h"

namespace tern::app {

int hbm_command(const HbmOptions& options) {
  const int sources = !options.trace.empty() + (options.stream != 0) + (options.random != 0);
  if (sources != 1) throw UserError("hbm: expected one of --trace FILE, --stream N and --random N");
  refuse_overwriting({{options.trace, options.chip}, {}, options.report, "hbm"});
  for (const ConfigOverride& one : options.overrides) {
    if (options.no_refresh && one.key.rfind("hbm.refresh", 0) == 0)
      throw UserError(fmt::format("--no-refresh: not with --set {}", one.key));
  }
  prepare_report_folder(options.report, "hbm");
  const ChipConfig chip = load_chip_config(options.chip, options.overrides).chip;
  hbm::Config config = memory_of(chip);
  if (options.no_refresh) config.refresh = hbm::Refresh::kOff;
  hbm::check(config);
  std::unique_ptr<HbmSource> source;
  if (!options.trace.empty()) {
    source = open_hbm_trace(options.trace);
  } else {
    HbmPattern pattern;
    pattern.random = options.random != 0;
    pattern.requests = pattern.random ? options.random : options.stream;
    pattern.bytes = options.bytes;
    pattern.write_percent = options.write_percent;
    pattern.gap_ns = options.gap_ns;
    pattern.traffic_class = options.traffic_class;
    pattern.seed = options.seed;
    if (pattern.bytes > config.stack_bytes)
      throw UserError(fmt::format("--bytes: a stack has only {} bytes", config.stack_bytes));
    source = make_hbm_pattern(pattern, config);
  }
  catch_interrupts();
  Progress progress("hbm", options.quiet);
  HbmReplay replay = replay_hbm(config, *source, [&](double fraction) {
    base::end_if_requested();
    progress.update(fraction);
  });
  if (replay.requests == 0) throw UserError(fmt::format("{}: no requests", options.trace));
  replay.chip = chip.name;
  Report report = report_of(replay, options.channels);
  report.how = {options.command,
                options.trace,
                chip.name,
                kVersion,
                options.random != 0 ? std::to_string(options.seed) : "",
                options.overrides};
  report.chips = {chip_values(options.chip, options.overrides)};
  return write_report(report, options.report, options.json);
}

}  // namespace tern::app
