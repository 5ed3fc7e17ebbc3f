// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sw/app/host/job.h"
#include "sw/app/host/run_options.h"
#include "sw/app/host/run_wave.h"
#include "sw/app/report/bounds.h"
#include "sw/app/report/execution.h"
#include "sw/app/report/management_record.h"
#include "sw/app/report/program_record.h"
#include "sw/platform/faults/fault_injector.h"
#include "sw/platform/hosted_chip.h"
#include "sw/platform/managed/managed_chip.h"
#include "sw/runtime/runtime.h"
#include "systemc/chip/simulation.h"
#include "systemc/cosim/rtl_statistics.h"
#include "systemc/mgmt/devices/backend/uart_backend.h"
#include "systemc/trace/perfetto_sink.h"
#include "systemc/trace/span_log.h"
#include "systemc/trace/summary_sink.h"
#include "systemc/wave/chip_wave.h"

namespace tern::live {
class Publisher;
}

namespace tern::app {

// One simulated chip with a host, for the jobs of a `tern run`; with RTL also its twin
// (docs/decisions/0013). One per process.
class Session {
 public:
  explicit Session(const RunOptions& options);
  ~Session();

  // Runs the job on the core with the requested back ends. If one is not the fast model, it runs at
  // the same simulated time on the same core of a twin chip of models. `what` precedes the progress
  // line.
  std::vector<Execution> run(const Job& job, const std::string& what = "");
  void close_trace();

  const ChipConfig& config() const { return config_; }
  unsigned core() const { return core_; }
  std::string backend() const;  // of the core's tensor engine; others that are not models follow
  // The activity of the core, with --report; otherwise null.
  const trace::SpanLog* spans() const { return spans_.get(); }
  const ProfileLog* profile() const { return profile_.get(); }
  // After a run; of a session without them empty.
  const std::optional<ManagementRecord>& management() const { return management_; }
  std::vector<FaultRecord> faults() const;
  // From the next run on both hold only the activity of the session's first program.
  void watch_first_program() { first_program_only_ = true; }
  // That program, after the run; null without --report.
  std::shared_ptr<const ProgramRecord> first_program(const Execution& e,
                                                     const std::string& title) const;

 private:
  // A chip and its observers.
  struct Side : HostedChip {
    Side(const std::string& name, const ChipConfig& config, const ChipOptions& options,
         unsigned core);

    std::shared_ptr<trace::SummarySink> summary;
    std::shared_ptr<BoundLog> bounds;
    std::shared_ptr<EnergyLog> energy;
  };

  void add_management();
  void boot();
  // The counters of the firmware, once it has taken the newest errors.
  void ask_firmware();
  // After a failure: counters of the firmware, faults that have happened; begins with "; ".
  std::string what_was_seen();
  std::unique_ptr<Side> make_side(const std::string& name, const ChipConfig& config);
  double progress() const;
  Execution execute(const Job& job, Side& side);
  void read_counters(const Side& side, Execution* e) const;
  double busy_us(const Side& side, unsigned queue) const;
  std::string core_name() const { return "core" + std::to_string(core_); }

  const RunOptions& options_;
  Simulation simulation_;
  const ChipConfig config_;
  const unsigned core_;  // of the programs
  const RtlStatistics statistics_;
  std::unique_ptr<wave::ChipWave> wave_;  // outlives the chip
  std::shared_ptr<trace::PerfettoSink> trace_;
  std::shared_ptr<trace::SpanLog> spans_;
  std::shared_ptr<ProfileLog> profile_;
  bool first_program_only_ = false;
  std::unique_ptr<Side> side_;
  std::unique_ptr<mgmt::UartBackend> uart_;
  std::unique_ptr<ManagedChip> managed_;  // null: no management core
  std::unique_ptr<FaultInjector> injector_;
  std::optional<ManagementRecord> management_;
  std::unique_ptr<Side> twin_;  // only if a back end of the core is RTL
  std::unique_ptr<live::Publisher> live_;
  const Job* job_ = nullptr;
  std::size_t program_ = 0;  // of the job: running, or last run
};

}  // namespace tern::app
