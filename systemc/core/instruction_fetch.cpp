// SPDX-License-Identifier: Apache-2.0
#include "systemc/core/instruction_fetch.h"

#include <algorithm>

namespace tern {

void InstructionFetch::start(std::uint64_t base, std::uint32_t length) {
  base_ = base;
  length_ = length;
  current_ = kNone;
  if (!blocks_) blocks_ = std::make_unique<Blocks>();
  for (Block& place : *blocks_) place.number = kNone;
}

void InstructionFetch::request(std::uint32_t block, sc_core::sc_time latency) {
  const std::uint32_t first = block * kBlock;
  const std::uint32_t count = std::min(kBlock, length_ - first);
  Block& place = place_of(block);
  place.read.wait_for_it();  // of a block that was not reached
  place.number = block;
  place.latency = latency;
  place.read.start(send_, address(first), place.instructions.data(),
                   count * TERN_INSTRUCTION_BYTES);
}

const tern_instruction_t* InstructionFetch::at(std::uint32_t index) {
  const std::uint32_t block = index / kBlock;
  Block& place = place_of(block);
  if (block != current_) {
    if (place.number != block) request(block, first_latency_);
    place.read.wait_for_it();
    const sc_core::sc_time now = sc_core::sc_time_stamp(),
                           arrival = place.read.end() + place.latency;
    if (arrival > now) sc_core::wait(arrival - now);
    error_ = place.read.error();
    if (error_ != TERN_ERROR_NONE) return nullptr;
    current_ = block;
    const std::uint32_t next = block + 1;
    if (std::uint64_t{next} * kBlock < length_ && place_of(next).number != next)
      request(next, sc_core::SC_ZERO_TIME);
  }
  return &place.instructions[index % kBlock];
}

}  // namespace tern
