// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sw/app/host/job.h"
#include "sw/app/kinds/kind.h"
#include "sw/app/report/run_record.h"
#include "sw/config/chip_config.h"
#include "sw/data/dtype.h"
#include "sw/numerics/dtype.h"

namespace tern::app {

// A tensor within the words of a result.
struct ResultTensor {
  std::string name;
  data::Shape shape;
  std::size_t word = 0;  // its first
  numerics::DType dtype = numerics::DType::kFp32;
};

// A workload that is one job on core 0, made for a chip.
struct ProgramRun {
  Job job;
  std::string description;  // empty: the workload's own
  Place place;              // of a word of the result
  // What the result must be, and how good it is; the executions have been compared.
  std::function<void(RunRecord* record)> judge;
  std::vector<ResultTensor> results;  // what may be written (output_file.h)
  std::string main_result;            // what a file name alone means, of several
};

// Runs it with the back ends asked for and, when one is not the fast model, on a twin chip of
// models; judges, prints, writes the report. The exit code.
int run_program(const RunOptions& options, const Workload& workload,
                const std::function<ProgramRun(const ChipConfig& chip)>& make);

// What a comparison shows of such a run.
Compared program_compared();

// The words of a result as the FP32 numbers they are.
std::vector<float> floats_of(const std::vector<std::uint32_t>& bits);

// A result the user expects, from a .npy file.
struct ExpectedOutput {
  std::string path;
  std::vector<float> values;
  double tolerance = 0;  // largest |difference| / max(1, |expected|)
};

// The last values of the result against it.
void judge_expected(const ExpectedOutput& expected, const std::vector<float>& values,
                    RunRecord* record);

}  // namespace tern::app
