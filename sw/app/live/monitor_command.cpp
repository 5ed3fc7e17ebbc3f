// SPDX-License-Identifier: Apache-2.0
// tern monitor: a line of JSON in every interval.
#include <cstdio>

#include "sw/app/live/live_options.h"
#include "sw/app/live/live_source.h"
#include "sw/app/live/monitor_json.h"
#include "sw/app/report/json_text.h"
#include "sw/base/user_error.h"

namespace tern::app {

int monitor_command(const MonitorOptions& options) {
  LiveSource source(options.pid);
  std::vector<live::State> before;
  for (std::uint64_t lines = 0; options.count == 0 || lines < options.count; ++lines) {
    if (lines != 0 && !wait_or_end(options.period_s)) return 0;
    std::vector<live::State> now = source.read();
    if (options.pid && now.empty()) {
      if (lines == 0) throw RunError(nothing_text(options.pid));
      return 0;  // the simulation has ended
    }
    const std::string line = json_line(monitor_json(now, before, options.period_s));
    // A reader that has gone is the end, too.
    if (std::fwrite(line.data(), 1, line.size(), stdout) != line.size() || std::fflush(stdout) != 0)
      throw RunError("cannot write the output");
    before = std::move(now);
  }
  return 0;
}

}  // namespace tern::app
