// SPDX-License-Identifier: Apache-2.0
#include "sw/app/gpsimd/gpsimd_command.h"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>

#include "sw/app/gpsimd/sbuf_file.h"
#include "sw/app/host/interrupt.h"
#include "sw/app/host/measured_chip.h"
#include "sw/app/report/named_files.h"
#include "sw/app/report/text.h"
#include "sw/app/report/version.h"
#include "sw/app/report/write_report.h"
#include "sw/base/input_file.h"
#include "sw/base/user_error.h"
#include "sw/kernels/builder/kernel_builder.h"
#include "sw/platform/live/live_publisher.h"
#include "sw/runtime/runtime.h"
#include "systemc/chip/simulation.h"
#include "systemc/gpsimd/debug/debugger.h"

namespace tern::app {

namespace {

constexpr unsigned kProcessors = 8, kArguments = 8, kPartitions = TERN_CORE_SBUF_COUNT;
constexpr unsigned kLanes = kPartitions / kProcessors;  // partitions of a processor

// Of FP32 the bits.
std::uint32_t argument_of(const std::string& text) {
  const bool real = text.find('.') != std::string::npos;
  char* end = nullptr;
  errno = 0;
  if (real) {
    const float value = std::strtof(text.c_str(), &end);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    if (*end == 0 && std::isfinite(value)) return bits;
  } else if (!text.empty() && std::isspace(static_cast<unsigned char>(text[0])) == 0) {
    const long long value = std::strtoll(text.c_str(), &end, 0);
    if (*end == 0 && errno == 0 && value >= INT32_MIN && value <= UINT32_MAX)
      return static_cast<std::uint32_t>(value);
  }
  throw UserError(fmt::format(
      "--args: expected whole numbers of 32 bits, or numbers with a point for FP32, got '{}'",
      text));
}

std::vector<std::uint32_t> arguments_of(const GpsimdOptions& options) {
  if (options.arguments.size() > kArguments) {
    throw UserError(fmt::format("--args: expected at most {} arguments, got {}", kArguments,
                                options.arguments.size()));
  }
  std::vector<std::uint32_t> values;
  for (const std::string& text : options.arguments) values.push_back(argument_of(text));
  return values;
}

unsigned mask_of(const std::vector<unsigned>& processors) {
  if (processors.empty()) return (1u << kProcessors) - 1;
  unsigned mask = 0;
  for (const unsigned p : processors) mask |= 1u << p;
  return mask;
}

// SBUF as bytes, and what of it goes in and out.
Executable program_of(const Blob& file, unsigned mask, const std::vector<std::uint32_t>& arguments,
                      const std::vector<SbufInput>& inputs, const std::vector<SbufOutput>& outputs,
                      const ChipConfig& chip) {
  using kernels::DType;
  kernels::KernelBuilder kb(file.name, chip);
  const kernels::Tile sbuf =
      kb.sbuf_tile("sbuf", kPartitions, chip.core.sbuf_partition_bytes, DType::kUint8);
  kb.already_written(sbuf);  // what no input covers is zero
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const SbufInput& in = inputs[i];
    const auto rows = static_cast<unsigned>(in.rows());
    const auto bytes = static_cast<unsigned>(in.row_bytes());
    const auto tensor = kb.input(fmt::format("input{}", i), DType::kUint8, {rows, bytes});
    kb.dma_load(sbuf.view(0, rows, in.byte, bytes), tensor.view(0, rows, 0, bytes));
  }
  std::vector<kernels::TileView> partitions;
  for (unsigned p = 0; p < kProcessors; ++p) {
    if ((mask >> p & 1) != 0)
      partitions.push_back(sbuf.view(p * kLanes, kLanes, 0, chip.core.sbuf_partition_bytes));
  }
  kb.custom_op(file, mask, arguments, partitions, partitions);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const SbufOutput& out = outputs[i];
    const auto bytes = static_cast<unsigned>(out.row_bytes());
    const auto tensor = kb.output(fmt::format("output{}", i), DType::kUint8, {kPartitions, bytes});
    kb.dma_store(tensor.view(0, kPartitions, 0, bytes), sbuf.view(0, kPartitions, out.byte, bytes));
  }
  return kb.finish();
}

void check_files(const GpsimdOptions& options, const std::vector<SbufInput>& inputs,
                 const std::vector<SbufOutput>& outputs) {
  NamedFiles files;
  files.inputs = {options.program};
  for (const SbufInput& input : inputs) files.inputs.push_back(input.file);
  for (const SbufOutput& output : outputs) files.outputs.push_back({"--output", output.file});
  files.outputs.push_back({"--trace", options.trace});
  refuse_overwriting(files);
}

std::string processors_text(unsigned mask) {
  std::string text;
  for (unsigned p = 0; p < kProcessors; ++p) {
    if ((mask >> p & 1) != 0) text += (text.empty() ? "" : ",") + std::to_string(p);
  }
  return text;
}

// Of the one instruction.
std::uint64_t cycles_of(const MeasuredChip& chip) {
  const auto spans = spans_since(chip.spans(0), "gpsimd", "custom_op", 0);
  if (spans.empty()) return 0;
  const double ns = static_cast<double>(spans[0].end_fs() - spans[0].begin_fs) / 1e6;
  return static_cast<std::uint64_t>(std::llround(ns * chip.config().core.gpsimd.clock_ghz));
}

}  // namespace

int gpsimd_command(const GpsimdOptions& options) {
  const ChipConfig chip = load_chip_config(options.chip, options.overrides).chip;
  refuse_rtl(chip, "tern gpsimd");
  const std::vector<std::uint32_t> arguments = arguments_of(options);
  const unsigned mask = mask_of(options.processors);
  std::vector<SbufInput> inputs;
  for (const std::string& text : options.inputs) inputs.push_back(read_sbuf_input(text, chip));
  std::vector<SbufOutput> outputs;
  for (const std::string& text : options.outputs) outputs.push_back(parse_sbuf_output(text, chip));
  check_files(options, inputs, outputs);
  const std::string text = base::read_input(options.program);
  const Blob file{std::filesystem::path(options.program).stem().string(),
                  {text.begin(), text.end()}};
  Executable executable;
  try {
    executable = program_of(file, mask, arguments, inputs, outputs, chip);
  } catch (const UserError& error) {
    throw UserError(fmt::format("{}: {}", options.program, error.what()));
  }

  Simulation simulation;
  std::unique_ptr<gpsimd::Debugger> debugger;
  ChipOptions chip_options;
  if (options.gdb) {
    debugger = std::make_unique<gpsimd::Debugger>(*options.gdb);
    chip_options.core.program_runner = debugger.get();
  }
  MeasuredChip measured("chip", chip, options.trace, chip_options);
  live::description().kind = "gpsimd";
  live::Publisher live;
  live.add(measured, chip.name);
  live.watch(simulation);
  Simulation::Options run;
  run.stop = catch_interrupts();
  double us = 0;
  std::vector<data::NpyArray> results;
  simulation.run(
      [&] {
        runtime::Runtime runtime(measured.host());
        std::map<std::string, runtime::Buffer> buffers;
        runtime::Runtime::Bindings bindings;
        for (const TensorInfo& tensor : executable.tensors) {
          const auto at =
              buffers.emplace(tensor.name, runtime.allocate(tensor.name, tensor.bytes()));
          bindings[tensor.name] = &at.first->second;
        }
        for (std::size_t i = 0; i < inputs.size(); ++i) {
          const auto& bytes = inputs[i].array.bytes;
          runtime.copy_to_device(buffers.at(fmt::format("input{}", i)), bytes.data(), bytes.size());
        }
        auto program = runtime.load(executable, bindings);
        us = runtime.run(program).seconds() * 1e6;
        for (std::size_t i = 0; i < outputs.size(); ++i) {
          const SbufOutput& out = outputs[i];
          data::NpyArray array{out.dtype, {kPartitions, out.columns}, {}};
          array.bytes.resize(kPartitions * out.row_bytes());
          runtime.copy_from_device(buffers.at(fmt::format("output{}", i)), array.bytes.data(),
                                   array.bytes.size());
          results.push_back(std::move(array));
        }
      },
      run);
  measured.close_trace();
  for (std::size_t i = 0; i < outputs.size(); ++i) data::write_npy(outputs[i].file, results[i]);

  const std::uint64_t cycles = cycles_of(measured);
  Report report;
  report.name = report.kind = "gpsimd";
  report.title = file.name;
  report.subtitle = fmt::format("{}, core 0, processors {}", chip.name, processors_text(mask));
  Lines lines{{"program", fmt::format("{} cycles of GpSimd, {}", grouped(cycles),
                                      time_text(static_cast<double>(cycles) / 1e3 /
                                                chip.core.gpsimd.clock_ghz))},
              {"with transfers", time_text(us)}};
  for (const SbufOutput& out : outputs) {
    lines.push_back({"result", fmt::format("{} {} {}", out.file, data::name_of(out.dtype),
                                           data::to_string({kPartitions, out.columns}))});
  }
  report.add(lines);
  report.how = {options.command, "", chip.name, kVersion, "", options.overrides};
  if (!options.trace.empty())
    report.last_lines.push_back({"trace", options.trace + " (open at ui.perfetto.dev)"});
  report.data = {{"kind", "gpsimd"},   {"program", file.name}, {"chip", chip.name},
                 {"processors", mask}, {"cycles", cycles},     {"run_us", us}};
  return write_report(report, "", options.json);
}

}  // namespace tern::app
