// SPDX-License-Identifier: Apache-2.0
#include "systemc/app/kernel_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "systemc/numerics/convert.h"

namespace tern::app {
namespace {

using numerics::DType;

std::size_t element_count(const kernels::CaseOutput& output) {
  std::size_t count = 1;
  for (const std::uint64_t extent : output.shape) count *= extent;
  return count;
}

std::size_t output_bytes(const kernels::CaseOutput& output) {
  return element_count(output) * numerics::dtype_size(output.dtype);
}

std::size_t output_words(const kernels::CaseOutput& output) {
  return (output_bytes(output) + 3) / sizeof(std::uint32_t);
}

double element(DType dtype, const std::uint8_t* bytes) {
  if (dtype == DType::kInt32) {  // not through FP32, which rounds above 2^24
    std::int32_t value = 0;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  }
  if (dtype == DType::kUint32) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  }
  return static_cast<double>(numerics::widen_element(dtype, bytes));
}

// "out[3, 7]"
std::string element_place(const kernels::CaseOutput& output, std::size_t index) {
  std::string indices;
  for (std::size_t d = output.shape.size(); d-- > 0;) {
    indices = std::to_string(index % output.shape[d]) + (indices.empty() ? "" : ", ") + indices;
    index /= output.shape[d];
  }
  return fmt::format("{}[{}]", output.name, indices);
}

OutputError error_of(const kernels::CaseOutput& output, const std::uint8_t* bytes) {
  OutputError error;
  error.name = output.name;
  error.tolerance = output.tolerance;
  const std::size_t size = numerics::dtype_size(output.dtype);
  double squares = 0, norm = 0;
  std::size_t worst = 0;
  for (std::size_t i = 0; i < output.expected.size(); ++i) {
    const double value = element(output.dtype, bytes + i * size), expected = output.expected[i];
    const bool same = value == expected || (std::isnan(value) && std::isnan(expected));
    if (same) {
      norm += std::isfinite(expected) ? expected * expected : 0;
      continue;
    }
    const double difference = std::fabs(value - expected);
    const double scaled = difference / std::max(1.0, std::fabs(expected));
    const double here = std::isnan(scaled) ? INFINITY : scaled;
    if (here > error.largest) worst = i;
    error.largest = std::max(error.largest, here);
    squares += difference * difference;
    norm += expected * expected;
  }
  error.rms = norm > 0 ? std::sqrt(squares / norm) : std::sqrt(squares);
  error.place = element_place(output, worst);
  return error;
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
    job.tensors.push_back({output.name, std::vector<std::uint8_t>(output_bytes(output)), true});
  }
  return job;
}

void judge_kernel(const kernels::KernelCase& kernel, RunRecord* record) {
  const std::vector<std::uint32_t>& result = record->executions.front().result;
  std::size_t word = 0;
  for (const kernels::CaseOutput& output : kernel.outputs) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(result.data() + word);
    record->output_errors.push_back(error_of(output, bytes));
    word += output_words(output);
  }
  record->cost = kernel.cost;
}

std::string output_place(const kernels::KernelCase& kernel, std::size_t word) {
  for (const kernels::CaseOutput& output : kernel.outputs) {
    const std::size_t words = output_words(output);
    if (word < words) {
      return element_place(output,
                           word * sizeof(std::uint32_t) /
                               std::max<std::size_t>(numerics::dtype_size(output.dtype), 1));
    }
    word -= words;
  }
  return "?";
}

}  // namespace tern::app
