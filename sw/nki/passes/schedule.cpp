// SPDX-License-Identifier: Apache-2.0
// The order of instructions. It is chosen before tensors have addresses, so that lifetimes are
// known; an order whose tensors do not fit is made again with less freedom.
#include <algorithm>
#include <optional>
#include <utility>

#include "sw/nki/passes/allocation.h"
#include "sw/nki/passes/list_order.h"
#include "sw/nki/passes/passes.h"

namespace tern::nki {

namespace {

constexpr OrderLimits kLimits[] = {{512, 0.9}, {128, 0.75}, {32, 0.5}};

// Estimates are not exact: what gains less stays as the author has written it.
constexpr double kLeastGain = 0.002;

// In the old style, where tiles are kept for later iterations: what an order must gain whose
// tensors fit without rotation alone.
constexpr double kGainWithoutRotation = 0.1;

void take(Kernel& kernel, const Order& order) {
  std::vector<Instruction> instructions;
  instructions.reserve(order.instructions.size());
  for (std::size_t i = 0; i < order.instructions.size(); ++i) {
    instructions.push_back(std::move(kernel.instructions[order.instructions[i]]));
    instructions.back().options.trigger = order.triggers[i];
  }
  kernel.instructions = std::move(instructions);
}

void schedule_straight(Kernel& kernel) {
  if (kernel.instructions.empty()) return;
  const OrderInput input(kernel, kLimits[0].window);
  const Order written = program_order(input);
  const MemoryFit fit = memory_fit(kernel, written.instructions);
  std::optional<Order> packed;  // the first that fits without rotation alone
  for (const OrderLimits& limits : kLimits) {
    Order order = list_order(input, limits);
    if (order.end_ns > written.end_ns * (1 - kLeastGain)) continue;
    const MemoryFit its_fit = memory_fit(kernel, order.instructions);
    if (its_fit >= std::max(fit, MemoryFit::kPacked)) return take(kernel, order);
    const bool gains = order.end_ns < written.end_ns * (1 - kGainWithoutRotation);
    if (kernel.old_style && its_fit == MemoryFit::kPacked && gains && !packed) packed = order;
  }
  if (packed) take(kernel, *packed);
}

// Registers and loops stay where they are; what is between them is ordered. The author's order if
// then tensors do not fit that live longer.
void schedule_parts(Kernel& kernel) {
  const std::vector<Instruction> written = kernel.instructions;
  std::vector<Instruction> all;
  Kernel part(kernel.name(), kernel.chip());
  part.storages = kernel.storages;
  part.edges = kernel.edges;
  const auto flush = [&] {
    schedule_straight(part);
    all.insert(all.end(), part.instructions.begin(), part.instructions.end());
    part.instructions.clear();
  };
  for (const Instruction& instruction : written) {
    if (instruction.is_control()) {
      flush();
      all.push_back(instruction);
    } else {
      part.instructions.push_back(instruction);
    }
  }
  flush();
  kernel.instructions = std::move(all);
  if (memory_fit(kernel, {}) == MemoryFit::kNone) kernel.instructions = written;
}

}  // namespace

void schedule(Kernel& kernel, const CompileOptions& options) {
  if (!options.reorder) return;
  const bool parts = std::any_of(kernel.instructions.begin(), kernel.instructions.end(),
                                 [](const Instruction& i) { return i.is_control(); });
  parts ? schedule_parts(kernel) : schedule_straight(kernel);
}

}  // namespace tern::nki
