// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/run/run_worker.h"

#include <sys/prctl.h>

#include <csignal>
#include <exception>
#include <memory>

#include "sw/base/user_error.h"
#include "sw/nki/call/run_message.h"
#include "sw/nki/call/worker_process.h"
#include "sw/nki/run/line_track.h"
#include "sw/nki/run/run_log.h"
#include "sw/platform/platform.h"
#include "sw/runtime/program_file.h"
#include "systemc/trace/perfetto_sink.h"
#include "systemc/trace/sim_time.h"

namespace tern::nki {

namespace {

runtime::Overhead overhead_of(const CoreConfig& core) {
  return {sc_core::sc_time(core.kernel_start_ns, sc_core::SC_NS),
          sc_core::sc_time(core.kernel_end_ns, sc_core::SC_NS)};
}

void trace_overhead(trace::Bus& bus, trace::TrackId track, const runtime::RunResult& run,
                    const runtime::Overhead& overhead) {
  bus.span({track, "start of the kernel", to_fs(run.start), to_fs(run.start + overhead.start), {}});
  bus.span({track, "end of the kernel", to_fs(run.end - overhead.end), to_fs(run.end), {}});
}

RunResponse simulate(const RunRequest& request, const ChipOptions& options) {
  std::vector<ConfigOverride> overrides;
  for (const auto& [key, value] : request.settings) overrides.push_back({key, value, "--set"});
  Platform platform(request.chip, overrides, options);
  const runtime::Overhead overhead = overhead_of(platform.config.core);
  platform.runtime.set_overhead(overhead);
  const trace::TrackId track = platform.trace.add_track("core0", "runtime");
  std::shared_ptr<trace::PerfettoSink> trace;
  if (!request.trace_file.empty()) {
    trace = std::make_shared<trace::PerfettoSink>(request.trace_file);
    platform.trace.add_sink(std::make_shared<LineTrack>(trace, platform.trace, "core0"));
  }
  std::shared_ptr<RunLog> log;
  if (request.wants_spans) {
    log = std::make_shared<RunLog>("core0");
    platform.trace.add_sink(log);
  }
  const runtime::ProgramFile program = runtime::load_program(request.program);
  platform.hosted.set_running(program.parts.front());
  std::map<std::string, Bytes> inputs;
  for (const NamedBytes& tensor : request.inputs) {
    inputs[tensor.name] = Bytes(tensor.bytes.begin(), tensor.bytes.end());
  }
  const CallResult result = platform.call(program.parts.front(), inputs);
  trace_overhead(platform.trace, track, result.run, overhead);
  if (trace) trace->close();
  RunResponse response;
  response.latency_fs = to_fs(result.run.end - result.run.start);
  response.start_fs = to_fs(overhead.start);
  response.end_fs = to_fs(overhead.end);
  for (const auto& [name, bytes] : result.outputs) {
    response.outputs.push_back({name, std::string(bytes.begin(), bytes.end())});
  }
  if (log) response.spans = log->spans_from(to_fs(result.run.start), to_fs(result.run.end));
  return response;
}

RunResponse failure(RunResponse::Status status, const std::string& message) {
  RunResponse response;
  response.status = status;
  response.error = message;
  return response;
}

}  // namespace

int run_worker(int request, int response, const ChipOptions& options) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  RunResponse answer;
  try {
    const std::string message = read_message(request);  // it holds the program
    answer = simulate(request_from(message), options);
  } catch (const UserError& error) {
    answer = failure(RunResponse::Status::kUserError, error.what());
  } catch (const std::bad_alloc&) {
    answer = failure(RunResponse::Status::kRunError, "not enough memory");
  } catch (const std::exception& error) {
    answer = failure(RunResponse::Status::kRunError, error.what());
  }
  write_message(response, to_bytes(answer));
  return answer.status == RunResponse::Status::kGood ? 0 : 1;
}

}  // namespace tern::nki
