// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "sw/app/report/bounds.h"
#include "sw/app/report/profile.h"
#include "sw/nki/run/run_log.h"
#include "sw/nki/run/run_observer.h"
#include "systemc/cosim/rtl_statistics.h"
#include "systemc/trace/span_log.h"
#include "systemc/wave/chip_wave.h"

namespace tern::app {

// Chips whose engines may be RTL; `tern nki run --report` and `--wave`.
class KernelObserver : public nki::RunObserver {
 public:
  KernelObserver();
  ~KernelObserver() override;
  ChipOptions chip_options(const nki::RunRequest& request) override;
  void built(const nki::RunRequest& request, Platform& platform) override;
  void ran(const nki::RunRequest& request, std::uint64_t begin_fs, std::uint64_t end_fs) override;
  // When the chip is gone: a RunError if the waveform is not whole.
  void finish(const nki::RunRequest& request) override;

 private:
  std::unique_ptr<wave::ChipWave> wave_;
  RtlStatistics statistics_;
  std::shared_ptr<trace::SpanLog> spans_, second_;  // of cores 0 and 1
  std::shared_ptr<nki::RunLog> log_;
  std::shared_ptr<ProfileLog> profile_;
  std::shared_ptr<BoundLog> bounds_;
};

}  // namespace tern::app
