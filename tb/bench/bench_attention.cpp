// SPDX-License-Identifier: Apache-2.0
// The attention kernel on a simulated core, fast models: time, busy share of every engine, what
// bounds it (docs/attention.md). Use: bench_attention [--chip NAME] [--set KEY=VALUE]... [--seq N]
// [--heads N] [--d N] [--chunk N] [--exp vector|scalar] [--mask full|causal] [--trace FILE]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "sw/kernels/attention.h"
#include "systemc/engines/instruction_interval.h"
#include "systemc/trace/perfetto_sink.h"
#include "tb/runtime/platform.h"

namespace {

using namespace tern;  // NOLINT: program

struct Choice {
  std::string chip = "trn3";
  std::vector<ConfigOverride> overrides;
  std::vector<std::uint64_t> lengths = {2048, 4096, 8192};
  std::uint32_t d = 128, chunk = 2048;
  std::uint64_t heads = 1;
  std::string exp, trace, mask;
};

const EngineConfig& engine(const CoreConfig& core, unsigned queue) {
  if (queue == TERN_QUEUE_VECTOR) return core.vector;
  return queue == TERN_QUEUE_SCALAR ? core.scalar : core.gpsimd;
}

// Time for which the instructions of a queue occupy their engine, by the formulas of its README.
double occupied_us(const Executable& program, unsigned queue, const ChipConfig& chip) {
  const EngineConfig& config = engine(chip.core, queue);
  IntervalRules rules;
  rules.min_interval = config.min_interval;
  rules.scalar_double_rate = chip.core.scalar_features.double_rate;
  rules.exp_per_cycle = std::max(1u, chip.core.vector.exp_per_cycle);
  std::uint64_t cycles = 0;
  Operation operation;
  for (const tern_instruction_t& instruction : program.queues[queue]) {
    if (instruction.header.opcode == TERN_OPCODE_EXTEND) {
      operation.extension = instruction.extend;
      continue;
    }
    operation.instruction = instruction;
    cycles += instruction_interval(operation, queue, rules);
    operation = Operation();
  }
  return static_cast<double>(cycles) / config.clock_ghz * 1e-3;
}

void measure(tb::Platform& platform, const kernels::AttentionSpec& spec) {
  const ChipConfig& chip = platform.config;
  runtime::Runtime& runtime = platform.runtime;
  const auto wall = std::chrono::steady_clock::now();
  Executable program = kernels::build_attention(spec, chip);
  std::vector<runtime::Buffer> buffers;
  runtime::Runtime::Bindings bindings;
  buffers.reserve(program.tensors.size());
  for (const TensorInfo& tensor : program.tensors) {
    buffers.push_back(runtime.allocate(tensor.name, tensor.bytes()));
    bindings[tensor.name] = &buffers.back();
  }
  auto loaded = runtime.load(program, bindings);
  platform.chip.core(0).reset_tensor_counters();
  const double us = runtime.run(loaded).seconds() * 1e6;
  const TensorEngineCounters& tensor = platform.chip.core(0).tensor_counters();
  const double elapsed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
  const double pairs =
      spec.causal ? static_cast<double>(spec.queries) * (static_cast<double>(spec.queries) + 1) / 2
                  : static_cast<double>(spec.queries) * static_cast<double>(spec.keys);
  const auto share = [&](unsigned queue) { return occupied_us(program, queue, chip) / us * 100; };
  std::printf("| %5llu %-6s | %8.1f | %5.1f | %5.1f | %5.1f | %5.1f | %6.1f | %5.2f s |\n",
              static_cast<unsigned long long>(spec.queries), spec.causal ? "causal" : "full", us,
              static_cast<double>(tensor.columns) / (us * chip.core.tensor_clock_ghz * 1e3) * 100,
              share(TERN_QUEUE_VECTOR), share(TERN_QUEUE_SCALAR), share(TERN_QUEUE_GPSIMD),
              4 * pairs * spec.d * static_cast<double>(spec.heads) / us * 1e-6, elapsed);
  std::fflush(stdout);
}

int run(const Choice& choice) {
  tb::Platform platform(choice.chip, choice.overrides);
  const bool has_unit = platform.config.core.vector.exp_per_cycle > 0;
  const bool on_vector = choice.exp.empty() ? has_unit : choice.exp == "vector";
  std::shared_ptr<trace::PerfettoSink> sink;
  if (!choice.trace.empty()) {
    sink = std::make_shared<trace::PerfettoSink>(choice.trace);
    platform.trace.add_sink(sink);
  }
  std::printf("|              |  time us | tensor | Vector | Scalar | GpSimd | TFLOPS | wall |\n");
  platform.run([&] {
    for (const bool causal : {false, true}) {
      if (choice.mask == (causal ? "full" : "causal")) continue;
      for (const std::uint64_t length : choice.lengths) {
        kernels::AttentionSpec spec;
        spec.queries = spec.keys = length;
        spec.heads = choice.heads;
        spec.d = choice.d;
        spec.chunk = choice.chunk;
        spec.causal = causal;
        spec.exp = on_vector ? kernels::AttentionExp::kVector : kernels::AttentionExp::kScalar;
        measure(platform, spec);
      }
    }
  });
  if (sink) sink->close();
  return 0;
}

}  // namespace

int sc_main(int argc, char** argv) {
  Choice choice;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string key = argv[i], value = argv[i + 1];
    if (key == "--chip") choice.chip = value;
    if (key == "--seq") choice.lengths = {std::strtoull(value.c_str(), nullptr, 10)};
    if (key == "--heads") choice.heads = std::strtoull(value.c_str(), nullptr, 10);
    if (key == "--d") choice.d = static_cast<std::uint32_t>(std::stoul(value));
    if (key == "--chunk") choice.chunk = static_cast<std::uint32_t>(std::stoul(value));
    if (key == "--exp") choice.exp = value;
    if (key == "--mask") choice.mask = value;
    if (key == "--trace") choice.trace = value;
    if (key == "--set") {
      const std::size_t split = value.find('=');
      choice.overrides.push_back({value.substr(0, split), value.substr(split + 1), "--set"});
    }
  }
  return run(choice);
}
