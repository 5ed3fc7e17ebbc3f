// SPDX-License-Identifier: Apache-2.0
#include "sw/app/nki/kernel_observer.h"

#include <initializer_list>
#include <utility>

#include "sw/app/host/run_wave.h"
#include "sw/app/nki/kernel_report.h"
#include "sw/app/report/write_report.h"
#include "sw/config/load_chip_config.h"
#include "sw/platform/platform.h"

namespace tern::app {

namespace {

constexpr const char *kCore = "core0", *kOtherCore = "core1";

// All but waits and ends of queues, so that figures of a report count the same instructions.
class WorkOnly : public trace::Sink {
 public:
  explicit WorkOnly(std::shared_ptr<trace::Sink> next) : next_(std::move(next)) {}

  void track(trace::TrackId id, const std::string& process, const std::string& thread) override {
    next_->track(id, process, thread);
  }
  void span(const trace::Span& span) override {
    if (!is_control(span.name)) next_->span(span);
  }
  void counter(trace::TrackId track, std::string_view name, std::uint64_t time_fs,
               double value) override {
    next_->counter(track, name, time_fs, value);
  }

 private:
  std::shared_ptr<trace::Sink> next_;
};

ChipWaveOptions wave_of(const nki::RunRequest& request) {
  ChipWaveOptions options;
  options.file = request.wave_file;
  return options;
}

}  // namespace

KernelObserver::KernelObserver() = default;
KernelObserver::~KernelObserver() = default;

ChipOptions KernelObserver::chip_options(const nki::RunRequest& request) {
  if (request.wave_file.empty()) return rtl_chip_options();
  wave_ =
      chip_wave(wave_of(request), load_chip_config(request.chip, nki::overrides_of(request)).chip);
  return rtl_chip_options(0, statistics_, wave_.get());
}

void KernelObserver::built(const nki::RunRequest& request, Platform& platform) {
  start_us_ = platform.config.core.kernel_start_ns * 1e-3;
  end_us_ = platform.config.core.kernel_end_ns * 1e-3;
  listen(wave_.get(), platform.trace);
  if (request.report_folder.empty()) return;
  spans_ = std::make_shared<trace::SpanLog>(kCore);
  other_spans_ = std::make_shared<trace::SpanLog>(kOtherCore);
  log_ = std::make_shared<nki::RunLog>();
  bounds_ = std::make_shared<BoundLog>(platform.config, 0);
  energy_ = std::make_shared<EnergyLog>(platform.config);
  for (const std::shared_ptr<trace::Sink>& sink :
       std::initializer_list<std::shared_ptr<trace::Sink>>{spans_, other_spans_, log_, bounds_,
                                                           energy_}) {
    platform.trace.add_sink(std::make_shared<WorkOnly>(sink));
  }
}

void KernelObserver::ran(const nki::RunRequest& request, const nki::PartsResult& run) {
  if (!spans_) return;
  KernelRecord record;
  record.kernel = request.kernel;
  record.chip = request.chip;
  record.command = request.command;
  record.overrides = nki::overrides_of(request);
  record.begin_fs = run.start_fs;
  record.end_fs = run.end_fs;
  record.start_us = start_us_;
  record.end_us = end_us_;
  const auto fs = [](double us) { return static_cast<std::uint64_t>(us * 1e9); };
  record.phases = bounds_->phases(run.start_fs + fs(start_us_), run.end_fs - fs(end_us_));
  record.energy = energy_->use(run.start_fs, run.end_fs, run.counters.hbm_bus_bytes());
  record.spans = log_->spans_from(run.start_fs, run.end_fs);
  write_report_files(kernel_report(record, *spans_, *other_spans_), request.report_folder);
}

void KernelObserver::finish(const nki::RunRequest& request) {
  check_wave(wave_of(request));
}

}  // namespace tern::app
