// SPDX-License-Identifier: Apache-2.0
// tern run: the workload on core 0 with the back end asked for, on a twin chip with the fast model
// when that is another one, and on the host by the reference; then the verdict.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>

#include "sw/data/atomic_file.h"
#include "systemc/app/job.h"
#include "systemc/app/kernel_run.h"
#include "systemc/app/moe_run.h"
#include "systemc/app/options.h"
#include "systemc/app/qos_run.h"
#include "systemc/app/report_folder.h"
#include "systemc/app/run_page.h"
#include "systemc/app/run_record.h"
#include "systemc/app/search_run.h"
#include "systemc/app/session.h"
#include "systemc/app/style.h"
#include "systemc/app/sweep.h"
#include "systemc/app/timeline_svg.h"
#include "systemc/app/train_run.h"
#include "systemc/config/user_error.h"

namespace tern::app {
namespace {

namespace fs = std::filesystem;

using Place = std::function<std::string(std::size_t word)>;

Comparison compare(const Place& place, const std::string& what, const std::vector<std::uint32_t>& a,
                   const std::vector<std::uint32_t>& b) {
  Comparison c;
  c.what = what;
  c.words = a.size();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    if (c.mismatches++ == 0) {
      c.first_difference = fmt::format("{} = 0x{:08x}, expected 0x{:08x}", place(i), a[i], b[i]);
    }
  }
  return c;
}

std::vector<float> floats_of(const std::vector<std::uint32_t>& bits) {
  std::vector<float> values(bits.size());
  if (!bits.empty()) std::memcpy(values.data(), bits.data(), bits.size() * sizeof(float));
  return values;
}

void judge_mlp(const MlpWorkload& mlp, const std::vector<float>& result, RunRecord* record) {
  if (mlp.labels.empty()) return;
  const float* probabilities = result.data() + mlp.batch * mlp.classes();
  for (std::size_t b = 0; b < mlp.batch; ++b) {
    const float* row = probabilities + b * mlp.classes();
    const auto winner = std::max_element(row, row + mlp.classes()) - row;
    const bool poisoned =
        std::any_of(row, row + mlp.classes(), [](float p) { return std::isnan(p); });
    record->correct += !poisoned && winner == mlp.labels[b] ? 1 : 0;
  }
  record->judged = mlp.batch;
  record->accuracy = static_cast<double>(record->correct) / static_cast<double>(record->judged);
  record->accuracy_expected = mlp.accuracy;
}

// rms(C - C64) / rms(C64) over at most 64 rows: the FP64 product of everything would outlast the
// simulation.
double error_against_fp64(const MatmulWorkload& w, const std::vector<float>& c) {
  double error = 0, norm = 0;
  const std::size_t step = (w.m + 63) / 64;
  std::vector<double> row(w.n);
  for (std::size_t i = 0; i < w.m; i += step) {
    std::fill(row.begin(), row.end(), 0.0);
    for (std::size_t r = 0; r < w.k; ++r) {
      for (std::size_t j = 0; j < w.n; ++j)
        row[j] += static_cast<double>(w.a[r * w.m + i]) * w.b[r * w.n + j];
    }
    for (std::size_t j = 0; j < w.n; ++j) {
      const double difference = c[i * w.n + j] - row[j];
      error += difference * difference;
      norm += row[j] * row[j];
    }
  }
  return norm > 0 ? std::sqrt(error / norm) : 0;
}

// The executions with one another.
void compare_executions(const Place& place, RunRecord* record) {
  const Execution& first = record->executions.front();
  for (std::size_t i = 1; i < record->executions.size(); ++i) {
    const Execution& other = record->executions[i];
    record->comparisons.push_back(compare(
        place, fmt::format("{} = {}", first.label(), other.label()), first.result, other.result));
    record->cycles_agree &= first.tensor_cycles == other.tensor_cycles;
  }
}

void judge(const Workload& workload, RunRecord* record) {
  const std::vector<std::uint32_t>& result = record->executions.front().result;
  const Place place = [&](std::size_t word) { return result_place(workload, word); };
  compare_executions(place, record);
  record->comparisons.push_back(
      compare(place, fmt::format("{} = host reference", record->executions[0].label()), result,
              reference_result(workload)));
  const std::vector<float> values = floats_of(result);
  if (workload.mlp) judge_mlp(*workload.mlp, values, record);
  if (workload.matmul) record->error_rms_fp64 = error_against_fp64(*workload.matmul, values);
  if (workload.expected) {
    const auto& expected = *workload.expected;
    const std::size_t offset = values.size() - expected.values.size();  // mlp: the probabilities
    double worst = 0;
    for (std::size_t i = 0; i < expected.values.size(); ++i) {
      if (values[offset + i] == expected.values[i]) continue;  // infinities too
      const double difference =
          std::fabs(static_cast<double>(values[offset + i]) - expected.values[i]) /
          std::max(1.0, std::fabs(static_cast<double>(expected.values[i])));
      worst = std::isnan(difference) ? INFINITY : std::max(worst, difference);
    }
    record->error_expected = worst;
    record->tolerance = expected.tolerance;
  }
}

}  // namespace

int run_command(const RunOptions& options) {
  const Workload workload = load_workload(options.workload, options.seed);
  const auto& train = options.train;
  if (!workload.train && (train.resume || !train.checkpoint.empty() || !train.rtl_steps.empty()))
    throw UserError("--resume, --checkpoint, --rtl-steps: only with kind train");
  prepare_report_folder(options.report);
  if (workload.search) return run_search(options, workload);
  if (!options.queries.empty())
    throw UserError(fmt::format("--query: {} is not of kind search", options.workload));
  if (workload.qos) return run_qos(options, workload);
  if (workload.train) return run_train(options, workload);
  if (workload.moe) return run_moe(options, workload);
  if (workload.sweep) return run_sweep(options, workload);

  RunRecord record;
  static_cast<RunHeader&>(record) = run_header(options, workload);
  std::string page;
  {
    Session session(options);
    record.chip = session.config().name;
    if (workload.kernel) {
      const kernels::KernelCase kernel = make_case(workload, session.config(), options.seed);
      record.description = kernel.description;
      record.executions = session.run(kernel_job(kernel));
      judge_kernel(kernel, &record);
      compare_executions([&](std::size_t word) { return output_place(kernel, word); }, &record);
    } else {
      record.executions = session.run(make_job(workload, session.config()));
      judge(workload, &record);
    }
    session.close_trace();
    if (session.spans() != nullptr) {
      record.parts = session.profile()->parts();
      record.lines = session.profile()->lines();
      record.timeline_path = (fs::path(options.report) / "timeline.svg").string();
      const Execution& e = record.executions.front();
      const std::string title =
          fmt::format("{}: {} on {}", record.workload, record.description, record.chip);
      data::write_file(record.timeline_path,
                       timeline_svg(*session.spans(), {title, e.begin_fs, e.end_fs}));
      page = run_page(record, session.spans());
    }
  }  // closes the waveform

  if (!options.report.empty()) {
    const fs::path folder(options.report);
    record.report_path = (folder / "report.html").string();
    data::write_file(record.report_path, page);
    data::write_file(folder / "report.json", record_json(record));
    data::write_file(folder / "report.md", record_markdown(record));
  }
  fmt::print("{}", options.json ? record_json(record) : summary_text(record, coloured_output()));
  return record.passed() ? 0 : 1;
}

}  // namespace tern::app
