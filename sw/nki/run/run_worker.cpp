// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/run/run_worker.h"

#include <sys/prctl.h>

#include <csignal>
#include <exception>
#include <memory>
#include <utility>

#include "sw/base/stop.h"
#include "sw/base/user_error.h"
#include "sw/nki/call/run_message.h"
#include "sw/nki/call/worker_process.h"
#include "sw/nki/run/line_track.h"
#include "sw/nki/run/run_hint.h"
#include "sw/nki/run/run_log.h"
#include "sw/nki/run/run_parts.h"
#include "sw/nki/run/run_system.h"
#include "sw/platform/platform.h"
#include "sw/runtime/program_file.h"
#include "systemc/trace/perfetto_sink.h"
#include "systemc/trace/sim_time.h"

namespace tern::nki {

namespace {

void trace_overhead(trace::Bus& bus, trace::TrackId track, const PartsResult& run,
                    const runtime::Overhead& overhead) {
  const std::uint64_t begin = run.start_fs + to_fs(overhead.start);
  bus.span({track, "start of the kernel", run.start_fs, begin, {}});
  bus.span({track, "end of the kernel", run.end_fs - to_fs(overhead.end), run.end_fs, {}});
}

// Tells the observer that the chip is gone, also when an exception ends the run.
class Watched {
 public:
  explicit Watched(RunObserver* observer) : observer_(observer) {}
  ~Watched() { observer_->gone(); }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

 private:
  RunObserver* observer_;
};

// message: holds the request.
RunResponse simulate(const RunRequest& request, const Message& message, RunObserver* observer) {
  const Watched watched(observer);
  Platform platform(request.chip, overrides_of(request), observer->chip_options(request));
  observer->built(request, platform);
  const runtime::Overhead overhead = overhead_of(platform.config.core);
  platform.runtime.set_overhead(overhead);
  const trace::TrackId track = platform.trace.add_track("core0", "runtime");
  runtime::ProgramFile program = runtime::load_program(request.program);
  std::shared_ptr<trace::PerfettoSink> trace;
  if (!request.trace_file.empty()) {
    trace = std::make_shared<trace::PerfettoSink>(request.trace_file);
    std::shared_ptr<trace::Sink> lines =
        std::make_shared<LineTrack>(trace, platform.trace, "core0", "kernel");
    if (program.parts.size() > 1) {
      lines = std::make_shared<LineTrack>(lines, platform.trace, "core1", "kernel on core 1");
    }
    platform.trace.add_sink(lines);
  }
  std::shared_ptr<RunLog> log;
  if (request.wants_spans) {
    log = std::make_shared<RunLog>();
    platform.trace.add_sink(log);
  }
  message.release(request.program);
  Platform::InputViews inputs;
  for (const NamedView& tensor : request.inputs) inputs[tensor.name] = tensor.bytes;
  Simulation::Options options;
  options.stop = &base::stop_request();
  options.progress = RunHint(program.parts.front().name);
  PartsResult result = run_parts(platform, std::move(program), inputs, overhead, options);
  trace_overhead(platform.trace, track, result, overhead);
  if (trace) trace->close();
  observer->ran(request, result);
  std::vector<RunSpan> spans;
  if (log) spans = log->spans_from(result.start_fs, result.end_fs);
  RunResponse response = response_of(std::move(result), overhead);
  response.spans = std::move(spans);
  return response;
}

RunResponse failure(RunResponse::Status status, const std::string& message) {
  RunResponse response;
  response.status = status;
  response.error = message;
  return response;
}

}  // namespace

std::vector<ConfigOverride> overrides_of(const RunRequest& request) {
  std::vector<ConfigOverride> overrides;
  for (const auto& [key, value] : request.settings) overrides.push_back({key, value, "--set"});
  return overrides;
}

int run_worker(int request, int response, RunObserver* observer) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  RunResponse answer;
  try {
    const Message message(request);  // it holds the program and the inputs
    const RunRequest asked = request_from(message.bytes());
    answer =
        asked.system.empty() ? simulate(asked, message, observer) : run_on_system(asked, message);
    observer->finish(asked);
  } catch (const UserError& error) {
    answer = failure(RunResponse::Status::kUserError, error.what());
  } catch (const std::bad_alloc&) {
    answer = failure(RunResponse::Status::kRunError, "not enough memory");
  } catch (const std::exception& error) {
    answer = failure(RunResponse::Status::kRunError, error.what());
  }
  send(answer, message_writer(response));
  return answer.status == RunResponse::Status::kGood ? 0 : 1;
}

}  // namespace tern::nki
