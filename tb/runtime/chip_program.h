// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sw/kernels/builder/kernel_builder.h"
#include "tb/runtime/platform.h"

namespace tern::tb {

// A small program of the kernel builder with its operands as rows of floats: tiles are loaded with
// them, and the stored data is returned.
class ChipProgram {
 public:
  using Rows = std::vector<std::vector<double>>;  // [partitions][elements]

  explicit ChipProgram(Platform& platform) : platform_(platform), kb("test", platform.config) {}

  // A tile with these values, rounded to the format.
  kernels::Tile tile(const Rows& values, numerics::DType dtype = numerics::DType::kFp32);
  // The elements of a view go to the host at the end of the program, under a name.
  void store(const std::string& name, const kernels::TileView& view);
  // Memory for a scratch tensor of the program.
  void scratch(const std::string& name, std::size_t bytes) {
    inputs_.push_back({name, std::vector<std::uint8_t>(bytes), 1, numerics::DType::kUint8});
  }
  // Instructions of the program that ran.
  std::size_t instructions() const { return instructions_; }
  // Runs it; in a host thread.
  std::map<std::string, Rows> run();

 private:
  struct Operand {
    std::string tensor;
    std::vector<std::uint8_t> bytes;
    unsigned partitions = 0;
    numerics::DType dtype = numerics::DType::kFp32;
  };
  Platform& platform_;
  std::vector<Operand> inputs_;
  std::vector<Operand> outputs_;
  std::size_t instructions_ = 0;

 public:
  kernels::KernelBuilder kb;
};

// f(partition, element) at every position.
template <typename F>
ChipProgram::Rows rows(unsigned partitions, unsigned elements, F f) {
  ChipProgram::Rows result(partitions, std::vector<double>(elements));
  for (unsigned p = 0; p < partitions; ++p) {
    for (unsigned i = 0; i < elements; ++i) result[p][i] = static_cast<double>(f(p, i));
  }
  return result;
}

}  // namespace tern::tb
