// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "sw/runtime/executable.h"

namespace tern::runtime {

// A core on which nothing can happen any more, as shown by its registers.
struct StalledCore {
  struct Queue {
    bool running = false;
    std::uint32_t pc = 0;
    unsigned condition = TERN_WAIT_COND_NONE;  // none: it does not wait
    unsigned semaphore = 0;                    // condition event: an event
    std::uint32_t operand = 0;                 // compared with
    std::uint32_t value = 0;                   // of the semaphore
    bool for_event() const { return condition == TERN_WAIT_COND_EVENT; }
  };
  struct Ring {
    std::uint32_t released = 0, done = 0;  // descriptor pairs
    bool stopped = false;
  };
  std::array<Queue, TERN_QUEUE_COUNT> queues;
  std::map<unsigned, std::array<Ring, Executable::kEngines>> rings;  // those of the program
};

// For every waiting queue: its position, its condition, and what could have changed that semaphore.
// This may be instructions that a queue has not reached, DMA descriptors and what would start them,
// or nothing. Then the cycle of waits, if there is one. Several lines, without a final newline.
std::string explain_deadlock(const Executable& program, const StalledCore& core);

// "vector queue, instruction 3 (memset), from norm.cpp:20: memset"
std::string instruction_place(const Executable& program, unsigned queue, std::uint32_t index);
// "semaphore 10 >= 1, it is 0"
std::string condition_text(const StalledCore::Queue& queue);

}  // namespace tern::runtime
