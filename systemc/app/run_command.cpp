// SPDX-License-Identifier: Apache-2.0
// tern run: the workload on core 0 with the back end asked for, on core 1 with the fast model when
// that is another one, and on the host by the reference; then the verdict.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <numeric>

#include "sw/data/atomic_file.h"
#include "sw/reference/reference.h"
#include "sw/runtime/runtime.h"
#include "systemc/app/interrupt.h"
#include "systemc/app/job.h"
#include "systemc/app/options.h"
#include "systemc/app/progress.h"
#include "systemc/app/run_record.h"
#include "systemc/app/version.h"
#include "systemc/chip/chip.h"
#include "systemc/chip/simulation.h"
#include "systemc/config/user_error.h"
#include "systemc/cosim/datapath_factory.h"
#include "systemc/trace/perfetto_sink.h"
#include "systemc/trace/sim_time.h"
#include "systemc/trace/summary_sink.h"

namespace tern::app {
namespace {

namespace fs = std::filesystem;
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

ChipConfig resolve_chip(const RunOptions& options) {
  ChipConfig chip = load_chip_config(options.chip, options.overrides).chip;
  if (options.tensor) chip.tensor.at(0) = *options.tensor;
  if (!options.wave.file.empty() && chip.tensor.at(0) == TensorBackend::kModel) {
    throw UserError("--wave: the fast model has no signals; add --tensor rtl");
  }
  if (options.wave.from_cycle > options.wave.to_cycle) {
    throw UserError(fmt::format("--wave-to: expected at least {}, the cycle of --wave-from, got {}",
                                options.wave.from_cycle, options.wave.to_cycle));
  }
  // The second opinion: another core of the same chip, on the fast model.
  if (chip.tensor[0] != TensorBackend::kModel && chip.cores > 1)
    chip.tensor.at(1) = TensorBackend::kModel;
  return chip;
}

// Fails now, not after a long run.
void prepare_report_folder(const std::string& folder) {
  if (folder.empty()) return;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || access(folder.c_str(), W_OK) != 0) {
    throw UserError(fmt::format("--report {}: cannot write there: {}", folder,
                                error ? error.message() : std::strerror(errno)));
  }
}

// What one run of `tern run` builds and measures.
class Session {
 public:
  Session(const RunOptions& options, const Workload& workload)
      : options_(options),
        config_(resolve_chip(options)),
        job_(make_job(workload, config_)),
        statistics_(std::make_shared<CosimStatistics>()),
        summary_(std::make_shared<trace::SummarySink>()) {
    if (!options.trace.empty()) {
      trace_ = std::make_shared<trace::PerfettoSink>(options.trace);
      bus_.add_sink(trace_);
    }
    bus_.add_sink(summary_);
    ChipOptions chip_options;
    chip_options.core.wave = options.wave;
    chip_options.core.make_datapath = make_cosim_factory(statistics_);
    chip_options.core.describe = [this](unsigned queue, unsigned index) {
      const auto& origins = job_.program.origins[queue];
      return index < origins.size() ? origins[index] : std::string();
    };
    chip_ = std::make_unique<Chip>("chip", config_, chip_options, &bus_);
    host_ = std::make_unique<runtime::HostPort>("host");
    host_->socket.bind(chip_->host);
    host_->irq.bind(irq_);
    chip_->irq.bind(irq_);
  }

  std::vector<Execution> run() {
    const std::atomic<bool>* stop = catch_interrupts();
    std::vector<Execution> executions;
    std::vector<unsigned> cores = {0};
    if (config_.tensor[0] != TensorBackend::kModel && config_.cores > 1) cores.push_back(1);
    for (unsigned core : cores) {
      Progress progress(fmt::format("core {}, tensor {}", core, backend_name(config_.tensor[core])),
                        options_.quiet);
      Simulation::Options simulation;
      simulation.stop = stop;
      simulation.progress = [&](std::uint64_t fs) {
        progress.update(progress_of(core),
                        fmt::format("{:.1f} us simulated", static_cast<double>(fs) * 1e-9));
      };
      Execution execution;
      simulation_.run([&] { execution = execute(core); }, simulation);
      executions.push_back(std::move(execution));
    }
    if (trace_) trace_->close();
    return executions;
  }

  const ChipConfig& config() const { return config_; }

 private:
  double progress_of(unsigned core) const {
    std::uint64_t done = 0, all = 0;
    for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
      const std::size_t length = job_.program.queues[q].size();
      all += length;
      done += std::min<std::uint64_t>(chip_->core(core).queue(q).pc(), length);
    }
    return all == 0 ? 0 : static_cast<double>(done) / static_cast<double>(all);
  }

  // In the host's SystemC thread: copies in, runs, copies out.
  Execution execute(unsigned core) {
    const auto wall = Clock::now();
    const auto now_us = [] { return sc_core::sc_time_stamp().to_seconds() * 1e6; };
    runtime::Runtime runtime(*host_);
    Execution e;
    e.core = core;
    e.backend = backend_name(config_.tensor[core]);
    e.tensor_clock_ghz = config_.core.tensor_clock_ghz;

    std::vector<runtime::Buffer> buffers;
    runtime::Runtime::Bindings bindings;
    buffers.reserve(job_.tensors.size());
    for (const auto& tensor : job_.tensors)
      buffers.push_back(runtime.allocate(tensor.name, tensor.bytes.size(), core));
    double mark = now_us();
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      bindings[job_.tensors[i].name] = &buffers[i];
      if (!job_.tensors[i].output)
        runtime.copy_to_device(buffers[i], job_.tensors[i].bytes.data(), buffers[i].bytes());
    }
    e.copy_us = now_us() - mark;

    runtime::Program program = runtime.load(job_.program, bindings, core);
    const std::uint64_t period = common_period_fs(config_.core);
    sc_core::wait(from_fs(period - now_fs() % period));
    const auto execution_wall = Clock::now();
    const runtime::RunResult result = runtime.run(program);
    e.rtl_wall_s = seconds_since(execution_wall);
    e.simulated_us = result.seconds() * 1e6;

    mark = now_us();
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      if (!job_.tensors[i].output) continue;
      const std::size_t before = e.result.size();
      e.result.resize(before + job_.tensors[i].bytes.size() / sizeof(std::uint32_t));
      runtime.copy_from_device(buffers[i], e.result.data() + before, buffers[i].bytes());
    }
    e.copy_us += now_us() - mark;
    e.wall_s = seconds_since(wall);
    read_counters(core, result, &e);
    return e;
  }

  void read_counters(unsigned core, const runtime::RunResult& result, Execution* e) {
    const TensorEngineCounters& tensor = chip_->core(core).tensor_counters();
    e->tensor_cycles = tensor.last_cycle - tensor.first_cycle;
    e->tensor_columns = tensor.columns;
    e->macs = tensor.macs;
    if (config_.tensor[core] != TensorBackend::kModel)
      e->rtl_cycles = statistics_->cycles_simulated();
    for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
      const auto* track = summary_->find(fmt::format("core{}", core), kEngineNames[q]);
      e->engines.push_back({kEngineNames[q], result.instructions[q],
                            track != nullptr ? static_cast<double>(track->busy_fs) * 1e-9 : 0.0});
    }
  }

  const RunOptions& options_;
  Simulation simulation_;
  const ChipConfig config_;
  const Job job_;
  trace::Bus bus_;
  std::shared_ptr<CosimStatistics> statistics_;
  std::shared_ptr<trace::SummarySink> summary_;
  std::shared_ptr<trace::PerfettoSink> trace_;
  sc_core::sc_signal<bool> irq_{"irq"};
  std::unique_ptr<Chip> chip_;
  std::unique_ptr<runtime::HostPort> host_;
};

Comparison compare(const Workload& workload, const std::string& what,
                   const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  Comparison c;
  c.what = what;
  c.words = a.size();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    if (c.mismatches++ == 0) {
      c.first_difference =
          fmt::format("{} = 0x{:08x}, expected 0x{:08x}", result_place(workload, i), a[i], b[i]);
    }
  }
  return c;
}

std::vector<float> floats_of(const std::vector<std::uint32_t>& bits) {
  std::vector<float> values(bits.size());
  if (!bits.empty()) std::memcpy(values.data(), bits.data(), bits.size() * sizeof(float));
  return values;
}

void judge_mlp(const MlpWorkload& mlp, const std::vector<float>& result, RunRecord* record) {
  if (mlp.labels.empty()) return;
  const float* probabilities = result.data() + mlp.batch * mlp.classes();
  for (std::size_t b = 0; b < mlp.batch; ++b) {
    const float* row = probabilities + b * mlp.classes();
    const auto winner = std::max_element(row, row + mlp.classes()) - row;
    const bool poisoned =
        std::any_of(row, row + mlp.classes(), [](float p) { return std::isnan(p); });
    record->correct += !poisoned && winner == mlp.labels[b] ? 1 : 0;
  }
  record->judged = mlp.batch;
  record->accuracy = static_cast<double>(record->correct) / static_cast<double>(record->judged);
  record->accuracy_expected = mlp.accuracy;
}

// rms(C - C64) / rms(C64) over at most 64 rows: the FP64 product of everything would outlast the
// simulation.
double error_against_fp64(const MatmulWorkload& w, const std::vector<float>& c) {
  double error = 0, norm = 0;
  const std::size_t step = std::max<std::size_t>(1, w.m / 64);
  std::vector<double> row(w.n);
  for (std::size_t i = 0; i < w.m; i += step) {
    std::fill(row.begin(), row.end(), 0.0);
    for (std::size_t r = 0; r < w.k; ++r) {
      for (std::size_t j = 0; j < w.n; ++j)
        row[j] += static_cast<double>(w.a[r * w.m + i]) * w.b[r * w.n + j];
    }
    for (std::size_t j = 0; j < w.n; ++j) {
      const double difference = c[i * w.n + j] - row[j];
      error += difference * difference;
      norm += row[j] * row[j];
    }
  }
  return norm > 0 ? std::sqrt(error / norm) : 0;
}

void judge(const Workload& workload, RunRecord* record) {
  const std::vector<std::uint32_t>& result = record->executions.front().result;
  for (std::size_t i = 1; i < record->executions.size(); ++i) {
    const Execution& other = record->executions[i];
    record->comparisons.push_back(
        compare(workload, fmt::format("{} = {}", record->executions[0].backend, other.backend),
                result, other.result));
    record->cycles_agree &= record->executions[0].tensor_cycles == other.tensor_cycles;
  }
  record->comparisons.push_back(
      compare(workload, fmt::format("{} = host reference", record->executions[0].backend), result,
              reference_result(workload)));
  const std::vector<float> values = floats_of(result);
  if (workload.mlp) judge_mlp(*workload.mlp, values, record);
  if (workload.matmul) record->error_rms_fp64 = error_against_fp64(*workload.matmul, values);
  if (workload.expected) {
    const auto& expected = *workload.expected;
    const std::size_t offset = values.size() - expected.values.size();  // mlp: the probabilities
    double worst = 0;
    for (std::size_t i = 0; i < expected.values.size(); ++i) {
      if (values[offset + i] == expected.values[i]) continue;  // infinities too
      const double difference =
          std::fabs(static_cast<double>(values[offset + i]) - expected.values[i]) /
          std::max(1.0, std::fabs(static_cast<double>(expected.values[i])));
      worst = std::isnan(difference) ? INFINITY : std::max(worst, difference);
    }
    record->error_expected = worst;
    record->tolerance = expected.tolerance;
  }
}

}  // namespace

int run_command(const RunOptions& options) {
  const Workload workload = load_workload(options.workload, options.seed);
  prepare_report_folder(options.report);

  RunRecord record;
  record.version = kVersion;
  record.workload = workload.name;
  record.workload_path = workload.path;
  record.description = workload.describe();
  record.command = options.command;
  record.seed = options.seed;
  record.trace_path = options.trace;
  record.wave_path = options.wave.file;
  {
    Session session(options, workload);
    record.chip = session.config().name;
    record.executions = session.run();
  }  // closes the waveform
  judge(workload, &record);

  if (!options.report.empty()) {
    const fs::path folder(options.report);
    record.report_path = (folder / "report.md").string();
    data::write_file(folder / "report.json", record_json(record));
    data::write_file(folder / "report.md", record_markdown(record));
  }
  const bool colour = isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  fmt::print("{}", options.json ? record_json(record) : summary_text(record, colour));
  return record.passed() ? 0 : 1;
}

}  // namespace tern::app
