// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/network/mlp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sw/app/kinds/network/mlp_formats.h"
#include "sw/app/kinds/network/tensors.h"
#include "sw/kernels/mlp.h"
#include "sw/reference/reference.h"

namespace tern::app {
namespace {

using numerics::DType;

std::vector<float> transposed(const std::vector<float>& values, std::size_t rows,
                              std::size_t columns) {
  std::vector<float> result(values.size());
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) result[c * rows + r] = values[r * columns + c];
  }
  return result;
}

Job mlp_job(const MlpWorkload& mlp, const ChipConfig& chip) {
  kernels::MlpSpec spec;
  spec.batch = mlp.batch;
  spec.sizes.push_back(mlp.features);
  for (const auto& layer : mlp.layers) spec.sizes.push_back(layer.out);
  Job job;
  job.programs.push_back(kernels::build_mlp(spec, chip));
  job.tensors.push_back(
      {"x", bytes_of(transposed(mlp.input, mlp.batch, mlp.features), DType::kBf16)});
  for (std::size_t i = 0; i < mlp.layers.size(); ++i) {
    job.tensors.push_back({"w" + std::to_string(i), bytes_of(mlp.layers[i].weight, DType::kBf16)});
    job.tensors.push_back({"b" + std::to_string(i), bytes_of(mlp.layers[i].bias, DType::kFp32)});
  }
  job.tensors.push_back(output("logits", mlp.batch * mlp.classes()));
  job.tensors.push_back(output("probabilities", mlp.batch * mlp.classes()));
  return job;
}

void judge_mlp(const MlpWorkload& mlp, const std::vector<float>& result, RunRecord* record) {
  if (mlp.labels.empty()) return;
  const float* probabilities = result.data() + mlp.batch * mlp.classes();
  for (std::size_t b = 0; b < mlp.batch; ++b) {
    const float* row = probabilities + b * mlp.classes();
    const auto winner = std::max_element(row, row + mlp.classes()) - row;
    const bool poisoned =
        std::any_of(row, row + mlp.classes(), [](float p) { return std::isnan(p); });
    record->correct += !poisoned && winner == mlp.labels[b] ? 1 : 0;
  }
  record->judged = mlp.batch;
  record->accuracy = static_cast<double>(record->correct) / static_cast<double>(record->judged);
  record->accuracy_expected = mlp.accuracy;
}

std::vector<std::uint32_t> reference_result(const MlpWorkload& mlp) {
  std::vector<reference::Layer> layers;
  for (const auto& layer : mlp.layers)
    layers.push_back({layer.in, layer.out, layer.weight, layer.bias});
  const auto result = reference::mlp(mlp.input, mlp.batch, layers);
  std::vector<std::uint32_t> bits;
  append_bits(result.logits, &bits);
  append_bits(result.probabilities, &bits);
  return bits;
}

std::string result_place(const MlpWorkload& mlp, std::size_t word) {
  const std::size_t classes = mlp.classes(), words = mlp.batch * classes;
  return fmt::format("{}[{}, {}]", word < words ? "logits" : "probabilities",
                     word % words / classes, word % classes);
}

}  // namespace

std::string MlpWorkload::describe() const {
  std::string sizes = std::to_string(features);
  for (const auto& layer : layers) sizes += "-" + std::to_string(layer.out);
  std::string text = fmt::format("mlp {}, {} inputs", sizes, batch);
  if (formats.size() > 1) {
    text += fmt::format(", {} formats", formats.size());
  } else if (!fused()) {
    text += ", " + formats.front();
  }
  return text;
}

bool MlpWorkload::fused() const {
  const auto relu = [](const MlpLayer& layer) {
    return layer.function == numerics::ActFunction::kRelu;
  };
  return formats == std::vector<std::string>{"bf16"} && softmax &&
         std::all_of(layers.begin(), layers.end() - 1, relu);
}

int run_mlp(const RunOptions& options, const MlpWorkload& mlp) {
  if (!mlp.fused()) return run_mlp_formats(options, mlp);
  return run_program(options, mlp, [&mlp](const ChipConfig& chip) {
    ProgramRun run;
    run.job = mlp_job(mlp, chip);
    const data::Shape shape = {mlp.batch, mlp.classes()};
    run.results = {{"logits", shape}, {"probabilities", shape, mlp.batch * mlp.classes()}};
    run.main_result = "probabilities";
    run.place = [&mlp](std::size_t word) { return result_place(mlp, word); };
    run.judge = [&mlp, place = run.place](RunRecord* record) {
      const Execution& first = record->executions.front();
      record->comparisons.push_back(compare(place,
                                            fmt::format("{} = host reference", first.label()),
                                            first.result, reference_result(mlp)));
      const std::vector<float> values = floats_of(first.result);
      judge_mlp(mlp, values, record);
      if (mlp.expected) judge_expected(*mlp.expected, values, record);
    };
    return run;
  });
}

}  // namespace tern::app
