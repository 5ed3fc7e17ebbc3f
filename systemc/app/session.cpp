// SPDX-License-Identifier: Apache-2.0
#include "systemc/app/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <numeric>

#include "systemc/app/interrupt.h"
#include "systemc/app/progress.h"
#include "systemc/config/user_error.h"
#include "systemc/trace/sim_time.h"

namespace tern::app {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kEngineNames[] = {"tensor", "vector", "scalar", "gpsimd", "sync"};

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

const char* backend_name(TensorBackend backend) {
  switch (backend) {
    case TensorBackend::kModel:
      return "model";
    case TensorBackend::kRtl:
      return "rtl";
    case TensorBackend::kBoth:
      return "both";
  }
  return "?";
}

// All clocks of a core begin a cycle together at the multiples of this time. Executions that begin
// there see the same edges, so they take the same cycles.
std::uint64_t common_period_fs(const CoreConfig& core) {
  constexpr std::uint64_t kFsPerSecond = 1'000'000'000'000'000;
  std::uint64_t period = 1;
  for (const double ghz : {core.tensor_clock_ghz, core.vector.clock_ghz, core.scalar.clock_ghz,
                           core.gpsimd.clock_ghz, core.sync.clock_ghz}) {
    const auto hertz = static_cast<std::uint64_t>(std::llround(ghz * 1e9));
    period = std::lcm(period, kFsPerSecond / std::gcd(kFsPerSecond, hertz));  // divides 1 s
  }
  return period;
}

bool uses_rtl(const ChipConfig& chip, unsigned core) {
  return chip.tensor[core] != TensorBackend::kModel || chip.exp[core] != TensorBackend::kModel;
}

ChipConfig resolve_chip(const RunOptions& options) {
  ChipConfig chip = load_chip_config(options.chip, options.overrides).chip;
  if (options.tensor) chip.tensor.at(0) = *options.tensor;
  if (options.exp) chip.exp.at(0) = *options.exp;
  if (!options.wave.file.empty() && chip.tensor.at(0) == TensorBackend::kModel) {
    throw UserError("--wave: the fast model has no signals; add --tensor rtl");
  }
  if (options.wave.from_cycle > options.wave.to_cycle) {
    throw UserError(fmt::format("--wave-to: expected at least {}, the cycle of --wave-from, got {}",
                                options.wave.from_cycle, options.wave.to_cycle));
  }
  // The second opinion: another core of the same chip, on the fast model.
  if (uses_rtl(chip, 0) && chip.cores > 1) {
    chip.tensor.at(1) = chip.exp.at(1) = TensorBackend::kModel;
  }
  return chip;
}

}  // namespace

Session::Session(const RunOptions& options)
    : options_(options),
      config_(resolve_chip(options)),
      statistics_(std::make_shared<CosimStatistics>()),
      exp_statistics_(std::make_shared<ExpStatistics>()),
      summary_(std::make_shared<trace::SummarySink>()) {
  if (!options.trace.empty()) {
    trace_ = std::make_shared<trace::PerfettoSink>(options.trace);
    bus_.add_sink(trace_);
  }
  bus_.add_sink(summary_);
  if (!options.report.empty()) {
    spans_ = std::make_shared<trace::SpanLog>("core0");
    bus_.add_sink(spans_);
  }
  ChipOptions chip_options;
  chip_options.core.wave = options.wave;
  chip_options.core.make_datapath = make_cosim_factory(statistics_);
  chip_options.core.make_exp = make_exp_factory(exp_statistics_);
  chip_options.core.describe = [this](unsigned queue, unsigned index) {
    const auto& origins = program_->origins[queue];
    return index < origins.size() ? origins[index] : std::string();
  };
  chip_ = std::make_unique<Chip>("chip", config_, chip_options, &bus_);
  host_ = std::make_unique<runtime::HostPort>("host");
  host_->socket.bind(chip_->host);
  host_->irq.bind(irq_);
  chip_->irq.bind(irq_);
}

std::vector<Execution> Session::run(const Job& job, const std::string& what) {
  const std::atomic<bool>* stop = catch_interrupts();
  program_ = &job.programs.front();
  std::vector<Execution> executions;
  std::vector<unsigned> cores = {0};
  if (uses_rtl(config_, 0) && config_.cores > 1) cores.push_back(1);
  for (unsigned core : cores) {
    Progress progress(
        fmt::format("{}core {}, tensor {}", what, core, backend_name(config_.tensor[core])),
        options_.quiet);
    Simulation::Options simulation;
    simulation.stop = stop;
    simulation.progress = [&](std::uint64_t fs) {
      progress.update(progress_of(core),
                      fmt::format("{:.1f} us simulated", static_cast<double>(fs) * 1e-9));
    };
    Execution execution;
    simulation_.run([&] { execution = execute(job, core); }, simulation);
    executions.push_back(std::move(execution));
  }
  return executions;
}

void Session::close_trace() {
  if (trace_) trace_->close();
}

std::string Session::backend() const {
  return backend_name(config_.tensor[0]);
}

double Session::progress_of(unsigned core) const {
  std::uint64_t done = 0, all = 0;
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
    const std::size_t length = program_->queues[q].size();
    all += length;
    done += std::min<std::uint64_t>(chip_->core(core).queue(q).pc(), length);
  }
  return all == 0 ? 0 : static_cast<double>(done) / static_cast<double>(all);
}

// In the host's SystemC thread: copies in, runs the programs, copies out.
Execution Session::execute(const Job& job, unsigned core) {
  const auto wall = Clock::now();
  const auto now_us = [] { return sc_core::sc_time_stamp().to_seconds() * 1e6; };
  runtime::Runtime runtime(*host_);
  Execution e;
  e.core = core;
  e.backend = backend_name(config_.tensor[core]);
  e.exp_backend = backend_name(config_.exp[core]);
  e.tensor_clock_ghz = config_.core.tensor_clock_ghz;

  std::vector<runtime::Buffer> buffers;
  runtime::Runtime::Bindings bindings;
  buffers.reserve(job.tensors.size());
  for (const auto& tensor : job.tensors)
    buffers.push_back(runtime.allocate(tensor.name, tensor.bytes.size(), core));
  double mark = now_us();
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    bindings[job.tensors[i].name] = &buffers[i];
    if (!job.tensors[i].output)
      runtime.copy_to_device(buffers[i], job.tensors[i].bytes.data(), buffers[i].bytes());
  }
  e.copy_us = now_us() - mark;

  chip_->core(core).reset_tensor_counters();
  const std::uint64_t rtl_before = statistics_->cycles_simulated();
  const std::uint64_t exp_before = exp_statistics_->results();
  const double exp_seconds_before = exp_statistics_->seconds();
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q)
    e.engines.push_back({kEngineNames[q], 0, -busy_us(core, q)});
  for (const Executable& executable : job.programs) {
    program_ = &executable;
    runtime::Program program = runtime.load(executable, bindings, core);
    const std::uint64_t period = common_period_fs(config_.core);
    sc_core::wait(from_fs(period - now_fs() % period));
    const auto execution_wall = Clock::now();
    const runtime::RunResult result = runtime.run(program);
    if (e.end_fs == 0) e.begin_fs = result.start.value();
    e.end_fs = result.end.value();
    e.rtl_wall_s += seconds_since(execution_wall);
    e.program_us.push_back(result.seconds() * 1e6);
    e.simulated_us += e.program_us.back();
    for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q)
      e.engines[q].instructions += result.instructions[q];
  }

  mark = now_us();
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (!job.tensors[i].output) continue;
    const std::size_t before = e.result.size();
    const std::size_t words = (job.tensors[i].bytes.size() + 3) / sizeof(std::uint32_t);
    e.result.resize(before + words);
    runtime.copy_from_device(buffers[i], e.result.data() + before, buffers[i].bytes());
  }
  e.copy_us += now_us() - mark;
  e.wall_s = seconds_since(wall);
  if (config_.tensor[core] != TensorBackend::kModel)
    e.rtl_cycles = statistics_->cycles_simulated() - rtl_before;
  e.exp_rtl_results = exp_statistics_->results() - exp_before;
  e.exp_rtl_wall_s = exp_statistics_->seconds() - exp_seconds_before;
  read_counters(core, &e);
  return e;
}

void Session::read_counters(unsigned core, Execution* e) {
  const TensorEngineCounters& tensor = chip_->core(core).tensor_counters();
  e->tensor_cycles = tensor.last_cycle - tensor.first_cycle;
  e->tensor_columns = tensor.columns;
  e->macs = tensor.macs;
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) e->engines[q].busy_us += busy_us(core, q);
}

double Session::busy_us(unsigned core, unsigned queue) const {
  const auto* track = summary_->find(fmt::format("core{}", core), kEngineNames[queue]);
  return track != nullptr ? static_cast<double>(track->busy_fs) * 1e-9 : 0.0;
}

}  // namespace tern::app
