// SPDX-License-Identifier: Apache-2.0
#include "sw/app/collectives/cc_checks.h"

#include "sw/app/report/named_files.h"
#include "sw/base/user_error.h"

namespace tern::app {

void check_options(const CcOptions& options) {
  NamedFiles files;
  files.inputs = options.systems;
  for (const std::string& input :
       {options.faults, options.schedule, options.table, options.counts}) {
    if (!input.empty()) files.inputs.push_back(input);
  }
  files.outputs = {{"--write", options.write}};
  files.report = options.report;
  files.report_name = "cc";
  refuse_overwriting(files);
  const bool ragged = options.operation == "all_to_all_v";
  const bool rooted = options.operation == "broadcast" || options.operation == "send_recv";
  if (options.root > 0 && !rooted) throw UserError("--root: of broadcast and send_recv");
  if (!options.schedule.empty() && options.algorithm != "best")
    throw UserError("--algorithm: not with --schedule, which has the steps");
  if (!options.schedule.empty() && (options.hot || !options.counts.empty()))
    throw UserError("--hot and --counts: not with --schedule, which has its own");
  if (!ragged && (options.hot || !options.counts.empty()))
    throw UserError("--hot and --counts: of all_to_all_v");
  if (options.hot && !options.counts.empty()) throw UserError("--hot: without --counts");
  if (options.hot && !(*options.hot >= 1)) throw UserError("--hot: expected 1 or more");
  if (options.to && options.operation != "send_recv") throw UserError("--to: of send_recv");
  if (options.planes && options.level == "cores")
    throw UserError("--planes: not at level cores, where accesses are spread by themselves");
  if (!options.table.empty() && options.algorithm != "table")
    throw UserError("--table: with -a table");
  if (options.systems.size() > 1 && !options.write.empty())
    throw UserError("--write: of one system");
}

}  // namespace tern::app
