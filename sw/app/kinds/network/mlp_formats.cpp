// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/network/mlp_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <future>
#include <numeric>
#include <utility>

#include "sw/app/host/session.h"
#include "sw/app/kinds/network/mlp_formats_record.h"
#include "sw/app/kinds/network/tensors.h"
#include "sw/app/kinds/output_file.h"
#include "sw/app/kinds/relative_error.h"
#include "sw/app/report/write_report.h"
#include "sw/base/math.h"
#include "sw/base/user_error.h"
#include "sw/kernels/bias_activation.h"
#include "sw/kernels/matmul_data.h"
#include "sw/reference/formats.h"

namespace tern::app {
namespace {

using kernels::MatmulFormat;
using Values = std::vector<float>;  // of a layer: [features, batch]
using numerics::ActFunction;

// [rows, columns] with rows of zeros below.
Values padded(Values values, std::size_t rows, std::size_t columns) {
  values.resize(rows * columns);
  return values;
}

Values input_by_feature(const MlpWorkload& mlp) {
  Values x(mlp.input.size());
  for (std::size_t b = 0; b < mlp.batch; ++b) {
    for (std::size_t f = 0; f < mlp.features; ++f)
      x[f * mlp.batch + b] = mlp.input[b * mlp.features + f];
  }
  return x;
}

double in_fp64(ActFunction function, double u) {
  const double sigmoid = 1 / (1 + std::exp(-u));
  switch (function) {
    case ActFunction::kRelu:
      return std::isnan(u) ? u : std::max(u, 0.0);
    case ActFunction::kGelu:
      return u * 0.5 * std::erfc(-u * std::sqrt(0.5));
    case ActFunction::kGeluApprxTanh:
      return u / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (u + 0.044715 * u * u * u)));
    case ActFunction::kSilu:
      return u * sigmoid;
    case ActFunction::kSoftplus:
      return std::max(u, 0.0) + std::log1p(std::exp(-std::fabs(u)));
    case ActFunction::kMish:
      return u * std::tanh(std::max(u, 0.0) + std::log1p(std::exp(-std::fabs(u))));
    case ActFunction::kTanh:
      return std::tanh(u);
    case ActFunction::kSigmoid:
      return sigmoid;
    default:
      return u;
  }
}

// The last layer's results in FP64, before the softmax.
std::vector<double> network_in_fp64(const MlpWorkload& mlp) {
  const Values input = input_by_feature(mlp);
  std::vector<double> x(input.begin(), input.end());
  for (const MlpLayer& layer : mlp.layers) {
    std::vector<double> y(layer.out * mlp.batch);
    for (std::size_t o = 0; o < layer.out; ++o) {
      double* row = &y[o * mlp.batch];
      std::fill_n(row, mlp.batch, layer.bias[o]);
      for (std::size_t i = 0; i < layer.in; ++i) {
        const double w = layer.weight[i * layer.out + o];
        for (std::size_t b = 0; b < mlp.batch; ++b) row[b] += w * x[i * mlp.batch + b];
      }
      for (std::size_t b = 0; b < mlp.batch; ++b) row[b] = in_fp64(layer.function, row[b]);
    }
    x = std::move(y);
  }
  return x;
}

// A layer of one format: its operands, filled up with zeros to the grain of the format.
struct LayerRun {
  LayerRun(const MlpWorkload& mlp, const MlpLayer& layer_of, const std::string& format)
      : layer(layer_of) {
    spec.m = layer.out;
    spec.k = round_up(layer.in, kernels::find_matmul_format(format)->k_grain());
    spec.n = mlp.batch;
    spec.format = format;
    weight = padded(layer.weight, spec.k, spec.m);
  }

  Job job(const Values& x, const ChipConfig& chip) const {
    Job result;
    result.programs.push_back(kernels::build_matmul(spec, chip));
    result.programs.push_back(
        kernels::build_bias_activation({spec.m, spec.n, layer.function}, chip));
    for (auto& tensor : kernels::pack_matmul(spec, weight, padded(x, spec.k, spec.n)))
      result.tensors.push_back({tensor.name, std::move(tensor.bytes)});
    Job::Tensor sums = output("c", spec.m * spec.n);
    sums.output = false;
    sums.scratch = true;
    result.tensors.push_back(std::move(sums));
    result.tensors.push_back({"bias", bytes_of(layer.bias, numerics::DType::kFp32)});
    result.tensors.push_back(output("y", spec.m * spec.n));
    return result;
  }

  Values reference(const Values& x) const {
    Values y = reference::matmul_in_format(spec.format, weight, padded(x, spec.k, spec.n), spec.k,
                                           spec.m, spec.n);
    for (std::size_t o = 0; o < spec.m; ++o) {
      float* row = &y[o * spec.n];
      for (std::size_t b = 0; b < spec.n; ++b) row[b] += layer.bias[o];
      numerics::activate(layer.function, row, row, spec.n);
    }
    return y;
  }

  const MlpLayer& layer;
  kernels::MatmulSpec spec;
  Values weight;
};

std::vector<Values> reference_of(const std::vector<LayerRun>& layers, Values x) {
  std::vector<Values> results;
  for (const LayerRun& layer : layers) {
    x = layer.reference(x);
    results.push_back(x);
  }
  return results;
}

// The largest of each column; none where something is not a number.
template <typename Number>
std::vector<int> answers_of(const std::vector<Number>& y, std::size_t batch) {
  std::vector<int> answers(batch);
  for (std::size_t b = 0; b < batch; ++b) {
    bool poisoned = false;
    for (std::size_t at = b; at < y.size(); at += batch) {
      poisoned |= std::isnan(y[at]);
      if (y[at] > y[static_cast<std::size_t>(answers[b]) * batch + b])
        answers[b] = static_cast<int>(at / batch);
    }
    if (poisoned) answers[b] = -1;
  }
  return answers;
}

std::uint64_t correct_of(const std::vector<int>& answers, const MlpWorkload& mlp) {
  std::uint64_t correct = 0;
  for (std::size_t b = 0; b < mlp.labels.size(); ++b)
    correct += answers[b] == mlp.labels[b] ? 1 : 0;
  return correct;
}

double share(std::uint64_t part, std::size_t all) {
  return static_cast<double>(part) / static_cast<double>(all);
}

// [batch, classes], after the softmax if the network has one.
Values result_by_input(const MlpWorkload& mlp, const Values& y) {
  const std::size_t classes = mlp.classes();
  Values result(y.size());
  for (std::size_t b = 0; b < mlp.batch; ++b) {
    float* row = &result[b * classes];
    for (std::size_t c = 0; c < classes; ++c) row[c] = y[c * mlp.batch + b];
    if (!mlp.softmax) continue;
    const double largest = *std::max_element(row, row + classes);
    double sum = 0;
    for (std::size_t c = 0; c < classes; ++c) sum += std::exp(row[c] - largest);
    for (std::size_t c = 0; c < classes; ++c)
      row[c] = static_cast<float>(std::exp(row[c] - largest) / sum);
  }
  return result;
}

void add_times(const std::vector<Execution>& executions, MlpFormatRow* row) {
  const Execution& first = executions.front();
  row->product_us += first.program_us.front();
  row->function_us += first.program_us.back();
  row->tensor_cycles += first.tensor_cycles;
  row->wall_s += first.wall_s;
  add_twin(executions, &row->twin);
}

void add_comparison(std::size_t layer, std::size_t batch, const std::vector<std::uint32_t>& bits,
                    const Values& expected, MlpFormatRow* row) {
  std::vector<std::uint32_t> reference;
  append_bits(expected, &reference);
  const Place place = [&](std::size_t word) {
    return fmt::format("layers[{}][{}, {}]", layer, word % batch, word / batch);
  };
  const Comparison comparison = compare(place, "reference", bits, reference);
  row->words += comparison.words;
  row->mismatches += comparison.mismatches;
  if (row->first_difference.empty()) row->first_difference = comparison.first_difference;
}

MlpFormatRow run_format(const MlpWorkload& mlp, const std::string& format,
                        const std::vector<double>& exact, Session* session,
                        const OutputFiles& outputs, RunHeader* header) {
  MlpFormatRow row;
  row.format = format;
  std::vector<LayerRun> layers;
  for (const MlpLayer& layer : mlp.layers) layers.emplace_back(mlp, layer, format);
  Values x = input_by_feature(mlp);
  auto reference = std::async(std::launch::async, [&layers, x] { return reference_of(layers, x); });
  std::vector<std::vector<std::uint32_t>> results;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    Job job;
    try {
      job = layers[i].job(x, session->config());
    } catch (const UserError& error) {
      row.refused = reason_of(error);
      return row;
    }
    const auto executions = session->run(job, fmt::format("{}, layer {}: ", format, i + 1));
    add_times(executions, &row);
    results.push_back(executions.front().result);
    x = floats_of(results.back());
  }
  const std::vector<Values> expected = reference.get();
  for (std::size_t i = 0; i < layers.size(); ++i)
    add_comparison(i, mlp.batch, results[i], expected[i], &row);

  const std::vector<int> answers = answers_of(x, mlp.batch);
  const std::vector<int> exact_answers = answers_of(exact, mlp.batch);
  for (std::size_t b = 0; b < mlp.batch; ++b)
    row.same_answers += answers[b] == exact_answers[b] && answers[b] >= 0 ? 1 : 0;
  RelativeError error;
  for (std::size_t i = 0; i < x.size(); ++i) error.add(x[i], exact[i]);
  row.rms_error = error.rms();
  row.not_finite = error.not_finite();
  if (!mlp.labels.empty()) {
    row.correct = correct_of(answers, mlp);
    row.accuracy = share(row.correct, mlp.batch);
  }
  if (!mlp.expected && !outputs.wants(format)) return row;
  const Values result = result_by_input(mlp, x);
  if (mlp.expected) {
    RunRecord judged;
    judge_expected(*mlp.expected, result, &judged);
    row.error_expected = judged.error_expected;
  }
  if (outputs.wants(format))
    outputs.write(format, float_array({mlp.batch, mlp.classes()}, result), header);
  return row;
}

}  // namespace

int run_mlp_formats(const RunOptions& options, const MlpWorkload& mlp) {
  MlpFormatsRecord record;
  static_cast<RunHeader&>(record) = run_header(options, mlp);
  const std::vector<double> exact = network_in_fp64(mlp);
  record.inputs = mlp.batch;
  if (!mlp.labels.empty())
    record.accuracy_fp64 = share(correct_of(answers_of(exact, mlp.batch), mlp), mlp.batch);
  record.accuracy_expected = mlp.accuracy;
  if (mlp.expected) record.tolerance = mlp.expected->tolerance;
  {
    Session session(options);
    const OutputFiles outputs(options, mlp, mlp.formats);
    record.chip = session.config().name;
    record.core = session.core();
    record.backend = session.backend();
    for (const std::string& format : mlp.formats)
      record.rows.push_back(run_format(mlp, format, exact, &session, outputs, &record));
    if (std::all_of(record.rows.begin(), record.rows.end(),
                    [](const MlpFormatRow& row) { return !row.refused.empty(); })) {
      throw UserError(fmt::format("{}: keys 'precision', 'formats': {}", mlp.path,
                                  record.rows.front().refused));
    }
    session.close_trace();
  }  // closes the waveform
  check_wave(options.wave);
  return write_report(report_of(record), options.report, options.json);
}

}  // namespace tern::app
