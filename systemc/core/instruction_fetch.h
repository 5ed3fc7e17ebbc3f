// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <systemc>

#include "sw/spec/generated/isa.h"

namespace tern {

// Reads a program from memory in blocks, one block ahead of its use.
class InstructionFetch {
 public:
  static constexpr unsigned kBlock = 64;  // instructions

  // Reads memory: returns false on a bus error, adds the time it takes to *delay.
  using Read = std::function<bool(std::uint64_t address, void* data, unsigned bytes,
                                  sc_core::sc_time* delay)>;

  InstructionFetch(Read read, sc_core::sc_time first_latency)
      : read_(std::move(read)), first_latency_(first_latency) {}

  void start(std::uint64_t base, std::uint32_t length);
  // Instruction `index`, or null on a bus error. Blocks the calling SC_THREAD until it has arrived.
  // Indices rise by one; the instruction stays valid until the next call.
  const tern_instruction_t* at(std::uint32_t index);
  std::uint64_t address(std::uint32_t index) const {
    return base_ + std::uint64_t{index} * TERN_INSTRUCTION_BYTES;
  }

 private:
  struct Block {
    std::array<tern_instruction_t, kBlock> instructions;
    sc_core::sc_time arrival;
    bool good = false;
  };
  void request(std::uint32_t block, sc_core::sc_time latency);

  Read read_;
  sc_core::sc_time first_latency_;
  std::uint64_t base_ = 0;
  std::uint32_t length_ = 0;
  std::array<Block, 2> blocks_;  // block b is in place b mod 2
};

}  // namespace tern
