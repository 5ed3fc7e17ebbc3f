// SPDX-License-Identifier: Apache-2.0
// The attention kernel on a simulated core, fast models: time, busy share of every engine, what
// bounds it (docs/attention.md). bench_attention --help lists the options.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "sw/base/user_error.h"
#include "sw/kernels/attention.h"
#include "systemc/engines/vector/instruction_interval.h"
#include "systemc/trace/perfetto_sink.h"
#include "tb/bench/bench_support.h"
#include "tb/runtime/platform.h"

namespace {

using namespace tern;  // NOLINT: program

struct Choice {
  std::string chip = "trn3";
  std::vector<ConfigOverride> overrides;
  std::vector<std::uint64_t> lengths = {2048, 4096, 8192};
  std::uint32_t d = 128, chunk = 2048;
  std::uint64_t heads = 1;
  std::string exp, trace, mask, json;
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
  rules.vector = chip.core.vector_features;
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

struct Measured {
  double tensor_share = 0, wall_seconds = 0;  // columns streamed / cycles; host time
};

Measured measure(tb::Platform& platform, const kernels::AttentionSpec& spec) {
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
  const TensorActivity& tensor = platform.chip.core(0).tensor_counters();
  const double elapsed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
  const double pairs =
      spec.causal ? static_cast<double>(spec.queries) * (static_cast<double>(spec.queries) + 1) / 2
                  : static_cast<double>(spec.queries) * static_cast<double>(spec.keys);
  const double tensor_share =
      static_cast<double>(tensor.columns) / (us * chip.core.tensor_clock_ghz * 1e3);
  const auto share = [&](unsigned queue) { return occupied_us(program, queue, chip) / us * 100; };
  std::printf("| %5llu %-6s | %8.1f | %5.1f | %5.1f | %5.1f | %5.1f | %6.1f | %5.2f s |\n",
              static_cast<unsigned long long>(spec.queries), spec.causal ? "causal" : "full", us,
              tensor_share * 100, share(TERN_QUEUE_VECTOR), share(TERN_QUEUE_SCALAR),
              share(TERN_QUEUE_GPSIMD),
              4 * pairs * spec.d * static_cast<double>(spec.heads) / us * 1e-6, elapsed);
  std::fflush(stdout);
  return {tensor_share, elapsed};
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
  std::vector<std::pair<std::string, double>> figures;
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
        const Measured measured = measure(platform, spec);
        const std::string name =
            "attention_" + std::to_string(length) + (causal ? "_causal" : "_full");
        figures.emplace_back(name + "_tensor_share", measured.tensor_share);
        figures.emplace_back(name + "_wall_s", measured.wall_seconds);
      }
    }
  });
  if (sink) sink->close();
  bench::write_figures(choice.json, figures);
  return 0;
}

}  // namespace

int sc_main(int argc, char** argv) {
  Choice choice;
  std::vector<std::string> settings;
  CLI::App app{"The attention kernel on a simulated core, fast models", "bench_attention"};
  app.add_option("--chip", choice.chip, "Preset or chip YAML")->capture_default_str();
  app.add_option("--set", settings, "KEY=VALUE of the chip (repeatable)");
  app.add_option("--seq", choice.lengths, "Queries and keys")->capture_default_str();
  app.add_option("--heads", choice.heads)->check(CLI::Range(1, 1024))->capture_default_str();
  app.add_option("--d", choice.d, "Head size")->check(CLI::Range(1, 128))->capture_default_str();
  app.add_option("--chunk", choice.chunk, "Keys between two corrections")->capture_default_str();
  app.add_option("--exp", choice.exp, "Engine of the exponentials; without: what the chip has")
      ->check(CLI::IsMember({"vector", "scalar"}));
  app.add_option("--mask", choice.mask, "Only this; without: both")
      ->check(CLI::IsMember({"full", "causal"}));
  app.add_option("--trace", choice.trace, "File of a timeline");
  app.add_option("--json", choice.json, "File of the figures");
  CLI11_PARSE(app, argc, argv);
  try {
    for (const std::string& setting : settings) {
      const std::size_t split = setting.find('=');
      if (split == std::string::npos) throw UserError("--set: expected KEY=VALUE, got " + setting);
      choice.overrides.push_back({setting.substr(0, split), setting.substr(split + 1), "--set"});
    }
    return run(choice);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_attention: %s\n", error.what());
    return 1;
  }
}
