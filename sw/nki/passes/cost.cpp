// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/passes/cost.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "sw/config/dma_rates.h"
#include "sw/kernels/builder/memory/limits.h"
#include "sw/nki/trace/chip_pattern.h"
#include "sw/spec/generated/isa.h"

namespace tern::nki {

namespace {

constexpr double kLongRow = 2048;  // bytes: from here on a generator makes the descriptors

double per_partition(const View& view) {
  return static_cast<double>(view.elements()) / static_cast<double>(view.shape().front());
}

bool in_psum(const View& view) {
  return view.storage().memory == Memory::kPsum;
}

const View& source(const Instruction& instruction) {
  return instruction.operands[instruction.operands.size() > 1 ? 1 : 0].view;
}

}  // namespace

double copy_rate(const Instruction& instruction, Engine engine, const ChipConfig& chip) {
  const View &dst = instruction.operands.front().view, &src = source(instruction);
  const bool narrow = dst.type()->bytes() <= 2 && src.type()->bytes() <= 2;
  if (engine == Engine::kScalar) {
    return narrow && chip.core.scalar_features.double_rate ? 2 : 1;
  }
  if (engine != Engine::kVector || !chip.core.vector_features.fast_modes) return 1;
  if (instruction.find("reduce_res") != nullptr) return 1;
  if (!in_psum(dst) && !in_psum(src)) return narrow ? 4 : 2;
  return narrow && in_psum(dst) != in_psum(src) ? 2 : 1;
}

namespace {

double element_cycles(const Instruction& instruction, Engine engine, const ChipConfig& chip) {
  const std::string_view name = instruction.signature->name;
  double elements = 0;
  for (const Operand& operand : instruction.operands) {
    elements = std::max(elements, per_partition(operand.view));
  }
  if (name == "tensor_copy" || name == "tensor_scalar") {
    return elements / copy_rate(instruction, engine, chip);
  }
  if (name == "reciprocal") return chip.core.vector_features.reciprocal_cycles * elements;
  if (name == "exponential") return elements / std::max(1u, chip.core.vector.exp_per_cycle);
  if (name == "topk") {
    const std::vector<std::int64_t>& numbers = instruction.options.numbers;
    return static_cast<double>(4 * numbers.at(0) + numbers.at(1));
  }
  if (name == "iota" || name == "affine_select") return 150 + elements;
  if (name == "tensor_tensor" || name == "scalar_tensor_tensor" || name == "tensor_tensor_scan" ||
      name == "tensor_copy_predicated" || name == "select_reduce") {
    const bool any = std::any_of(instruction.operands.begin() + 1, instruction.operands.end(),
                                 [](const Operand& o) { return in_psum(o.view); });
    return any ? elements : 2 * elements;
  }
  return elements;
}

const EngineConfig& config_of(Engine engine, const CoreConfig& core) {
  if (engine == Engine::kVector) return core.vector;
  return engine == Engine::kScalar ? core.scalar : core.gpsimd;
}

Cost of_element(const Instruction& instruction, const ChipConfig& chip) {
  const Engine engine = *instruction.options.engine;
  const EngineConfig& config = config_of(engine, chip.core);
  const double least = config.min_interval;
  double cycles =
      std::max(least, element_cycles(instruction, engine, chip) + config.overhead_cycles);
  if (instruction.find("reduce_res") != nullptr) cycles += least;
  Cost cost;
  cost.queue = static_cast<unsigned>(engine);
  cost.interval_ns = cycles / config.clock_ghz;
  cost.latency_ns = config.latency_cycles / config.clock_ghz + chip.core.semaphore_latency_ns;
  if (engine == Engine::kScalar && std::string_view(instruction.signature->name) == "activation") {
    cost.activates = true;
    cost.function = instruction.options.function;
  }
  return cost;
}

Cost of_tensor(const Instruction& instruction, const ChipConfig& chip) {
  const View* moving = instruction.find("moving");
  constexpr double kLeast = 64, kRows = kernels::kPartitions;
  double cycles = kRows + kRows / 4;  // a transpose
  if (moving != nullptr) {
    const double passes = moving->type()->dtype == DType::kFp32 ? 4 : 1;
    cycles = passes * std::max(kLeast, per_partition(*moving));
  }
  Cost cost;
  cost.queue = TERN_QUEUE_TENSOR;
  cost.interval_ns = cycles / chip.core.tensor_clock_ghz;
  cost.latency_ns = kRows / chip.core.tensor_clock_ghz + chip.core.semaphore_latency_ns;
  return cost;
}

// Elements of a view that are neighbours in its memory.
double neighbours(const View& view) {
  std::int64_t run = 1;
  for (std::size_t d = view.dimensions(); d > (view.storage().on_chip() ? 1u : 0u); --d) {
    if (view.shape()[d - 1] == 1) continue;
    if (view.strides()[d - 1] != run) break;
    run *= view.shape()[d - 1];
  }
  return static_cast<double>(run);
}

// Of a copy whose descriptors GpSimd makes.
double by_gpsimd_ns(const View& dst, const View& src, const ChipConfig& chip) {
  constexpr double kProcessors = 8;
  const double runs =
      static_cast<double>(dst.elements()) / std::min(neighbours(dst), neighbours(src));
  return (chip.dma.swdge_start_cycles + runs * chip.dma.swdge_row_cycles / kProcessors) /
         chip.core.gpsimd.clock_ghz;
}

// Loads are triggered by Sync; stores by GpSimd, or by Scalar if its generator makes the
// descriptors (sw/kernels/builder).
Cost of_transfer(const Instruction& instruction, const ChipConfig& chip) {
  const View &dst = instruction.at("dst"), &src = source(instruction);
  const View& shape = dst.storage().on_chip() || !src.storage().on_chip() ? dst : src;
  const double bytes = static_cast<double>(dst.elements() * dst.type()->bytes());
  const double rows = static_cast<double>(shape.shape().front());
  const bool indexed =
      instruction.find("dst_index") != nullptr || instruction.find("src_index") != nullptr;
  const bool copies = std::string_view(instruction.signature->name) == "dma_copy" && !indexed;
  const bool long_rows =
      chip.dma.descriptors == DescriptorChoice::kHardware ||
      (chip.dma.descriptors == DescriptorChoice::kByLength && bytes / rows >= kLongRow);
  Cost::Transfer transfer;
  transfer.data_ns = bytes / practical_gb_per_s(chip);
  transfer.start_ns = chip.dma.doorbell_latency_ns;
  const bool computed = instruction.moves();
  const bool generated = computed || (copies && long_rows && chip.dma.hwdge &&
                                      !instruction.options.descriptors_by_host);
  if (generated) {
    transfer.generator_ns = chip.dma.hwdge_latency_ns + rows / chip.dma.hwdge_clock_ghz;
    if (chip.dma.hwdge_gb_per_s > 0)
      transfer.generator_ns = std::max(transfer.generator_ns, bytes / chip.dma.hwdge_gb_per_s);
    transfer.start_ns = chip.dma.hwdge_latency_ns;
    transfer.either = !computed;
  }
  const bool by_gpsimd = copies && !computed && instruction.loop == 0 &&
                         instruction.options.descriptors_by_gpsimd &&
                         dst.type()->dtype == src.type()->dtype;
  if (by_gpsimd) {
    transfer.generator_ns = transfer.start_ns = by_gpsimd_ns(dst, src, chip);
    transfer.either = false;
  }
  Cost cost;
  cost.queue = by_gpsimd                 ? TERN_QUEUE_GPSIMD
               : dst.storage().on_chip() ? TERN_QUEUE_SYNC
               : generated               ? TERN_QUEUE_SCALAR
                                         : TERN_QUEUE_GPSIMD;
  const EngineConfig& config = chip.core.sync;
  cost.interval_ns = config.min_interval / config.clock_ghz;
  if (indexed) {
    cost.queue = TERN_QUEUE_GPSIMD;
    const double cycles = chip.dma.swdge_start_cycles + rows * chip.dma.swdge_row_cycles / 8;
    cost.interval_ns = cycles / chip.core.gpsimd.clock_ghz;
  }
  cost.latency_ns = chip.dma.completion_latency_ns;
  cost.transfer = transfer;
  return cost;
}

}  // namespace

Cost cost_of(const Instruction& instruction, const ChipConfig& chip) {
  if (instruction.exchanges()) {
    // The other core's signal comes by a transfer.
    const double ns = chip.dma.doorbell_latency_ns + chip.dma.completion_latency_ns;
    return {TERN_QUEUE_GPSIMD, 0, 2 * ns, false, {}, {}};
  }
  if (instruction.is_control()) return {TERN_QUEUE_SYNC, 0, 0, false, {}, {}};
  if (instruction.signature->engines == kOnDma) return of_transfer(instruction, chip);
  if (instruction.options.engine == Engine::kTensor) return of_tensor(instruction, chip);
  return of_element(instruction, chip);
}

}  // namespace tern::nki
