// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/config/chip_config.h"

namespace tern {

// One bit of a block that always has the same value. README.md.
struct StuckBit {
  enum class Block : std::uint8_t {
    kTensor,      // lane: PSUM partition, bit of a word that the array writes
    kExp,         // lane: partition, bit of a result
    kMx,          // lane: partition, bit of an x4 word or of an element
    kNearMemory,  // bit of an FP32 word that the adders of SBUF write; lane: word of 16
    kDma,         // lane: engine, bit of a beat of 64 bytes that it writes
    kSbuf,        // lane: partition, bit of its bytes: a cell
    kHbm,         // in place of the core a stack; bit of a burst of 32 bytes: a data line
  };
  unsigned core = 0;
  Block block = Block::kTensor;
  unsigned lane = 0;
  std::uint64_t bit = 0;
  bool value = true;
};

const char* stuck_block_name(StuckBit::Block block);  // "near_memory"

// "CORE:BLOCK:[LANE.]BIT[=0|1]", as "2:tensor:37.12=0"; without a value 1. UserError.
StuckBit parse_stuck_bit(const std::string& text);
std::string stuck_bit_text(const StuckBit& bit);
// UserError if the chip has no such bit.
void check_stuck_bit(const StuckBit& bit, const ChipConfig& chip);

}  // namespace tern
