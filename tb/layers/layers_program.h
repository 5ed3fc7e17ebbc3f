// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <random>
#include <string>
#include <vector>

#include "sw/layers/layers.h"
#include "tb/runtime/platform.h"

namespace tern::tb {

// A row-major matrix of the host.
struct HostMatrix {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;
  double& at(std::size_t r, std::size_t c) { return values[r * columns + c]; }
  double at(std::size_t r, std::size_t c) const { return values[r * columns + c]; }
};

// Normally distributed, rounded to the format.
HostMatrix random_matrix(std::size_t rows, std::size_t columns, numerics::DType dtype,
                         std::mt19937_64& random, double deviation = 1.0);
double rounded(double value, numerics::DType dtype);

// A program made of layers, with its tensors in HBM: loaded with values, and read back.
class LayersProgram {
 public:
  explicit LayersProgram(Platform& platform)
      : platform_(platform),
        kb("layers", platform.config),
        layers(std::make_unique<layers::Layers>(kb, platform.config)) {}

  kernels::Tensor tensor(const HostMatrix& values, numerics::DType dtype);
  // In SBUF.
  layers::Matrix matrix(const HostMatrix& values, numerics::DType dtype) {
    return layers->load(tensor(values, dtype));
  }
  void store(const std::string& name, const layers::Matrix& matrix);
  // Runs it; in a host thread.
  std::map<std::string, HostMatrix> run();

 private:
  struct Operand {
    std::string tensor;
    std::vector<std::uint8_t> bytes;
    std::size_t rows = 0, columns = 0;
    numerics::DType dtype = numerics::DType::kFp32;
    bool output = false;
  };
  Platform& platform_;
  std::vector<Operand> operands_;

 public:
  kernels::KernelBuilder kb;
  std::unique_ptr<layers::Layers> layers;
};

}  // namespace tern::tb
