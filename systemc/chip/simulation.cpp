// SPDX-License-Identifier: Apache-2.0
// sc_spawn is part of the dynamic process interface.
#define SC_INCLUDE_DYNAMIC_PROCESSES
#include "systemc/chip/simulation.h"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "systemc/trace/sim_time.h"

namespace tern {

namespace {

constexpr int kNoStack = 518;  // SC_ID_STACK_SETUP_, in no public header
constexpr auto kTick = std::chrono::milliseconds(50);

// libsystemc prints its banner before sc_main, unless an environment variable disables it by then.
[[maybe_unused]] const int g_no_banner = setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);

// The kernel converts an exception of a process into a report with its text. This sees the original
// first.
std::exception_ptr g_uncaught;

void report_handler(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  const std::string type = report.get_msg_type();
  if (type == sc_core::SC_ID_SIMULATION_UNCAUGHT_EXCEPTION_) {
    if (!g_uncaught) g_uncaught = std::current_exception();
    sc_core::sc_report_handler::default_handler(report, actions & ~sc_core::SC_DISPLAY);
    return;
  }
  sc_core::sc_report_handler::default_handler(report, actions);
}

void run_windows(Windows& windows, const bool& ended, const std::exception_ptr& error) {
  for (bool first = true; !error; first = false) {
    std::uint64_t next = now_fs();  // initialisation, at first
    if (!first) {
      next = sc_core::sc_pending_activity()
                 ? to_fs(sc_core::sc_time_stamp() + sc_core::sc_time_to_pending_activity())
                 : UINT64_MAX;
    }
    const auto until = windows.next(next, ended);
    if (!until) return;
    if (*until > now_fs()) sc_core::sc_start(from_fs(*until - now_fs()));
  }
}

}  // namespace

// Checks wall time in a separate thread and notifies the kernel in an update
// phase.
class Simulation::Watchdog : public sc_core::sc_prim_channel {
 public:
  Watchdog() : sc_prim_channel("watchdog") {}
  ~Watchdog() override { stop(); }

  void start(const Options& options) {
    options_ = &options;
    interrupted_ = false;
    last_progress_ = std::chrono::steady_clock::now();
    running_ = true;
    thread_ = std::thread([this] {
      std::unique_lock<std::mutex> lock(mutex_);
      while (!wake_.wait_for(lock, kTick, [this] { return !running_; })) async_request_update();
    });
  }

  void stop() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      running_ = false;
    }
    wake_.notify_one();
    thread_.join();
    options_ = nullptr;
  }

  void watch(std::function<void()> watcher, unsigned ms) {
    watcher_ = std::move(watcher);
    watcher_period_ = std::chrono::milliseconds(ms);
  }

  sc_core::sc_event interrupt;

 private:
  void update() override {
    if (options_ == nullptr) return;
    if (options_->stop != nullptr && options_->stop->load() && !interrupted_) {
      interrupted_ = true;
      interrupt.notify(sc_core::SC_ZERO_TIME);
    }
    const auto now = std::chrono::steady_clock::now();
    if (options_->progress &&
        now - last_progress_ >= std::chrono::milliseconds(options_->progress_ms)) {
      last_progress_ = now;
      options_->progress(now_fs());
    }
    if (watcher_ && now - last_watch_ >= watcher_period_) {
      last_watch_ = now;
      watcher_();
    }
  }

  const Options* options_ = nullptr;
  bool interrupted_ = false;
  std::chrono::steady_clock::time_point last_progress_, last_watch_;
  std::function<void()> watcher_;
  std::chrono::milliseconds watcher_period_{0};
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool running_ = false;
};

Simulation::Simulation() {
  if (sc_core::sc_get_status() > sc_core::SC_BEFORE_END_OF_ELABORATION) {
    throw RunError("this process has simulated already: a process builds one simulation");
  }
  // Also called again if the chip of an earlier one could not be built.
  [[maybe_unused]] static const bool resolution_is_set = [] {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    return true;
  }();
  // The kernel's notes are not part of our output.
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  sc_core::sc_report_handler::set_handler(report_handler);
  watchdog_ = std::make_unique<Watchdog>();
}

Simulation::~Simulation() = default;

void Simulation::set_watcher(std::function<void()> watcher, unsigned ms) {
  watchdog_->watch(std::move(watcher), ms);
}

void Simulation::run(std::function<void()> host_program, const Options& options) {
  if (failed_) throw RunError("the simulation cannot continue after an error");
  g_uncaught = nullptr;
  std::exception_ptr host_error;
  bool finished = false;

  sc_core::sc_spawn_options host_options;
  host_options.set_stack_size(kHostStackBytes);
  const sc_core::sc_process_handle host = sc_core::sc_spawn(
      [&] {
        try {
          host_program();
        } catch (const sc_core::sc_unwind_exception&) {
          throw;  // the kernel ends this thread
        } catch (...) {
          host_error = std::current_exception();
        }
        finished = true;
        if (options.windows == nullptr) sc_core::sc_pause();
      },
      fmt::format("host_program_{}", runs_).c_str(), &host_options);

  sc_core::sc_spawn_options interrupt_options;
  interrupt_options.spawn_method();
  interrupt_options.dont_initialize();
  interrupt_options.set_sensitivity(&watchdog_->interrupt);
  sc_core::sc_process_handle interrupter = sc_core::sc_spawn(
      [&] {
        sc_core::sc_process_handle target = host;
        if (!finished) target.throw_it(Interrupted());
      },
      fmt::format("interrupter_{}", runs_).c_str(), &interrupt_options);
  ++runs_;

  watchdog_->start(options);
  try {
    if (options.windows != nullptr) run_windows(*options.windows, finished, host_error);
    while (!finished) {
      sc_core::sc_start();
      if (!finished && !sc_core::sc_pending_activity()) break;
    }
  } catch (const sc_core::sc_report& report) {
    watchdog_->stop();
    failed_ = true;
    if (g_uncaught) std::rethrow_exception(g_uncaught);
    if (report.get_id() == kNoStack)
      throw RunError("not enough memory for the stacks of the model");
    throw RunError(fmt::format("SystemC: {}", report.get_msg()));
  } catch (...) {
    watchdog_->stop();
    failed_ = true;
    throw;
  }
  watchdog_->stop();
  if (!finished) {
    failed_ = true;
    const std::string detail = options.describe_rest ? options.describe_rest() : "";
    throw RunError(fmt::format(
        "the simulation came to rest at {:.3f} us while the host program was still waiting{}{}",
        static_cast<double>(now_fs()) * 1e-9, detail.empty() ? "" : ": ", detail));
  }
  interrupter.kill();
  if (host_error) std::rethrow_exception(host_error);
}

}  // namespace tern
