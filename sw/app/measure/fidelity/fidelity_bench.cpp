// SPDX-License-Identifier: Apache-2.0
#include "sw/app/measure/fidelity/fidelity_bench.h"

#include <algorithm>

#include "sw/base/user_error.h"
#include "sw/config/load_chip_config.h"
#include "sw/runtime/runtime.h"
#include "systemc/trace/sim_time.h"

namespace tern::app {

FidelityBench::FidelityBench(const std::vector<std::string>& chips) {
  for (const std::string& name : chips)
    chips_[name] = std::make_unique<MeasuredChip>(name, load_chip_config(name, {}).chip);
}

DmaSteps FidelityBench::transfer(const std::string& name, DmaQuestion question) const {
  return measure_steps(chip(name), question);
}

double FidelityBench::rate(const std::string& name, std::uint32_t bytes_per_partition) {
  const auto [known, added] = rates_.insert({{name, bytes_per_partition}, 0});
  if (!added) return known->second;
  DmaQuestion question;
  question.bytes = bytes_per_partition;
  question.starts = 1;
  if (chip(name).config().dma.hwdge) question.descriptors = DescriptorMaker::kHardware;
  return known->second = measure_point(chip(name), question).gb_per_s;
}

double FidelityBench::rate_by_host(const std::string& name,
                                   std::uint32_t bytes_per_partition) const {
  DmaQuestion question;
  question.bytes = bytes_per_partition;
  question.starts = 1;
  return measure_point(chip(name), question).gb_per_s;
}

double FidelityBench::program_us(const std::string& name, const Executable& program) const {
  MeasuredChip& on = chip(name);
  runtime::Runtime runtime(on.host());
  std::vector<runtime::Buffer> buffers;
  buffers.reserve(program.tensors.size());
  runtime::Runtime::Bindings bindings;
  for (const TensorInfo& tensor : program.tensors) {
    buffers.push_back(runtime.allocate(tensor.name, tensor.bytes()));
    bindings[tensor.name] = &buffers.back();
  }
  runtime::Program loaded = runtime.load(program, bindings);
  on.settle();
  const double us = runtime.run(loaded).seconds() * 1e6;
  for (runtime::Buffer& buffer : buffers) runtime.free(buffer);
  return us;
}

std::uint64_t FidelityBench::run(const std::string& name, const Build& build) const {
  kernels::KernelBuilder kb("fidelity", chip(name).config());
  kb.check_use(false);  // times do not depend on the operands
  build(kb);
  const std::uint64_t begin = now_fs();
  program_us(name, kb.finish());
  return begin;
}

std::vector<trace::SpanLog::Entry> FidelityBench::spans(const std::string& name,
                                                        const std::string& queue,
                                                        const std::string& instruction,
                                                        std::uint64_t begin_fs) const {
  auto found = spans_since(chip(name).spans(0), queue, instruction, begin_fs);
  if (found.empty()) throw RunError("no " + instruction + " in the trace of " + queue);
  return found;
}

double FidelityBench::latency_ns(const std::string& name, const std::string& queue,
                                 const std::string& instruction, const Build& build) const {
  const std::uint64_t begin = run(name, build);
  const std::uint64_t start = spans(name, queue, instruction, begin).back().begin_fs;
  const std::uint64_t next = spans(name, "gpsimd", "tensor_copy", begin).back().begin_fs;
  return static_cast<double>(next - start) * 1e-6 - chip(name).config().core.semaphore_latency_ns;
}

double FidelityBench::interval_ns(const std::string& name, const std::string& queue,
                                  const std::string& instruction, const Build& build,
                                  std::size_t before) const {
  const auto found = spans(name, queue, instruction, run(name, build));
  // The first one's begin is drawn at the end of what came before it.
  return static_cast<double>(found.back().begin_fs - found.at(before).begin_fs) * 1e-6 /
         static_cast<double>(found.size() - 1 - before);
}

}  // namespace tern::app
