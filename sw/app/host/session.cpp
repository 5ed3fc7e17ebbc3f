// SPDX-License-Identifier: Apache-2.0
#include "sw/app/host/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <numeric>

#include "sw/app/host/interrupt.h"
#include "sw/app/host/progress.h"
#include "sw/base/seconds_since.h"
#include "sw/base/user_error.h"
#include "sw/platform/live/live_publisher.h"
#include "sw/platform/managed/own_firmware.h"
#include "sw/runtime/management.h"
#include "sw/spec/queues.h"
#include "systemc/chip/chip_counters.h"
#include "systemc/mgmt/devices/backend/open_backend.h"
#include "systemc/trace/sim_time.h"

namespace tern::app {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kHostStackBytes = 8 * 1024 * 1024;

ChipConfig resolve_chip(const RunOptions& options) {
  ChipConfig chip = chip_of(options);
  const unsigned core = options.core.value_or(0);
  if (core >= chip.cores)
    throw UserError(fmt::format("--core: expected 0 to {} of chip '{}', got {}", chip.cores - 1,
                                chip.name, core));
  if (!options.rtl.empty() && !uses_rtl(chip, core))
    throw UserError(
        fmt::format("--rtl-cores: core {}, which runs this workload, is not among them", core));
  return chip;
}

void add_memory_use(const ChipCounters& before, ChipCounters after, unsigned core, MemoryUse* use) {
  after -= before;
  use->dma_bytes += after.cores[core].dma_bytes;
  use->dma_descriptors += after.cores[core].dma_descriptors;
  use->dma_packets += after.cores[core].dma_packets;
  use->hbm_read_bytes += after.hbm_read_bytes;
  use->hbm_write_bytes += after.hbm_write_bytes;
  use->row_hits += after.hbm_row_hits;
  use->row_misses += after.hbm_row_misses;
  use->row_conflicts += after.hbm_row_conflicts;
  use->refreshes += after.hbm_refreshes;
}

// The same chip with the fast model everywhere.
ChipConfig twin_of(ChipConfig chip) {
  for (const RtlBlock& block : kRtlBlocks) {
    std::vector<Backend>& backends = chip.*block.place;
    std::fill(backends.begin(), backends.end(), Backend::kModel);
  }
  return chip;
}

}  // namespace

Session::Side::Side(const std::string& name, const ChipConfig& config, const ChipOptions& options,
                    unsigned core)
    : HostedChip(name, config, options),
      summary(std::make_shared<trace::SummarySink>()),
      bounds(std::make_shared<BoundLog>(config, core)),
      energy(std::make_shared<EnergyLog>(config)) {
  trace().add_sink(summary);
  trace().add_sink(bounds);
  trace().add_sink(energy);
}

Session::Session(const RunOptions& options)
    : options_(options), config_(resolve_chip(options)), core_(options.core.value_or(0)) {
  catch_interrupts();  // all files opened from now on are closed properly
  wave_ = chip_wave(options.wave, config_);
  if (!options.trace.empty()) trace_ = std::make_shared<trace::PerfettoSink>(options.trace);
  if (!options.report.empty()) {
    spans_ = std::make_shared<trace::SpanLog>(core_name());
    profile_ = std::make_shared<ProfileLog>(core_name());
  }
  side_ = make_side("chip", config_);
  add_management();
  if (uses_rtl(config_, core_)) twin_ = make_side("twin", twin_of(config_));
  live_ = std::make_unique<live::Publisher>();
  live_->add(*side_, "chip");
  if (managed_) live_->add(managed_->board());
  live_->watch(simulation_);
}

Session::~Session() = default;

void Session::add_management() {
  if (!options_.faults.empty() && uses_rtl(config_, core_))
    throw UserError("--faults: not with RTL, whose twin of models would have none");
  if (options_.json && options_.uart == "stdio")
    throw UserError("--json: not with --uart stdio, which has the standard output");
  if (!options_.firmware.empty()) {
    const mgmt::BoardConfig board = mgmt::load_board_config(options_.firmware);
    check_runs_own_firmware(board);
    uart_ = mgmt::open_backend(options_.uart);
    managed_ = std::make_unique<ManagedChip>("management", side_->chip(), board,
                                             own_firmware("", ""), uart_.get());
  }
  if (options_.faults.empty()) return;
  injector_ =
      std::make_unique<FaultInjector>("faults", load_fault_plan(options_.faults), side_->chip(),
                                      managed_ ? &managed_->board() : nullptr);
}

void Session::boot() {
  if (!managed_ || management_) return;
  const std::uint32_t phase =
      managed_->wait_ready(sc_core::sc_time(ManagedChip::kBootLimitMs, sc_core::SC_MS));
  management_.emplace();
  management_->board = options_.firmware;
  management_->degraded = phase == TERN_PHASE_DEGRADED;
  management_->ready_us = sc_core::sc_time_stamp().to_seconds() * 1e6;
}

void Session::ask_firmware() {
  if (!management_) return;
  sc_core::wait(sc_core::sc_time(ManagedChip::kInterruptUs, sc_core::SC_US));
  management_->errors = runtime::Management(side_->host()).error_counts();
}

std::string Session::what_was_seen() {
  std::string text;
  if (management_) {
    try {
      ask_firmware();
      text = "; the firmware counts: " + errors_text(management_->errors);
    } catch (const Interrupted&) {
      throw;
    } catch (const RunError&) {
      text = "; the firmware does not answer";
    }
  }
  std::string happened;
  for (const FaultRecord& fault : faults()) {
    if (fault.state == "happened")
      happened += fmt::format("{}{} ({})", happened.empty() ? "" : ", ", fault.name, fault.source);
  }
  if (!happened.empty()) text += "; faults that happened: " + happened;
  return text;
}

std::vector<FaultRecord> Session::faults() const {
  std::vector<FaultRecord> records;
  if (!injector_) return records;
  static constexpr const char* kStates[] = {"waits", "happened", "nowhere"};
  const std::vector<Fault>& faults = injector_->plan().faults;
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const FaultInjector::Outcome& outcome = injector_->outcomes()[i];
    records.push_back({fault_name(faults[i].kind), faults[i].source,
                       kStates[static_cast<unsigned>(outcome.state)],
                       outcome.at.to_seconds() * 1e6});
  }
  return records;
}

std::unique_ptr<Session::Side> Session::make_side(const std::string& name,
                                                  const ChipConfig& config) {
  const bool twin = name == "twin";
  ChipOptions chip_options =
      rtl_chip_options(options_.rtl_threads, statistics_, twin ? nullptr : wave_.get(),
                       options_.fpga_port.value_or(kDefaultFpgaPort));
  chip_options.program_core = core_;
  auto side = std::make_unique<Side>(name, config, chip_options, core_);
  if (twin) return side;
  listen(wave_.get(), side->trace());
  if (trace_) side->trace().add_sink(trace_);
  if (spans_) side->trace().add_sink(spans_);
  if (profile_) side->trace().add_sink(profile_);
  return side;
}

std::vector<Execution> Session::run(const Job& job, const std::string& what) {
  const std::atomic<bool>* stop = catch_interrupts();
  job_ = &job;
  program_ = 0;
  Progress progress_line(fmt::format("{}core {}, tensor {}", what, core_, backend()),
                         options_.quiet);
  Simulation::Options simulation;
  simulation.stop = stop;
  simulation.progress = [&](std::uint64_t fs) {
    progress_line.update(progress(), fmt::format("{:.1f} us simulated, with the host's copies",
                                                 static_cast<double>(fs) * 1e-9));
  };
  std::vector<Execution> executions(twin_ ? 2 : 1);
  simulation_.run(
      [&] {
        boot();
        // Both start at the same time: the behaviour of a memory depends on it (refresh, for
        // example).
        if (!twin_) {
          try {
            executions[0] = execute(job, *side_);
          } catch (const Interrupted&) {
            throw;
          } catch (const RunError& error) {
            throw RunError(error.what() + what_was_seen());
          }
          ask_firmware();
          return;
        }
        sc_core::sc_spawn_options spawn;
        spawn.set_stack_size(kHostStackBytes);
        sc_core::sc_process_handle second = sc_core::sc_spawn(
            [&] { executions[1] = execute(job, *twin_); }, "twin_program", &spawn);
        executions[0] = execute(job, *side_);
        if (!second.terminated()) sc_core::wait(second.terminated_event());
        ask_firmware();
      },
      simulation);
  return executions;
}

std::shared_ptr<const ProgramRecord> Session::first_program(const Execution& e,
                                                            const std::string& title) const {
  if (!spans_) return nullptr;
  auto program = std::make_shared<ProgramRecord>();
  program->title = title;
  program->begin_fs = e.begin_fs;
  program->end_fs =
      e.begin_fs + static_cast<std::uint64_t>(std::llround(e.program_us.front() * 1e9));
  program->log = spans_;
  program->phases = e.phases.front();
  program->energy = e.energy.front();
  program->parts = profile_->parts();
  program->lines = profile_->lines();
  return program;
}

void Session::close_trace() {
  if (trace_) trace_->close();
}

std::string Session::backend() const {
  Execution e;
  e.backend = backend_name(config_.tensor[core_]);
  e.exp_backend = backend_name(config_.exp[core_]);
  e.mx_backend = backend_name(config_.mx[core_]);
  e.near_memory_backend = backend_name(config_.near_memory[core_]);
  e.dma_backend = backend_name(config_.dma_backend[core_]);
  return e.label();
}

double Session::progress() const {
  std::uint64_t done = 0, all = 0;
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
    const std::size_t length = job_->programs[program_].queues[q].size();
    all += length;
    done += std::min<std::uint64_t>(side_->chip().core(core_).queue(q).pc(), length);
  }
  const double share = all == 0 ? 0 : static_cast<double>(done) / static_cast<double>(all);
  return (static_cast<double>(program_) + share) / static_cast<double>(job_->programs.size());
}

// In the host's SystemC thread: copies in, runs the programs, copies out.
Execution Session::execute(const Job& job, Side& side) {
  const unsigned core = core_;
  const auto wall = Clock::now();
  const auto now_us = [] { return sc_core::sc_time_stamp().to_seconds() * 1e6; };
  runtime::Runtime runtime(side.host());
  Execution e;
  e.core = core;
  e.backend = backend_name(side.config().tensor[core]);
  e.exp_backend = backend_name(side.config().exp[core]);
  e.mx_backend = backend_name(side.config().mx[core]);
  e.near_memory_backend = backend_name(side.config().near_memory[core]);
  e.dma_backend = backend_name(side.config().dma_backend[core]);
  e.tensor_clock_ghz = side.config().core.tensor_clock_ghz;

  const double limit =
      injector_ ? injector_->plan().limit_ms * 1e-3 : runtime::Runtime::kDefaultLimit;
  std::vector<runtime::Buffer> buffers;
  runtime::Runtime::Bindings bindings;
  buffers.reserve(job.tensors.size());
  for (const auto& tensor : job.tensors)
    buffers.push_back(runtime.allocate(tensor.name, tensor.bytes.size(), core));
  double mark = now_us();
  std::uint64_t mark_fs = now_fs();
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    bindings[job.tensors[i].name] = &buffers[i];
    if (!job.tensors[i].output && !job.tensors[i].scratch)
      runtime.copy_to_device(buffers[i], job.tensors[i].bytes.data(), buffers[i].bytes());
  }
  e.copy_us = now_us() - mark;
  side.trace_host(HostedChip::HostSpan::kCopy, "inputs", mark_fs, now_fs());

  side.chip().core(core).reset_tensor_counters();
  const std::uint64_t rtl_before = statistics_.tensor->cycles_simulated();
  const RtlWork exp_before = statistics_.exp->work(), mx_before = statistics_.mx->work();
  const std::uint64_t beats_before = statistics_.near_memory->beats();
  const std::uint64_t dma_before = statistics_.dma->cycles_simulated();
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q)
    e.engines.push_back({kQueueNames[q], 0, -busy_us(side, q)});
  for (std::size_t p = 0; p < job.programs.size(); ++p) {
    if (&side == side_.get()) program_ = p;
    const Executable& executable = job.programs[p];
    side.set_running(executable);
    runtime::Program program = runtime.load(executable, bindings, core);
    side.settle();
    const auto execution_wall = Clock::now();
    const ChipCounters before = chip_counters(side.chip());
    side.energy->begin();
    runtime.execute(program);
    if (injector_) injector_->program_starts();
    const runtime::RunResult result = runtime.wait(program, limit);
    const ChipCounters after = chip_counters(side.chip());
    side.trace_host(HostedChip::HostSpan::kProgram, executable.name, result.start.value(),
                    result.end.value());
    add_memory_use(before, after, core, &e.memory);
    e.hbm.push_back({after.hbm_bus_read_bytes - before.hbm_bus_read_bytes,
                     after.hbm_bus_write_bytes - before.hbm_bus_write_bytes});
    e.energy.push_back(side.energy->use(result.start.value(), result.end.value(),
                                        e.hbm.back().read + e.hbm.back().written));
    if (first_program_only_ && spans_ && &side == side_.get()) {
      spans_->stop();
      profile_->stop();
    }
    if (e.end_fs == 0) e.begin_fs = result.start.value();
    e.end_fs = result.end.value();
    e.rtl_wall_s += base::seconds_since(execution_wall);
    e.program_us.push_back(result.seconds() * 1e6);
    e.simulated_us += e.program_us.back();
    e.phases.push_back(side.bounds->phases(result.start.value(), result.end.value()));
    for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q)
      e.engines[q].instructions += result.instructions[q];
  }

  mark = now_us();
  mark_fs = now_fs();
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (!job.tensors[i].output) continue;
    const std::size_t before = e.result.size();
    const std::size_t words = (job.tensors[i].bytes.size() + 3) / sizeof(std::uint32_t);
    e.result.resize(before + words);
    runtime.copy_from_device(buffers[i], e.result.data() + before, buffers[i].bytes());
  }
  e.copy_us += now_us() - mark;
  side.trace_host(HostedChip::HostSpan::kCopy, "outputs", mark_fs, now_fs());
  e.wall_s = base::seconds_since(wall);
  if (side.config().tensor[core] != Backend::kModel)
    e.rtl_cycles = statistics_.tensor->cycles_simulated() - rtl_before;
  if (side.config().exp[core] != Backend::kModel) e.exp_rtl = statistics_.exp->work() - exp_before;
  if (side.config().mx[core] != Backend::kModel) e.mx_rtl = statistics_.mx->work() - mx_before;
  if (side.config().near_memory[core] != Backend::kModel)
    e.near_memory_rtl_beats = statistics_.near_memory->beats() - beats_before;
  if (side.config().dma_backend[core] != Backend::kModel)
    e.dma_rtl_cycles = statistics_.dma->cycles_simulated() - dma_before;
  read_counters(side, &e);
  return e;
}

void Session::read_counters(const Side& side, Execution* e) const {
  const TensorActivity& tensor = side.chip().core(core_).tensor_counters();
  e->tensor_cycles = tensor.last_cycle - tensor.first_cycle;
  e->tensor_columns = tensor.columns;
  e->macs = tensor.macs;
  e->capacity = tensor.capacity;
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) e->engines[q].busy_us += busy_us(side, q);
  // Most programs leave the collective cores alone.
  while (e->engines.size() > kEngineQueues && e->engines.back().instructions == 0)
    e->engines.pop_back();
}

double Session::busy_us(const Side& side, unsigned queue) const {
  const auto* track = side.summary->find(core_name(), kQueueNames[queue]);
  return track != nullptr ? static_cast<double>(track->busy_fs) * 1e-9 : 0.0;
}

}  // namespace tern::app
