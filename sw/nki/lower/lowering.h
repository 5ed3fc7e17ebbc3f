// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "sw/kernels/builder/kernel_builder.h"
#include "sw/nki/trace/kernel.h"

namespace tern::nki {

// Instructions of a kernel whose tensors have addresses, written with the kernel builder: hazards,
// waits, descriptors and encodings are the builder's.
class Lowering {
 public:
  explicit Lowering(const Kernel& kernel);

  // NkiErrors with the place of the instruction, for what the builder refuses, too.
  Executable run();

 private:
  using Lower = void (Lowering::*)(const Instruction& instruction);
  static Lower function_for(const Instruction& instruction);

  void add_tensor(const Storage& storage);
  const kernels::Tensor* tensor_of(const View& view) const;
  kernels::DmaView side(const View& view) const { return dma_side(view); }
  kernels::DmaView dma_side(const View& view) const;
  // A number, or the column in its place.
  static kernels::ScalarOperand scalar(const Instruction& instruction, const char* role,
                                       double value);
  static std::optional<kernels::Reduce> reduction(const Instruction& instruction);
  Engine engine(const Instruction& instruction) const { return *instruction.options.engine; }

  // lower_dma.cpp
  void dma_copy(const Instruction& instruction);
  bool store_by_rows(const View& dst, const View& src);
  // lower_element.cpp
  void tensor_copy(const Instruction& instruction);
  void memset(const Instruction& instruction);
  void tensor_tensor(const Instruction& instruction);
  void tensor_scalar(const Instruction& instruction);
  void activation(const Instruction& instruction);
  void reciprocal(const Instruction& instruction);
  void tensor_reduce(const Instruction& instruction);
  // lower_tensor.cpp
  void nc_matmul(const Instruction& instruction);
  void nc_transpose(const Instruction& instruction);

  const Kernel& kernel_;
  kernels::KernelBuilder builder_;
  SourceLine where_;                                  // of the instruction in work
  std::map<std::uint32_t, kernels::Tensor> tensors_;  // by storage
};

}  // namespace tern::nki
