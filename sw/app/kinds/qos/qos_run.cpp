// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <systemc>

#include "sw/app/host/interrupt.h"
#include "sw/app/host/measured_chip.h"
#include "sw/app/host/progress.h"
#include "sw/app/host/run_wave.h"
#include "sw/app/kinds/qos/qos_program.h"
#include "sw/app/kinds/qos/qos_record.h"
#include "sw/app/kinds/qos/qos_workload.h"
#include "sw/app/report/write_report.h"
#include "sw/base/user_error.h"
#include "sw/platform/live/live_publisher.h"
#include "sw/runtime/runtime.h"
#include "sw/spec/generated/registers.h"
#include "systemc/chip/simulation.h"
#include "systemc/cosim/rtl_statistics.h"
#include "systemc/trace/sim_time.h"

namespace tern::app {
namespace {

using Entries = std::vector<trace::SpanLog::Entry>;

double microseconds(std::uint64_t fs) {
  return static_cast<double>(fs) * 1e-9;
}

ChipConfig chip_with_policy(const RunOptions& options, const QosWorkload& w,
                            const std::string& policy) {
  const std::string name = policy == "off" ? "round_robin" : policy;
  // Classes 0 (exchange), 2 (prefetch), 3 (host: what the chip gives its accesses).
  const std::string shares =
      fmt::format("[{}, 0, {}, {}]", w.shares[QosWorkload::kExchange],
                  w.shares[QosWorkload::kPrefetch], w.shares[QosWorkload::kHost]);
  std::vector<ConfigOverride> overrides = options.all_overrides();
  for (const char* unit : {"dma", "noc"}) {
    overrides.push_back({fmt::format("{}.policy", unit), name, "policy of the workload"});
    if (policy == "weighted")
      overrides.push_back({fmt::format("{}.shares", unit), shares, "shares of the workload"});
  }
  return load_chip_config(options.chip, overrides).chip;
}

// Host copies in turns in and out, until told to stop. Through the BAR: traffic of the host's port,
// which no DMA engine of a core shares.
class HostCopies {
 public:
  HostCopies(runtime::HostPort& port, runtime::Runtime& runtime, unsigned kib)
      : port_(port), bytes_(std::uint64_t{kib} * 1024), data_(bytes_) {
    if (bytes_ == 0) return;
    buffer_ = runtime.allocate("host copies", bytes_);
    running_ = true;
    sc_core::sc_spawn([this] { run(); }, sc_core::sc_gen_unique_name("host_copies"));
  }
  void stop() {
    stop_ = true;
    while (running_) sc_core::wait(stopped_);
  }
  // Begin and length of each, fs.
  const std::vector<std::pair<std::uint64_t, std::uint64_t>>& times() const { return times_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  void run() {
    for (bool in = true; !stop_; in = !in) {
      const std::uint64_t begin = now_fs();
      if (in) {
        port_.write(buffer_.address(), data_.data(), bytes_);
      } else {
        port_.read(buffer_.address(), data_.data(), bytes_);
      }
      times_.emplace_back(begin, now_fs() - begin);
    }
    running_ = false;
    stopped_.notify(sc_core::SC_ZERO_TIME);
  }

  runtime::HostPort& port_;
  const std::uint64_t bytes_;
  std::vector<std::uint8_t> data_;
  runtime::Buffer buffer_;
  bool stop_ = false, running_ = false;
  sc_core::sc_event stopped_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> times_;
};

// The first layers fill the pipeline, the last ones drain it.
struct Window {
  unsigned first, last;  // layers [first, last)
  explicit Window(unsigned layers) : first(layers / 8 + 1), last(layers - 2) {}
  unsigned layers() const { return last - first; }
};

QosRun evaluate(const MeasuredChip& chip, const QosWorkload& w, unsigned batch,
                std::uint64_t begin_fs, const HostCopies& copies) {
  const unsigned cores = chip.config().cores;
  const Window window(w.layers);
  std::vector<double> exchange, prefetch, host;
  std::uint64_t from = UINT64_MAX, to = 0;
  double layer_us = 0;
  std::vector<std::uint64_t> all_sent(w.layers,
                                      0);  // when the last core has triggered its exchange
  for (unsigned core = 0; core < cores; ++core) {
    const Entries sent = spans_since(chip.spans(core), "sync", "dma_trigger", begin_fs);
    for (unsigned layer = 0; layer < w.layers; ++layer)
      all_sent[layer] = std::max(all_sent[layer], sent.at(layer).begin_fs);
  }
  for (unsigned core = 0; core < cores; ++core) {
    const trace::SpanLog& log = chip.spans(core);
    const Entries received = spans_since(log, "sync", "nop", begin_fs);
    const Entries asked = spans_since(log, "gpsimd", "dma_trigger", begin_fs);
    const Entries loaded = spans_since(log, "scalar", "nop", begin_fs);
    for (unsigned layer = window.first; layer < window.last; ++layer) {
      exchange.push_back(microseconds(received.at(layer).begin_fs - all_sent[layer]));
      prefetch.push_back(microseconds(loaded.at(layer).begin_fs - asked.at(layer).begin_fs));
    }
    const std::uint64_t begin = received.at(window.first).begin_fs;
    const std::uint64_t end = received.at(window.last).begin_fs;
    layer_us += microseconds(end - begin) / window.layers() / cores;
    from = std::min(from, begin);
    to = std::max(to, end);
  }
  for (const auto& [begin, length] : copies.times()) {
    if (begin >= from && begin + length <= to) host.push_back(microseconds(length));
  }
  QosRun run;
  run.batch = batch;
  run.layer_us = layer_us;
  run.tokens_per_ms = batch / layer_us * 1e3;
  const double seconds = layer_us * 1e-6 * window.layers();
  const double layers = static_cast<double>(window.layers()) * cores;
  const double piece = double{128} * w.piece_bytes(batch, cores);
  run.classes[QosWorkload::kExchange] =
      qos_class_result(exchange, layers * (cores - 1) * piece, seconds);
  run.classes[QosWorkload::kPrefetch] =
      qos_class_result(prefetch, layers * w.weights_kib * 1024.0, seconds);
  const double copied = static_cast<double>(host.size() * copies.bytes());
  run.classes[QosWorkload::kHost] = qos_class_result(host, copied, microseconds(to - from) * 1e-6);
  return run;
}

QosRun run_batch(MeasuredChip& chip, const QosWorkload& w, unsigned batch) {
  const unsigned cores = chip.config().cores;
  runtime::Runtime runtime(chip.host());
  std::vector<runtime::Buffer> weights;
  std::vector<runtime::Program> programs;
  weights.reserve(cores);
  for (unsigned core = 0; core < cores; ++core) {
    Executable program = qos_program(w, chip.config(), batch, core);
    weights.push_back(runtime.allocate("weights", program.tensors[0].bytes(), core));
    programs.push_back(runtime.load(std::move(program), {{"weights", &weights.back()}}, core));
  }
  chip.settle();
  const std::uint64_t begin = now_fs();
  for (auto& program : programs) runtime.execute(program);
  HostCopies copies(chip.host(), runtime, w.host_kib);
  for (unsigned core = 0; core < cores; ++core) {
    chip.host().write32(TERN_CORE_BASE + core * TERN_CORE_STRIDE + TERN_CORE_REGS_BASE +
                            TERN_REG_CORE_SEMAPHORE_SET +
                            kQosGate * TERN_REG_CORE_SEMAPHORE_SET_STRIDE,
                        1);
  }
  for (auto& program : programs) runtime.wait(program);
  copies.stop();
  return evaluate(chip, w, batch, begin, copies);
}

// The back ends that it can use: those of the DMA engines.
RunOptions with_dma_only(RunOptions options) {
  constexpr const char* kWhy = "not with kind qos, which only moves data: add --rtl dma";
  for (std::string& name : options.rtl) {
    if (name == "all") name = "dma";
    if (name != "dma") throw UserError(fmt::format("--rtl {}: {}", name, kWhy));
  }
  for (std::size_t i = 0; i < options.backends.size(); ++i) {
    const RtlBlock& block = kRtlBlocks[i];
    if (options.backends[i] && block.place != &ChipConfig::dma_backend)
      throw UserError(fmt::format("--{}: {}", block.name, kWhy));
  }
  return options;
}

ChipConfig model_of(ChipConfig chip) {
  std::fill(chip.dma_backend.begin(), chip.dma_backend.end(), Backend::kModel);
  return chip;
}

// "DMA engines of cores 0, 3: rtl"; empty: all are models.
std::string backend_text(const ChipConfig& chip) {
  std::vector<std::string> cores;
  std::string backend;
  for (unsigned core = 0; core < chip.cores; ++core) {
    if (chip.dma_backend[core] == Backend::kModel) continue;
    cores.push_back(std::to_string(core));
    backend = backend_name(chip.dma_backend[core]);
  }
  if (cores.empty()) return "";
  const std::string which = cores.size() == chip.cores ? "all cores"
                            : cores.size() == 1        ? "core " + cores.front()
                                                : fmt::format("cores {}", fmt::join(cores, ", "));
  return fmt::format("DMA engines of {}: {}", which, backend);
}

void refuse_options(const RunOptions& options, const QosWorkload& w) {
  const auto refuse = [&](const std::string& file, const char* option) {
    if (!file.empty() && w.policies.size() > 1)
      throw UserError(fmt::format("{}: of one policy; name only one under 'policies'", option));
  };
  refuse(options.trace, "--trace");
  refuse(options.wave.file, "--wave");
}

}  // namespace

int run_qos(const RunOptions& given, const QosWorkload& w) {
  const RunOptions options = with_dma_only(given);
  refuse_options(options, w);
  QosRecord record;
  static_cast<RunHeader&>(record) = run_header(options, w);

  Simulation simulation;
  std::unique_ptr<wave::ChipWave> wave;                     // outlives the chips
  std::vector<std::unique_ptr<MeasuredChip>> chips, twins;  // twins of models: with RTL
  for (const std::string& policy : w.policies) {
    const ChipConfig config = chip_with_policy(options, w, policy);
    record.backend = backend_text(config);
    refuse_rtl(model_of(config), "kind qos");
    if (config.cores < 2)
      throw UserError(
          fmt::format("kind qos: chip '{}' has one core, expected several", config.name));
    record.chip = config.name;
    // Does every batch fit? Before the simulation, not in it.
    for (const unsigned batch : w.batches) (void)qos_program(w, config, batch, 0);
    wave = chip_wave(options.wave, config);
    chips.push_back(
        std::make_unique<MeasuredChip>("chip_" + policy, config, options.trace,
                                       rtl_chip_options(options.rtl_threads, {}, wave.get())));
    listen(wave.get(), chips.back()->trace());
    if (!record.backend.empty())
      twins.push_back(std::make_unique<MeasuredChip>("twin_" + policy, model_of(config)));
  }
  Progress progress("qos", options.quiet);
  const std::size_t all = w.batches.size() * chips.size();
  Simulation::Options run;
  run.stop = catch_interrupts();
  run.progress = [&](std::uint64_t) {
    progress.update(static_cast<double>(record.runs.size()) / static_cast<double>(all),
                    fmt::format("{} of {} runs", record.runs.size(), all));
  };
  auto live = std::make_unique<live::Publisher>();
  for (std::size_t p = 0; p < chips.size(); ++p) live->add(*chips[p], "chip " + w.policies[p]);
  live->watch(simulation);
  simulation.run(
      [&] {
        for (const unsigned batch : w.batches) {
          for (std::size_t p = 0; p < chips.size(); ++p) {
            QosRun result = run_batch(*chips[p], w, batch);
            result.policy = w.policies[p];
            if (!twins.empty())
              result.model_agrees = result.same_figures(run_batch(*twins[p], w, batch));
            record.runs.push_back(result);
          }
        }
      },
      run);
  for (auto& chip : chips) chip->close_trace();
  live.reset();
  chips.clear();
  wave.reset();
  check_wave(options.wave);

  return write_report(report_of(record), options.report, options.json);
}

std::vector<Kind> qos_kinds() {
  return {make_kind("qos", load_qos, run_qos,
                    {"/runs",
                     {"/policy", "/batch"},
                     {{"layer us", "/layer_us"}, {"tokens per ms", "/tokens_per_ms", false, 0}}})};
}

}  // namespace tern::app
