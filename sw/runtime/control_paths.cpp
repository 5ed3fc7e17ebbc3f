// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/control_paths.h"

#include <map>

namespace tern::runtime {

std::vector<bool> still_ahead(const std::vector<tern_instruction_t>& program, std::uint32_t pc) {
  const auto size = static_cast<std::int64_t>(program.size());
  // First instructions of the bodies that end before an instruction.
  std::multimap<std::int64_t, std::int64_t> bodies;
  for (std::int64_t i = 0; i < size; ++i) {
    const tern_instruction_t& in = program[static_cast<std::size_t>(i)];
    if (in.header.opcode == TERN_OPCODE_LOOP) bodies.emplace(i + 1 + in.loop.length, i + 1);
  }

  std::vector<bool> reached(program.size());
  std::vector<std::int64_t> open;
  const auto reach = [&](std::int64_t index) {
    if (index < 0 || index >= size || reached[static_cast<std::size_t>(index)]) return;
    reached[static_cast<std::size_t>(index)] = true;
    open.push_back(index);
  };
  const auto fall_to = [&](std::int64_t index) {
    const auto range = bodies.equal_range(index);
    for (auto body = range.first; body != range.second; ++body) reach(body->second);
    reach(index);
  };
  reach(pc);
  while (!open.empty()) {
    const std::int64_t index = open.back();
    open.pop_back();
    const tern_instruction_t& in = program[static_cast<std::size_t>(index)];
    switch (in.header.opcode) {
      case TERN_OPCODE_HALT:
        break;
      case TERN_OPCODE_BRANCH:
        reach(index + in.branch.target);
        if (in.branch.cond != TERN_BRANCH_COND_ALWAYS) fall_to(index + 1);
        break;
      case TERN_OPCODE_LOOP:
        reach(index + 1);
        fall_to(index + 1 + in.loop.length);
        break;
      default:
        fall_to(index + 1);
    }
  }
  return reached;
}

std::optional<std::uint32_t> branch_into_loop(const std::vector<tern_instruction_t>& program) {
  // The innermost loop around every instruction; 0: none, otherwise its first instruction's index.
  std::vector<std::uint64_t> inside(program.size());
  struct Body {
    std::uint64_t begin, end;
  };
  std::vector<Body> open;
  for (std::uint64_t i = 0; i < program.size(); ++i) {
    while (!open.empty() && open.back().end <= i) open.pop_back();
    inside[i] = open.empty() ? 0 : open.back().begin;
    if (program[i].header.opcode == TERN_OPCODE_LOOP)
      open.push_back({i + 1, i + 1 + program[i].loop.length});
  }
  for (std::size_t i = 0; i < program.size(); ++i) {
    if (program[i].header.opcode != TERN_OPCODE_BRANCH) continue;
    const std::int64_t target = static_cast<std::int64_t>(i) + program[i].branch.target;
    if (target < 0 || target >= static_cast<std::int64_t>(program.size())) continue;
    // A branch out of a loop is refused by the core when it is taken.
    const std::uint64_t there = inside[static_cast<std::size_t>(target)];
    if (there > inside[i]) return static_cast<std::uint32_t>(i);
  }
  return std::nullopt;
}

}  // namespace tern::runtime
