// SPDX-License-Identifier: Apache-2.0
#include "systemc/app/kernel_run.h"

#include "sw/kernels/catalogue/case_errors.h"

namespace tern::app {
namespace {

// Words of an output in the result of an execution.
std::size_t output_words(const kernels::CaseOutput& output) {
  return (kernels::output_bytes(output) + 3) / sizeof(std::uint32_t);
}

}  // namespace

kernels::KernelCase make_case(const Workload& workload, const ChipConfig& chip,
                              std::uint64_t seed) {
  return kernels::find_kernel(workload.kernel->kernel)
      .make(workload.kernel->parameters, chip, seed);
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

}  // namespace tern::app
