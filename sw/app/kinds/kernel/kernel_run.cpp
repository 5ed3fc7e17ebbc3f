// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "sw/app/kinds/kernel/kernel_workload.h"
#include "sw/app/kinds/program_run.h"

#include "sw/kernels/catalogue/case_errors.h"

namespace tern::app {
namespace {

// Words of an output in the result of an execution.
std::size_t output_words(const kernels::CaseOutput& output) {
  return (kernels::output_bytes(output) + 3) / sizeof(std::uint32_t);
}

Job kernel_job(const kernels::KernelCase& kernel) {
  Job job;
  job.programs.push_back(kernel.program);
  for (const kernels::CaseInput& input : kernel.inputs)
    job.tensors.push_back({input.name, input.bytes, false});
  for (const kernels::CaseOutput& output : kernel.outputs) {
    const std::vector<std::uint8_t> room(kernels::output_bytes(output));
    job.tensors.push_back({output.name, room, true});
  }
  return job;
}

// Errors of the first execution's outputs against FP64, and the cost model.
void judge_kernel(const kernels::KernelCase& kernel, RunRecord* record) {
  const std::vector<std::uint32_t>& result = record->executions.front().result;
  std::size_t word = 0;
  for (const kernels::CaseOutput& output : kernel.outputs) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(result.data() + word);
    record->output_errors.push_back(kernels::error_of(output, bytes));
    word += output_words(output);
  }
  record->cost = kernel.cost;
}

std::vector<ResultTensor> results_of(const kernels::KernelCase& kernel) {
  std::vector<ResultTensor> results;
  std::size_t word = 0;
  for (const kernels::CaseOutput& output : kernel.outputs) {
    const data::Shape shape(output.shape.begin(), output.shape.end());
    results.push_back({output.name, shape, word, output.dtype});
    word += output_words(output);
  }
  return results;
}

// Where a word of the result belongs: "out[3, 7]".
std::string output_place(const kernels::KernelCase& kernel, std::size_t word) {
  for (const kernels::CaseOutput& output : kernel.outputs) {
    const std::size_t words = output_words(output);
    if (word < words) {
      const std::size_t size = numerics::dtype_size(output.dtype);
      return kernels::element_place(output, word * sizeof(std::uint32_t) / size);
    }
    word -= words;
  }
  return "?";
}

}  // namespace

int run_kernel(const RunOptions& options, const KernelWorkload& workload) {
  return run_program(options, workload, [&](const ChipConfig& chip) {
    const auto kernel = std::make_shared<const kernels::KernelCase>(
        kernels::find_kernel(workload.kernel).make(workload.parameters, chip, options.seed));
    ProgramRun run;
    run.job = kernel_job(*kernel);
    run.results = results_of(*kernel);
    run.description = kernel->description;
    run.place = [kernel](std::size_t word) { return output_place(*kernel, word); };
    run.judge = [kernel](RunRecord* record) { judge_kernel(*kernel, record); };
    return run;
  });
}

std::vector<Kind> kernel_kinds() {
  return {make_kind("kernel", load_kernel, run_kernel, program_compared(),
                    {"--core", "--output", "--firmware", "--faults", "compile"})};
}

}  // namespace tern::app
