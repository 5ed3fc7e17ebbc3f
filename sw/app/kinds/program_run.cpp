// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/program_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "sw/app/host/session.h"
#include "sw/app/kinds/compile.h"
#include "sw/app/report/write_report.h"
#include "sw/numerics/convert.h"

namespace tern::app {
namespace {

// The executions with one another.
void compare_executions(const Place& place, RunRecord* record) {
  const Execution& first = record->executions.front();
  record->cycles_agree &= first.units_agree();
  for (std::size_t i = 1; i < record->executions.size(); ++i) {
    const Execution& other = record->executions[i];
    record->comparisons.push_back(compare(
        place, fmt::format("{} = {}", first.label(), other.label()), first.result, other.result));
    record->cycles_agree &= first.tensor_cycles == other.tensor_cycles && other.units_agree();
    record->times_agree &= first.duration_fs() == other.duration_fs();
  }
}

// As NumPy has it: integers as they are, numbers of every float format in FP32.
data::NpyArray array_of(const ResultTensor& tensor, const std::vector<std::uint32_t>& result) {
  using numerics::DType;
  static constexpr std::pair<DType, data::DType> kIntegers[] = {
      {DType::kUint8, data::DType::kU8},
      {DType::kUint16, data::DType::kU16},
      {DType::kInt32, data::DType::kI32},
      {DType::kUint32, data::DType::kU32}};
  const std::size_t count = data::element_count(tensor.shape).value();
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(result.data() + tensor.word);
  for (const auto& [from, to] : kIntegers) {
    if (from == tensor.dtype) return {to, tensor.shape, {bytes, bytes + count * data::size_of(to)}};
  }
  std::vector<float> values(count);
  numerics::widen(tensor.dtype, bytes, values.data(), count);
  return float_array(tensor.shape, values);
}

OutputFiles output_files(const RunOptions& options, const Workload& workload,
                         const ProgramRun& program) {
  std::vector<std::string> names;
  for (const ResultTensor& tensor : program.results) names.push_back(tensor.name);
  return {options, workload, names, program.main_result};
}

}  // namespace

std::vector<float> floats_of(const std::vector<std::uint32_t>& bits) {
  std::vector<float> values(bits.size());
  if (!bits.empty()) std::memcpy(values.data(), bits.data(), bits.size() * sizeof(float));
  return values;
}

void judge_expected(const ExpectedOutput& expected, const std::vector<float>& values,
                    RunRecord* record) {
  const std::size_t offset = values.size() - expected.values.size();
  double worst = 0;
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    const double value = values[offset + i], wanted = expected.values[i];
    if (value == wanted) continue;  // infinities too
    if (std::isnan(value) && std::isnan(wanted)) continue;
    const double difference = std::fabs(value - wanted) / std::max(1.0, std::fabs(wanted));
    worst = std::isnan(difference) ? INFINITY : std::max(worst, difference);
  }
  record->error_expected = worst;
  record->tolerance = expected.tolerance;
}

Compared program_compared() {
  return {"",
          {},
          {{"simulated us", "/executions/0/simulated_us"},
           {"tensor cycles", "/executions/0/tensor_cycles"},
           {"tensor utilisation", "/executions/0/tensor_utilisation", true},
           {"energy uJ", "/executions/0/energy/uj"}}};
}

int run_program(const RunOptions& options, const Workload& workload,
                const std::function<ProgramRun(const ChipConfig& chip)>& make) {
  if (!options.compile.output.empty()) {
    const ChipConfig chip = chip_of(options);
    return compile_job(options, workload, make(chip).job, chip);
  }
  RunRecord record;
  static_cast<RunHeader&>(record) = run_header(options, workload);
  Report report;
  {
    Session session(options);
    record.chip = session.config().name;
    const ProgramRun program = make(session.config());
    if (!program.description.empty()) record.description = program.description;
    const OutputFiles outputs = output_files(options, workload, program);
    record.executions = session.run(program.job);
    record.management = session.management();
    record.faults = session.faults();
    compare_executions(program.place, &record);
    program.judge(&record);
    for (const ResultTensor& tensor : program.results) {
      if (outputs.wants(tensor.name))
        outputs.write(tensor.name, array_of(tensor, record.executions.front().result), &record);
    }
    session.close_trace();
    if (session.spans() != nullptr) {
      record.parts = session.profile()->parts();
      record.lines = session.profile()->lines();
      record.timeline_path = (std::filesystem::path(options.report) / "timeline.svg").string();
    }
    report = report_of(record, session.spans());
  }  // closes the waveform
  check_wave(options.wave);
  return write_report(report, options.report, options.json);
}

}  // namespace tern::app
