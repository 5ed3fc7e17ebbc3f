// SPDX-License-Identifier: Apache-2.0
#include "tb/runtime/case_runner.h"

#include <catch2/catch.hpp>

namespace tern::tb {

CaseResult run_case(Platform& platform, const kernels::KernelCase& kernel) {
  runtime::Runtime& runtime = platform.runtime;
  std::vector<runtime::Buffer> buffers;
  runtime::Runtime::Bindings bindings;
  buffers.reserve(kernel.inputs.size() + kernel.outputs.size());
  for (const kernels::CaseInput& input : kernel.inputs) {
    buffers.push_back(runtime.allocate(input.name, input.bytes.size()));
    runtime.copy_to_device(buffers.back(), input.bytes.data(), input.bytes.size());
    bindings[input.name] = &buffers.back();
  }
  CaseResult result;
  for (const kernels::CaseOutput& output : kernel.outputs) {
    result.outputs.emplace_back(kernels::output_bytes(output), std::uint8_t{0xA5});
    buffers.push_back(runtime.allocate(output.name, result.outputs.back().size()));
    runtime.copy_to_device(buffers.back(), result.outputs.back().data(), buffers.back().bytes());
    bindings[output.name] = &buffers.back();
  }
  auto program = runtime.load(kernel.program, bindings);
  result.microseconds = runtime.run(program).seconds() * 1e6;
  for (std::size_t i = 0; i < kernel.outputs.size(); ++i) {
    const runtime::Buffer& buffer = buffers[kernel.inputs.size() + i];
    runtime.copy_from_device(buffer, result.outputs[i].data(), buffer.bytes());
    result.errors.push_back(kernels::error_of(kernel.outputs[i], result.outputs[i].data()));
  }
  return result;
}

CaseResult check_kernel(Platform& platform, const std::string& kernel,
                        const ParameterList& parameters, std::uint64_t seed) {
  const kernels::Kernel& entry = kernels::find_kernel(kernel);
  kernels::Parameters values(entry.parameters);
  for (const auto& [name, value] : parameters) values.set(name, value);
  const kernels::KernelCase instance = entry.make(values, platform.config, seed);
  INFO(instance.description << ", seed " << seed);
  CaseResult result = run_case(platform, instance);
  for (const kernels::OutputError& error : result.errors) {
    INFO(error.place << ": " << error.largest << ", tolerance " << error.tolerance);
    CHECK(error.within());
  }
  CHECK_FALSE(instance.cost.empty());
  for (const kernels::CostLine& line : instance.cost) {
    INFO(line.resource << ": " << line.formula << " = " << line.microseconds << " us, simulated "
                       << result.microseconds);
    CHECK(line.microseconds <= result.microseconds);
  }
  return result;
}

}  // namespace tern::tb
