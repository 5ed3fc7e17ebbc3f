// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <queue>
#include <string>
#include <vector>

#include "sw/nki/passes/dependences.h"
#include "sw/nki/passes/passes.h"
#include "sw/nki/trace/nki_error.h"

namespace tern::nki {

namespace {

std::string text(const Instruction& instruction) {
  if (instruction.name.empty()) return std::string("a ") + instruction.signature->name;
  return "`" + instruction.name + "`";
}

void check_loops(const Kernel& kernel, const Kernel::Edge& edge) {
  const Instruction& after = kernel.instructions[edge.after - 1];
  const Instruction& before = kernel.instructions[edge.before - 1];
  if (kernel.is_inside(after.loop, before.loop)) return;
  throw NkiError(text(after) + " cannot wait for " + text(before) +
                     ", which is in a dynamic loop that it is not in",
                 after.site);
}

// In the author's order as far as the edges allow.
std::vector<std::size_t> sorted(const Kernel& kernel) {
  const std::size_t count = kernel.instructions.size();
  const Dependences dependences(kernel, count);
  std::vector<std::vector<std::size_t>> later(count);
  std::vector<std::size_t> left(count, 0);
  const auto add = [&](std::size_t before, std::size_t after) {
    later[before].push_back(after);
    left[after] += 1;
  };
  for (std::size_t i = 0; i < count; ++i) {
    for (const Predecessor& predecessor : dependences.of(i)) add(predecessor.instruction, i);
  }
  for (const Kernel::Edge& edge : kernel.edges) add(edge.before - 1, edge.after - 1);
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < count; ++i) {
    if (left[i] == 0) ready.push(i);
  }
  std::vector<std::size_t> order;
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (const std::size_t next : later[order.back()]) {
      if (--left[next] == 0) ready.push(next);
    }
  }
  for (const Kernel::Edge& edge : kernel.edges) {
    if (left[edge.after - 1] == 0) continue;
    const Instruction& after = kernel.instructions[edge.after - 1];
    throw NkiError(text(after) + " cannot wait for " + text(kernel.instructions[edge.before - 1]) +
                       ", which needs its results or waits for it",
                   after.site);
  }
  return order;
}

}  // namespace

void author_order(Kernel& kernel, const CompileOptions& /*options*/) {
  bool forward = true;
  for (const Kernel::Edge& edge : kernel.edges) {
    check_loops(kernel, edge);
    forward = forward && edge.before < edge.after;
  }
  if (forward) return;
  for (const Instruction& instruction : kernel.instructions) {
    if (!instruction.is_control()) continue;
    throw NkiError("an instruction that waits for a later one, in a kernel with registers or loops",
                   instruction.site, NkiError::Kind::kNotSupported);
  }
  std::vector<Instruction> instructions;
  for (const std::size_t i : sorted(kernel)) {
    instructions.push_back(std::move(kernel.instructions[i]));
  }
  kernel.instructions = std::move(instructions);
}

}  // namespace tern::nki
