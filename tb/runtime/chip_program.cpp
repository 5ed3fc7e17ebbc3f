// SPDX-License-Identifier: Apache-2.0
#include "tb/runtime/chip_program.h"

#include <cstring>

#include "sw/numerics/convert.h"

namespace tern::tb {

namespace {

// Integers of 32 bits are separate: FP32 does not hold all of them.
void put(numerics::DType dtype, double value, std::uint8_t* to) {
  if (dtype == numerics::DType::kInt32 || dtype == numerics::DType::kUint32) {
    const auto word = static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
    std::memcpy(to, &word, sizeof word);
    return;
  }
  const auto single = static_cast<float>(value);
  numerics::narrow(dtype, &single, to, 1);
}

double get(numerics::DType dtype, const std::uint8_t* from) {
  std::uint32_t word = 0;
  if (numerics::dtype_size(dtype) == sizeof word) std::memcpy(&word, from, sizeof word);
  if (dtype == numerics::DType::kInt32) return static_cast<std::int32_t>(word);
  if (dtype == numerics::DType::kUint32) return word;
  float single = 0;
  numerics::widen(dtype, from, &single, 1);
  return static_cast<double>(single);
}

}  // namespace

kernels::Tile ChipProgram::tile(const Rows& values, numerics::DType dtype) {
  const auto partitions = static_cast<unsigned>(values.size());
  const auto elements = static_cast<unsigned>(values.front().size());
  const std::size_t size = numerics::dtype_size(dtype);
  Operand operand{"in" + std::to_string(inputs_.size()), {}, partitions, dtype};
  operand.bytes.resize(size * partitions * elements);
  for (unsigned p = 0; p < partitions; ++p) {
    for (unsigned i = 0; i < elements; ++i) {
      put(dtype, values[p][i], &operand.bytes[(std::size_t{p} * elements + i) * size]);
    }
  }
  const auto tensor = kb.input(operand.tensor, dtype, {partitions, elements});
  const kernels::Tile tile = kb.sbuf_tile(operand.tensor, partitions, elements, dtype);
  kb.dma_load(tile, tensor.view(0, partitions, 0, elements));
  inputs_.push_back(std::move(operand));
  return tile;
}

void ChipProgram::store(const std::string& name, const kernels::TileView& view) {
  const std::size_t bytes = numerics::dtype_size(view.dtype) * view.partitions * view.elements();
  const auto tensor = kb.output(name, view.dtype, {view.partitions, view.elements()});
  kb.dma_store(tensor.view(0, view.partitions, 0, view.elements()), view);
  outputs_.push_back({name, std::vector<std::uint8_t>(bytes, 0xA5), view.partitions, view.dtype});
}

std::map<std::string, ChipProgram::Rows> ChipProgram::run() {
  runtime::Runtime& runtime = platform_.runtime;
  std::vector<runtime::Buffer> buffers;
  runtime::Runtime::Bindings bindings;
  buffers.reserve(inputs_.size() + outputs_.size());
  for (const auto* operands : {&inputs_, &outputs_}) {
    for (const Operand& operand : *operands) {
      buffers.push_back(runtime.allocate(operand.tensor, operand.bytes.size()));
      runtime.copy_to_device(buffers.back(), operand.bytes.data(), operand.bytes.size());
      bindings[operand.tensor] = &buffers.back();
    }
  }
  auto program = runtime.load(kb.finish(), bindings);
  for (const auto& queue : program.executable().queues) instructions_ += queue.size();
  runtime.run(program);
  std::map<std::string, Rows> results;
  for (std::size_t o = 0; o < outputs_.size(); ++o) {
    Operand& operand = outputs_[o];
    runtime.copy_from_device(buffers[inputs_.size() + o], operand.bytes.data(),
                             operand.bytes.size());
    const std::size_t size = numerics::dtype_size(operand.dtype);
    const std::size_t elements = operand.bytes.size() / size / operand.partitions;
    Rows& rows = results[operand.tensor];
    rows.resize(operand.partitions);
    for (std::size_t i = 0; i < operand.partitions * elements; ++i) {
      rows[i / elements].push_back(get(operand.dtype, &operand.bytes[i * size]));
    }
  }
  return results;
}

}  // namespace tern::tb
