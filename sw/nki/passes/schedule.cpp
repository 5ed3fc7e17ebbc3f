// SPDX-License-Identifier: Apache-2.0
// Loads ahead of their place in the program: queues work in order, so that a transfer that waits
// for results would hold up all loads after it. Everything else stays in program order. The place
// of a list scheduler over all queues.
#include <algorithm>
#include <string_view>
#include <vector>

#include "sw/nki/passes/passes.h"

namespace tern::nki {

namespace {

// A load whose data exist before the kernel starts.
bool is_load(const Instruction& instruction) {
  if (std::string_view(instruction.signature->name) != "dma_copy") return false;
  if (instruction.operands.size() != 2 || instruction.options.fixed) return false;
  const Storage& from = instruction.at("src").storage();
  return instruction.at("dst").storage().on_chip() && !from.on_chip() &&
         (from.role == Role::kInput || from.role == Role::kConstant);
}

bool same_memory(const Storage& a, const Storage& b) {
  if (&a == &b) return true;
  if (!a.address || !b.address || a.memory != b.memory) return false;
  return a.address->byte < b.address->byte + b.partition_bytes() &&
         b.address->byte < a.address->byte + a.partition_bytes();
}

bool touches(const Instruction& instruction, const Storage& storage) {
  return std::any_of(
      instruction.operands.begin(), instruction.operands.end(),
      [&](const Operand& operand) { return same_memory(operand.view.storage(), storage); });
}

}  // namespace

void schedule(Kernel& kernel, const CompileOptions& options) {
  struct Place {
    std::size_t position = 0, order = 0;  // loads before others at one position
    std::size_t index = 0;
  };
  std::vector<Instruction>& all = kernel.instructions;
  std::vector<Place> places;
  places.reserve(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    Place place{i, 1, i};
    if (is_load(all[i])) {
      const Storage& dst = all[i].at("dst").storage();
      place.order = 0;
      while (place.position > 0 && i - place.position < options.prefetch &&
             !touches(all[place.position - 1], dst)) {
        place.position -= 1;
      }
    }
    places.push_back(place);
  }
  std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return a.position != b.position ? a.position < b.position : a.order < b.order;
  });
  std::vector<Instruction> ordered;
  ordered.reserve(all.size());
  for (const Place& place : places) ordered.push_back(std::move(all[place.index]));
  all = std::move(ordered);
}

}  // namespace tern::nki
