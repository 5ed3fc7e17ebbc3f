// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "sw/app/report/bounds.h"
#include "sw/app/report/energy.h"
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
  void ran(const nki::RunRequest& request, const nki::PartsResult& run) override;
  // The waveform ends: under its name after a good run, else as FILE.partial.
  void gone() override { wave_.reset(); }
  // A RunError if the waveform is not whole.
  void finish(const nki::RunRequest& request) override;

 private:
  std::unique_ptr<wave::ChipWave> wave_;
  RtlStatistics statistics_;
  double start_us_ = 0, end_us_ = 0;                     // of the runtime
  std::shared_ptr<trace::SpanLog> spans_, other_spans_;  // of core 0, of core 1
  std::shared_ptr<nki::RunLog> log_;
  std::shared_ptr<BoundLog> bounds_;
  std::shared_ptr<EnergyLog> energy_;
};

}  // namespace tern::app
