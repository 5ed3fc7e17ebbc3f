// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sw/kernels/builder/builder_loops.h"

namespace tern::kernels {

// semaphore -> base: wait for semaphore >= base + iteration * growth.
using RelativeWaits = std::map<unsigned, std::uint32_t>;

// A register for every distance by which something of a queue grows per iteration.
class LoopRegisters {
 public:
  // 0 for no growth. UserError if there are more than 63.
  std::uint8_t of(std::int32_t growth, SourceLine where);
  const std::map<std::int32_t, std::size_t>& all() const { return numbers_; }

 private:
  std::map<std::int32_t, std::size_t> numbers_;
};

// Writes one folded loop into the queues it uses.
//
// Semaphores keep counting: in iteration t, a wait for the progress of a queue that counts n
// instructions per iteration is "base + t * n", t * n from a register. The base is the largest that
// any iteration needs less its t * n. A wait for something later than needed is still one for
// something earlier in the program, so no deadlock is possible.
class LoopWriter {
 public:
  LoopWriter(LoopCalls* kb, const FoldedLoop& loop, SourceLine where)
      : kb_(*kb), loop_(loop), where_(where), length_(loop.iterations[0].size()) {}
  void write();

 private:
  using Body = std::vector<std::pair<tern_instruction_t, const LoopStep*>>;
  static std::uint32_t count_of(const LoopStep& step) {
    return step.transfer ? Executable::kEngines : 1;
  }

  void number_semaphores();
  void allow_reach();
  void find_needs();
  void write_first_waits();
  void drop_implied();
  void write_descriptors();
  void write_queue(unsigned queue);
  void write_step(std::size_t i, LoopRegisters* registers, Body* body) const;

  LoopCalls& kb_;
  const FoldedLoop& loop_;
  SourceLine where_;
  std::size_t length_;
  // Per semaphore: its growth per iteration, its value before the loop and, while iterations are
  // counted, now.
  std::map<unsigned, std::uint32_t> growth_, before_, value_;
  // Per step of the body: the semaphore it counts on, what it must wait for, the rest of that
  // when implied waits are dropped, descriptors on each engine.
  std::vector<unsigned> counts_;
  std::vector<RelativeWaits> needs_, waits_;
  std::vector<std::array<std::size_t, Executable::kEngines>> pairs_;
  std::array<unsigned, 2> slots_{};  // transfers in each direction
  std::array<std::vector<Event>, TERN_QUEUE_COUNT> first_needs_;
};

}  // namespace tern::kernels
