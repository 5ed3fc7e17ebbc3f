// SPDX-License-Identifier: Apache-2.0
#include "systemc/core/instruction_fetch.h"

#include <algorithm>

namespace tern {

void InstructionFetch::start(std::uint64_t base, std::uint32_t length) {
  base_ = base;
  length_ = length;
}

void InstructionFetch::request(std::uint32_t block, sc_core::sc_time latency) {
  const std::uint32_t first = block * kBlock;
  const std::uint32_t count = std::min(kBlock, length_ - first);
  Block& place = blocks_[block % 2];
  sc_core::sc_time delay = latency;
  place.good =
      read_(address(first), place.instructions.data(), count * TERN_INSTRUCTION_BYTES, &delay);
  place.arrival = sc_core::sc_time_stamp() + delay;
}

const tern_instruction_t* InstructionFetch::at(std::uint32_t index) {
  const std::uint32_t block = index / kBlock;
  Block& place = blocks_[block % 2];
  if (index % kBlock == 0) {
    if (block == 0) request(0, first_latency_);
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    if (place.arrival > now) sc_core::wait(place.arrival - now);
    if (!place.good) return nullptr;
    if ((block + 1) * kBlock < length_) request(block + 1, sc_core::SC_ZERO_TIME);
  }
  return &place.instructions[index % kBlock];
}

}  // namespace tern
