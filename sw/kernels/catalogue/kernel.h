// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/config/chip_config.h"
#include "sw/kernels/catalogue/parameters.h"
#include "sw/runtime/executable.h"

namespace tern::kernels {

// The minimum time of one engine or memory, from a formula in words.
struct CostLine {
  std::string resource;  // "tensor engine", "Vector", "Scalar", "GpSimd", "HBM + DMA"
  double microseconds = 0;
  std::string formula;
};

struct CaseInput {
  std::string name;  // of the program's tensor
  std::vector<std::uint8_t> bytes;
};

struct CaseOutput {
  std::string name;
  numerics::DType dtype = numerics::DType::kFp32;
  std::vector<std::uint64_t> shape;  // row major
  std::vector<double> expected;      // computed in FP64 on the host
  double tolerance = 0;              // for the largest |difference| / max(1, |expected|)
};

// A kernel with its parameters fixed: program, operands, expected outputs, minimum cost.
struct KernelCase {
  std::string description;
  Executable program;
  std::vector<CaseInput> inputs;
  std::vector<CaseOutput> outputs;
  std::vector<CostLine> cost;
};

// `make` draws random inputs from the seed. UserErrors name the offending parameter.
struct Kernel {
  std::string name, summary;
  std::vector<Parameter> parameters;
  KernelCase (*make)(const Parameters& parameters, const ChipConfig& chip, std::uint64_t seed);
};

const std::vector<Kernel>& catalogue();
const Kernel& find_kernel(const std::string& name);  // UserError with the existing names

}  // namespace tern::kernels
