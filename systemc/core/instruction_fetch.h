// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <systemc>

#include "sw/spec/generated/isa.h"

namespace tern {

// Reads a program from memory in blocks, one block ahead of its use, and keeps the newest ones: a
// loop whose body lies in at most kKept - 1 blocks is fetched once.
class InstructionFetch {
 public:
  static constexpr unsigned kBlock = 64;  // instructions
  static constexpr unsigned kKept = 16;   // blocks

  // Reads memory: returns false on a bus error, adds the time it takes to *delay.
  using Read = std::function<bool(std::uint64_t address, void* data, unsigned bytes,
                                  sc_core::sc_time* delay)>;

  InstructionFetch(Read read, sc_core::sc_time first_latency)
      : read_(std::move(read)), first_latency_(first_latency) {}

  void start(std::uint64_t base, std::uint32_t length);
  // Instruction `index`, or null on a bus error. Blocks the calling SC_THREAD until it has arrived.
  // An instruction that is neither behind the previous one nor kept takes the first latency again.
  // It stays valid until the next call.
  const tern_instruction_t* at(std::uint32_t index);
  std::uint64_t address(std::uint32_t index) const {
    return base_ + std::uint64_t{index} * TERN_INSTRUCTION_BYTES;
  }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct Block {
    std::uint32_t number = kNone;
    std::array<tern_instruction_t, kBlock> instructions;
    sc_core::sc_time arrival;
    bool good = false;
  };
  void request(std::uint32_t block, sc_core::sc_time latency);

  Read read_;
  sc_core::sc_time first_latency_;
  std::uint64_t base_ = 0;
  std::uint32_t length_ = 0;
  std::uint32_t current_ = kNone;      // block of the last instruction
  std::array<Block, kKept> blocks_{};  // block b is in place b mod kKept
};

}  // namespace tern
