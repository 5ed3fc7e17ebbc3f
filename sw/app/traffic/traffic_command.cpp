// SPDX-License-Identifier: Apache-2.0
#include "sw/app/traffic/traffic_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "sw/app/host/interrupt.h"
#include "sw/app/host/progress.h"
#include "sw/app/links/chosen_lines.h"
#include "sw/app/report/named_files.h"
#include "sw/app/report/report_folder.h"
#include "sw/app/report/write_report.h"
#include "sw/app/traffic/mix_option.h"
#include "sw/app/traffic/traffic_record.h"
#include "sw/base/atomic_file.h"
#include "sw/base/user_error.h"
#include "systemc/fabric/faults/fault_script.h"
#include "systemc/fabric/faults/fault_state.h"
#include "systemc/fabric/levels/channel_activity.h"
#include "systemc/fabric/levels/levels.h"
#include "systemc/fabric/packet/routes.h"
#include "systemc/fabric/packet/shape.h"
#include "systemc/fabric/traffic/mix.h"
#include "systemc/fabric/traffic/traffic_run.h"

namespace tern::app {

namespace {

using fabric::Time;
using fabric::TrafficResult;

class Run {
 public:
  explicit Run(const TrafficOptions& options)
      : options_(options),
        fabric_(system::load_system(options.system, options.units)),
        lines_(options.flit_by_flit, fabric_, options.seed) {
    if (lines_.any() && options.level != "packet" && options.level != "both")
      throw UserError(fmt::format("--link: at level packet, not {}", options.level));
    if (fabric_.chips() < 2)
      throw UserError(fmt::format("{}: traffic needs two chips", fabric_.config().name));
    fabric::check_level(options.level, fabric_);
    record_.patterns = patterns_of(options, fabric_);
    record_.level = options.level == "both" ? "packet" : options.level;
    if (options.level == "ideal" && !options.heat.empty())
      throw UserError("--heat: not at level ideal, where links are not shared: packet or flow");
    if (options.faults.empty()) return;
    if (options.level == "ideal")
      throw UserError(fmt::format(
          "--faults {}: not at level ideal, which has no links to break: packet or flow",
          options.faults));
    faults_.emplace(fabric_, fabric::faults::load_fault_script(options.faults, fabric_),
                    options.seed);
  }

  int run() {
    const fabric::Mix mix = fabric::mix_of(record_.patterns, fabric_);
    prepare_report_folder(options_.report, "traffic");
    fabric::ChannelActivity activity;
    record_.result =
        result_of(record_.level, mix, faults_ ? &*faults_ : nullptr, &lines_, &activity);
    if (options_.level == "both") {
      // The same script anew; what is shown was observed at the packet level.
      std::optional<fabric::faults::FaultState> again;
      if (faults_) again.emplace(fabric_, faults_->script(), options_.seed);
      record_.flow = result_of("flow", mix, again ? &*again : nullptr, nullptr, nullptr);
    }
    measure_links(mix, std::move(activity));
    write_heat();
    Report report = report_of(record_, fabric_, faults_ ? &*faults_ : nullptr, options_);
    lines_.report(&report);
    add_sections(record_, fabric_, &report);
    const int code = write_report(report, options_.report, options_.json);
    return record_.result.lost > 0 ? 1 : code;
  }

 private:
  TrafficResult result_of(const std::string& level, const fabric::Mix& mix,
                          fabric::faults::FaultState* faults, ChosenLines* lines,
                          fabric::ChannelActivity* activity) const {
    Progress progress(level + " level", options_.quiet);
    const auto transport = faults != nullptr ? fabric::make_transport(level, *faults)
                                             : fabric::make_transport(level, fabric_);
    if (lines != nullptr) lines->attach(transport.get());
    const std::atomic<bool>* const stop = catch_interrupts();
    TrafficResult result = fabric::run_traffic(*transport, mix, [&](double share) {
      if (*stop) throw RunError("interrupted");
      progress.update(share);
    });
    if (lines != nullptr) lines->finish();
    if (activity != nullptr) *activity = fabric::channel_activity(*transport);
    return result;
  }

  // At level ideal links are not shared: they have no use, and are no bound.
  void measure_links(const fabric::Mix& mix, fabric::ChannelActivity activity) {
    const Time whole = record_.result.time;
    if (record_.level == "ideal") return;
    if (!faults_) {
      const auto routes = fabric::packet::routes_of(fabric_);
      const std::vector<Time> busy = fabric::channel_times(
          fabric::packet::shape_of(fabric_, routes->vcs()), *routes, mix.transfers);
      record_.bound = *std::max_element(busy.begin(), busy.end());
    } else {
      for (std::uint32_t link = 0; link < fabric_.links().size(); ++link)
        record_.use.dead.push_back(!faults_->usable(link));
    }
    record_.use.used = shares_of(activity.busy, whole);
    record_.use.stalled = shares_of(activity.stalled, whole);
  }

  void write_heat() const {
    if (options_.heat.empty()) return;
    base::write_file(options_.heat, heat_map_of(fabric_, record_.use, note_of(record_)));
  }

  const TrafficOptions& options_;
  const system::Fabric fabric_;
  ChosenLines lines_;
  std::optional<fabric::faults::FaultState> faults_;
  TrafficRecord record_;
};

}  // namespace

int traffic_command(const TrafficOptions& options) {
  NamedFiles files;
  files.inputs = {options.system};
  if (!options.faults.empty()) files.inputs.push_back(options.faults);
  files.outputs = {{"--heat", options.heat},
                   {"--flits", options.flit_by_flit.flits},
                   {"--wave", options.flit_by_flit.wave}};
  files.report = options.report;
  files.report_name = "traffic";
  refuse_overwriting(files);
  return Run(options).run();
}

}  // namespace tern::app
