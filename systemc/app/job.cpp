// SPDX-License-Identifier: Apache-2.0
#include "systemc/app/job.h"

#include <fmt/format.h>

#include <cstring>

#include "sw/kernels/matmul.h"
#include "sw/kernels/mlp.h"
#include "sw/reference/reference.h"
#include "systemc/numerics/bf16.h"
#include "systemc/numerics/fp16.h"

namespace tern::app {
namespace {

using numerics::DType;

std::vector<std::uint8_t> bytes_of(const std::vector<float>& values, DType dtype) {
  if (dtype == DType::kFp32) {
    std::vector<std::uint8_t> bytes(values.size() * sizeof(float));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  }
  std::vector<std::uint8_t> bytes(values.size() * 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint16_t bits = dtype == DType::kFp16 ? numerics::fp16_from_float(values[i])
                                                     : numerics::bf16_from_float(values[i]);
    std::memcpy(&bytes[2 * i], &bits, 2);
  }
  return bytes;
}

std::vector<float> transposed(const std::vector<float>& values, std::size_t rows,
                              std::size_t columns) {
  std::vector<float> result(values.size());
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) result[c * rows + r] = values[r * columns + c];
  }
  return result;
}

Job::Tensor output(const char* name, std::size_t words) {
  return {name, std::vector<std::uint8_t>(words * sizeof(float)), true};
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

Job matmul_job(const MatmulWorkload& matmul, const ChipConfig& chip) {
  kernels::MatmulSpec spec;
  spec.m = matmul.m;
  spec.k = matmul.k;
  spec.n = matmul.n;
  spec.format = numerics::dtype_name(matmul.dtype);
  Job job;
  job.programs.push_back(kernels::build_matmul(spec, chip));
  job.tensors.push_back({"a", bytes_of(matmul.a, matmul.dtype)});
  job.tensors.push_back({"b", bytes_of(matmul.b, matmul.dtype)});
  job.tensors.push_back(output("c", matmul.m * matmul.n));
  return job;
}

void append_bits(const std::vector<float>& values, std::vector<std::uint32_t>* bits) {
  const std::size_t before = bits->size();
  bits->resize(before + values.size());
  if (!values.empty())
    std::memcpy(bits->data() + before, values.data(), values.size() * sizeof(float));
}

}  // namespace

Job make_job(const Workload& workload, const ChipConfig& chip) {
  return workload.mlp ? mlp_job(*workload.mlp, chip) : matmul_job(*workload.matmul, chip);
}

std::vector<std::uint32_t> reference_result(const Workload& workload) {
  std::vector<std::uint32_t> bits;
  if (workload.matmul) {
    const auto& w = *workload.matmul;
    append_bits(reference::matmul(w.a, w.b, w.k, w.m, w.n), &bits);
    return bits;
  }
  std::vector<reference::Layer> layers;
  for (const auto& layer : workload.mlp->layers)
    layers.push_back({layer.in, layer.out, layer.weight, layer.bias});
  const auto result = reference::mlp(workload.mlp->input, workload.mlp->batch, layers);
  append_bits(result.logits, &bits);
  append_bits(result.probabilities, &bits);
  return bits;
}

std::string result_place(const Workload& workload, std::size_t word) {
  if (workload.matmul)
    return fmt::format("c[{}, {}]", word / workload.matmul->n, word % workload.matmul->n);
  const std::size_t classes = workload.mlp->classes(), words = workload.mlp->batch * classes;
  return fmt::format("{}[{}, {}]", word < words ? "logits" : "probabilities",
                     word % words / classes, word % classes);
}

}  // namespace tern::app
