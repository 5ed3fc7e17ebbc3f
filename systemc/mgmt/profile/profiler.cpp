// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/profile/profiler.h"

#include <fmt/format.h>

namespace tern::mgmt {

Profiler::Profiler(Board& board, const Symbols& symbols, const Options& options)
    : board_(board), symbols_(symbols), options_(options), harts_(board.harts()) {
  if (harts_.size() < 2) return;
  for (std::size_t h = 0; h < harts_.size(); ++h)
    harts_[h].root = tree_.child(CallTree::kRoot, fmt::format("hart {}", h));
}

// Zeros where nothing can be read: the fetch will trap.
std::uint32_t Profiler::word_at(const riscv::Hart& hart, std::uint64_t pc) {
  const auto half = [&](std::uint64_t address) {
    std::uint64_t physical = 0;
    std::uint16_t value = 0;
    if (hart.translate(address, physical)) board_.peek(physical, &value, sizeof value);
    return value;
  };
  const std::uint32_t low = half(pc);
  return (low & 3) == 3 ? low | static_cast<std::uint32_t>(half(pc + 2)) << 16 : low;
}

void Profiler::instruction(unsigned number, const riscv::Hart& hart, const sc_core::sc_time& at) {
  const std::uint64_t pc = hart.pc();
  const std::uint32_t word = word_at(hart, pc);
  if (options_.trace != nullptr && at >= options_.from && at < options_.to)
    options_.trace->write(number, at, pc, word);
  if (options_.profile) count(harts_[number], pc, word);
}

void Profiler::count(HartPlace& place, std::uint64_t pc, std::uint32_t word) {
  const bool moved = place.stack.step(pc, word, place.node);
  if (moved || pc < place.begin || pc >= place.end) {
    const auto& frames = place.stack.frames();
    std::size_t above = frames.empty() ? place.root : frames.back().caller;
    if (!frames.empty() && frames.back().trap) above = tree_.child(above, "trap");
    const Symbol* symbol = symbols_.find(pc);
    place.node = tree_.child(above, symbol != nullptr ? symbol->name : "(no symbol)");
    // Code without a symbol is looked up each time.
    place.begin = symbol != nullptr ? symbol->begin : pc;
    place.end = symbol != nullptr ? symbol->end : pc;
  }
  tree_.count(place.node);
}

}  // namespace tern::mgmt
