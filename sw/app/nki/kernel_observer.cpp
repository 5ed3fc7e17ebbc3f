// SPDX-License-Identifier: Apache-2.0
#include "sw/app/nki/kernel_observer.h"

#include "sw/app/host/run_wave.h"
#include "sw/app/nki/kernel_report.h"
#include "sw/app/report/write_report.h"
#include "sw/config/load_chip_config.h"
#include "sw/platform/platform.h"

namespace tern::app {

namespace {

constexpr const char* kCore = "core0";

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
  second_ = std::make_shared<trace::SpanLog>("core1");
  log_ = std::make_shared<nki::RunLog>();
  profile_ = std::make_shared<ProfileLog>(kCore);
  bounds_ = std::make_shared<BoundLog>(platform.config, 0);
  platform.trace.add_sink(spans_);
  platform.trace.add_sink(second_);
  platform.trace.add_sink(log_);
  platform.trace.add_sink(profile_);
  platform.trace.add_sink(bounds_);
}

void KernelObserver::ran(const nki::RunRequest& request, std::uint64_t begin_fs,
                         std::uint64_t end_fs) {
  if (!spans_) return;
  KernelRecord record;
  record.kernel = request.kernel;
  record.chip = request.chip;
  record.command = request.command;
  record.overrides = nki::overrides_of(request);
  record.begin_fs = begin_fs;
  record.end_fs = end_fs;
  record.start_us = start_us_;
  record.end_us = end_us_;
  const auto fs = [](double us) { return static_cast<std::uint64_t>(us * 1e9); };
  record.phases = bounds_->phases(begin_fs + fs(start_us_), end_fs - fs(end_us_));
  record.lines = profile_->lines();
  record.spans = log_->spans_from(begin_fs, end_fs);
  write_report_files(kernel_report(record, *spans_, *second_), request.report_folder);
}

void KernelObserver::finish(const nki::RunRequest& request) {
  wave_.reset();
  check_wave(wave_of(request));
}

}  // namespace tern::app
