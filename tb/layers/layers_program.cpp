// SPDX-License-Identifier: Apache-2.0
#include "tb/layers/layers_program.h"

#include <cstring>

#include "sw/numerics/convert.h"

namespace tern::tb {

double rounded(double value, numerics::DType dtype) {
  auto single = static_cast<float>(value);
  std::uint8_t bytes[4] = {};
  if (dtype == numerics::DType::kInt32) return value;
  numerics::narrow(dtype, &single, bytes, 1);
  numerics::widen(dtype, bytes, &single, 1);
  return static_cast<double>(single);
}

HostMatrix random_matrix(std::size_t rows, std::size_t columns, numerics::DType dtype,
                         std::mt19937_64& random, double deviation) {
  std::normal_distribution<double> normal(0, deviation);
  HostMatrix matrix{rows, columns, std::vector<double>(rows * columns)};
  for (double& value : matrix.values) value = rounded(normal(random), dtype);
  return matrix;
}

kernels::Tensor LayersProgram::tensor(const HostMatrix& values, numerics::DType dtype) {
  const std::size_t size = numerics::dtype_size(dtype);
  Operand operand{"in" + std::to_string(operands_.size()),
                  std::vector<std::uint8_t>(values.values.size() * size),
                  values.rows,
                  values.columns,
                  dtype,
                  false};
  for (std::size_t i = 0; i < values.values.size(); ++i) {
    const auto single = static_cast<float>(values.values[i]);
    const auto word = static_cast<std::int32_t>(values.values[i]);
    if (dtype == numerics::DType::kInt32) {
      std::memcpy(&operand.bytes[i * size], &word, sizeof word);
    } else {
      numerics::narrow(dtype, &single, &operand.bytes[i * size], 1);
    }
  }
  operands_.push_back(operand);
  return kb.input(operand.tensor, dtype, {values.rows, values.columns});
}

void LayersProgram::store(const std::string& name, const layers::Matrix& matrix) {
  const auto out = kb.output(name, matrix.dtype, {matrix.rows, matrix.columns});
  layers->store(out, matrix);
  const std::size_t bytes =
      std::size_t{matrix.rows} * matrix.columns * numerics::dtype_size(matrix.dtype);
  operands_.push_back({name, std::vector<std::uint8_t>(bytes, 0xA5), matrix.rows, matrix.columns,
                       matrix.dtype, true});
}

std::map<std::string, HostMatrix> LayersProgram::run() {
  runtime::Runtime& runtime = platform_.runtime;
  std::vector<runtime::Buffer> buffers;
  runtime::Runtime::Bindings bindings;
  buffers.reserve(operands_.size());
  for (const Operand& operand : operands_) {
    buffers.push_back(runtime.allocate(operand.tensor, operand.bytes.size()));
    runtime.copy_to_device(buffers.back(), operand.bytes.data(), operand.bytes.size());
    bindings[operand.tensor] = &buffers.back();
  }
  auto program = runtime.load(kb.finish(), bindings);
  runtime.run(program);
  std::map<std::string, HostMatrix> results;
  for (std::size_t o = 0; o < operands_.size(); ++o) {
    Operand& operand = operands_[o];
    if (!operand.output) continue;
    runtime.copy_from_device(buffers[o], operand.bytes.data(), operand.bytes.size());
    HostMatrix& result = results[operand.tensor];
    result = {operand.rows, operand.columns, std::vector<double>(operand.rows * operand.columns)};
    const std::size_t size = numerics::dtype_size(operand.dtype);
    for (std::size_t i = 0; i < result.values.size(); ++i) {
      float single = 0;
      numerics::widen(operand.dtype, &operand.bytes[i * size], &single, 1);
      result.values[i] = static_cast<double>(single);
    }
  }
  return results;
}

}  // namespace tern::tb
