// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <systemc>

#include "sw/spec/generated/isa.h"
#include "systemc/core/memory_read.h"

namespace tern {

// Reads a program from memory in blocks, one block ahead of its use, and keeps the newest ones. So
// a loop whose body is in at most kKept - 1 blocks is fetched once.
class InstructionFetch {
 public:
  static constexpr unsigned kBlock = 64;  // instructions
  static constexpr unsigned kKept = 16;   // blocks

  InstructionFetch(MemoryRead::Send send, sc_core::sc_time first_latency)
      : send_(std::move(send)), first_latency_(first_latency) {}

  void start(std::uint64_t base, std::uint32_t length);
  // Instruction `index`, or null if it could not be read: error() says why. Blocks the calling
  // SC_THREAD until it has arrived. An instruction that neither follows the previous one nor is
  // kept takes the first latency again. It stays valid until the next call.
  const tern_instruction_t* at(std::uint32_t index);
  unsigned error() const { return error_; }
  std::uint64_t address(std::uint32_t index) const {
    return base_ + std::uint64_t{index} * TERN_INSTRUCTION_BYTES;
  }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct Block {
    std::uint32_t number = kNone;
    std::array<tern_instruction_t, kBlock> instructions;
    MemoryRead read;
    sc_core::sc_time latency;  // from the end of the read to the sequencer
  };
  void request(std::uint32_t block, sc_core::sc_time latency);

  MemoryRead::Send send_;
  sc_core::sc_time first_latency_;
  std::uint64_t base_ = 0;
  std::uint32_t length_ = 0;
  std::uint32_t current_ = kNone;     // block of the last instruction
  unsigned error_ = TERN_ERROR_NONE;  // of the last block waited for
  // Block b is in slot b mod kKept. Of a queue that never runs there are none.
  using Blocks = std::array<Block, kKept>;
  Block& place_of(std::uint32_t block) { return (*blocks_)[block % kKept]; }
  std::unique_ptr<Blocks> blocks_;
};

}  // namespace tern
