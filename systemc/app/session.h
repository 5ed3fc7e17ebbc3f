// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sw/runtime/runtime.h"
#include "systemc/app/job.h"
#include "systemc/app/options.h"
#include "systemc/app/run_record.h"
#include "systemc/chip/chip.h"
#include "systemc/chip/simulation.h"
#include "systemc/cosim/datapath_factory.h"
#include "systemc/cosim/exp_factory.h"
#include "systemc/trace/perfetto_sink.h"
#include "systemc/trace/span_log.h"
#include "systemc/trace/summary_sink.h"

namespace tern::app {

// One simulated chip with a host, for the jobs of a `tern run`. One per process.
class Session {
 public:
  explicit Session(const RunOptions& options);

  // The job on core 0 with the back end asked for and, when that is not the fast model, on core 1
  // with the model. `what` goes before the progress line.
  std::vector<Execution> run(const Job& job, const std::string& what = "");
  void close_trace();

  const ChipConfig& config() const { return config_; }
  std::string backend() const;  // of core 0
  // What core 0 did, with --report; else null.
  const trace::SpanLog* spans() const { return spans_.get(); }

 private:
  double progress_of(unsigned core) const;
  Execution execute(const Job& job, unsigned core);
  void read_counters(unsigned core, Execution* e);
  double busy_us(unsigned core, unsigned queue) const;

  const RunOptions& options_;
  Simulation simulation_;
  const ChipConfig config_;
  trace::Bus bus_;
  std::shared_ptr<CosimStatistics> statistics_;
  std::shared_ptr<ExpStatistics> exp_statistics_;
  std::shared_ptr<trace::SummarySink> summary_;
  std::shared_ptr<trace::PerfettoSink> trace_;
  std::shared_ptr<trace::SpanLog> spans_;
  sc_core::sc_signal<bool> irq_{"irq"};
  std::unique_ptr<Chip> chip_;
  std::unique_ptr<runtime::HostPort> host_;
  const Executable* program_ = nullptr;  // running, or last run
};

}  // namespace tern::app
