// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>

#include "sw/app/host/interrupt.h"
#include "sw/app/host/measured_chip.h"
#include "sw/app/host/process_ranks.h"
#include "sw/app/kinds/parallel/parallel_faults.h"
#include "sw/app/kinds/parallel/parallel_hosts.h"
#include "sw/app/kinds/parallel/parallel_record.h"
#include "sw/app/kinds/parallel/parallel_workload.h"
#include "sw/app/link_faults/fault_tables.h"
#include "sw/app/links/chosen_lines.h"
#include "sw/app/plan/chips_option.h"
#include "sw/app/report/report_folder.h"
#include "sw/app/report/write_report.h"
#include "sw/base/seconds_since.h"
#include "sw/base/user_error.h"
#include "sw/platform/chips/chip_system.h"
#include "sw/platform/chips/distribution.h"
#include "sw/platform/live/live_publisher.h"
#include "systemc/chip/simulation.h"
#include "systemc/fabric/levels/channel_activity.h"
#include "systemc/fabric/levels/levels.h"
#include "systemc/fabric/packet/packet_network.h"
#include "systemc/trace/perfetto_sink.h"

namespace tern::app {

namespace {

// The trace of a chip: "t.json" is "t.server0.tray1.chip0.json" then.
std::string trace_of(const std::string& path, const std::string& chip) {
  const std::filesystem::path file(path);
  return (file.parent_path() / (file.stem().string() + "." + chip + file.extension().string()))
      .string();
}

// The network between the chips, after the run. Each process carries the transfers of all of them
// through its own copy of the network: any one has the whole result.
void measure_network(const fabric::Transport& transport, ParallelRecord* record) {
  const auto whole = static_cast<std::uint64_t>(std::llround(record->us * 1e9));
  const fabric::ChannelActivity activity = fabric::channel_activity(transport);
  record->links.used = shares_of(activity.busy, whole);
  record->links.stalled = shares_of(activity.stalled, whole);
  const auto* packet = dynamic_cast<const fabric::packet::PacketNetwork*>(&transport);
  for (unsigned c = 0; packet != nullptr && c < fabric::packet::kClasses; ++c) {
    if (packet->latency(c).count() > 0)
      record->classes.push_back(class_latency(c, packet->latency(c)));
  }
}

int run_parallel(const RunOptions& options, const ParallelWorkload& workload) {
  const auto begin = std::chrono::steady_clock::now();
  const ChipConfig config = chip_of(options);
  refuse_rtl(config, "kind parallel");
  if (!config.dma.near_memory_add) {
    throw UserError(fmt::format(
        "kind parallel: chip '{}' does not add near the memory, which the sum needs", config.name));
  }
  system::Ranks* const ranks = process_ranks();
  if (workload.faults && ranks != nullptr && ranks->size() > 1)
    throw UserError(workload.faults_place + ": in one process, not with --ranks");
  const bool first = ranks == nullptr || ranks->rank() == 0;
  if (first) prepare_report_folder(options.report, "parallel");
  ParallelRecord record;
  static_cast<RunHeader&>(record) = run_header(options, workload);
  record.chip = config.name;
  if (!options.trace.empty()) record.trace_path = trace_of(options.trace, "CHIP");
  const OutputFiles files(options, workload, {"out"});

  const system::Fabric fabric(workload.system);
  record.system = workload.system.name;
  for (const std::uint32_t chip : workload.chips)
    record.parts.push_back({fabric.nodes()[chip].name});
  Simulation simulation;
  std::optional<ParallelFaults> faults;
  if (workload.faults) faults.emplace(fabric, *workload.faults, options.seed);
  auto transport = faults ? faults->make_network() : fabric::make_transport(workload.level, fabric);
  record.level = transport->level();
  LinkChoice choice = options.flit_by_flit;
  choice.wave = options.wave.file;
  ChosenLines lines(choice, fabric, options.seed);
  lines.attach(transport.get());
  ChipSystem chips(fabric, workload.chips, config, std::move(transport), {}, ranks);
  ParallelHosts hosts(workload, options.seed, &chips);
  if (faults) {
    hosts.set_on_begin([&](fabric::Time now) { faults->begin(now); });
    hosts.set_explain([&] { return faults->losses(chips); });
  }
  Simulation::Options how;
  how.stop = catch_interrupts();
  live::description().kind = workload.kind;
  live::Publisher live;
  std::vector<std::shared_ptr<trace::PerfettoSink>> traces;
  for (unsigned n = 0; n < chips.chips(); ++n) {
    if (!chips.here(n)) continue;
    live.add(chips.chip(n), record.parts[n].chip);
    if (options.trace.empty()) continue;
    traces.push_back(
        std::make_shared<trace::PerfettoSink>(trace_of(options.trace, record.parts[n].chip)));
    chips.chip(n).trace().add_sink(traces.back());
  }
  live.watch(simulation);
  std::optional<Distribution> distribution;
  if (ranks != nullptr)
    how.windows = &distribution.emplace(*ranks, chips.network(), hosts.meeting(), hosts.rest());
  simulation.run([&] { hosts.run(); }, how);
  lines.finish();
  for (const auto& trace : traces) trace->close();
  hosts.gather(ranks);
  if (!first) return 0;
  hosts.judge(&record);
  measure_network(chips.network().transport(), &record);
  if (files.wants("out"))
    files.write("out", float_array({workload.spec.model, workload.spec.tokens}, hosts.result()),
                &record);
  record.wall_s = base::seconds_since(begin);
  Report report = report_of(record, fabric);
  lines.report(&report);
  if (faults) add_faults(faults->state(), &report);
  add_network_sections(record, fabric, &report);
  return write_report(report, options.report, options.json);
}

}  // namespace

std::vector<Kind> parallel_kinds() {
  Kind kind = make_kind("parallel", load_parallel, run_parallel, {"", {}, {{"us", "/us"}}},
                        {"--output", "--ranks", "--link"});
  kind.chip = [](const config::YamlMap& top) { return system_of(top.get("system")).chip; };
  return {std::move(kind)};
}

}  // namespace tern::app
