// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tern::tb {

// Fields of a packed SystemVerilog struct at a Verilated port, the last one of the struct first.
class BitWriter {
 public:
  explicit BitWriter(std::uint32_t* words) : words_(words) {}
  void put(std::uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; ++i, ++at_) {
      const std::uint32_t bit = 1U << (at_ % 32);
      words_[at_ / 32] = (words_[at_ / 32] & ~bit) | (((value >> i) & 1) != 0 ? bit : 0);
    }
  }

 private:
  std::uint32_t* words_;
  unsigned at_ = 0;
};

class BitReader {
 public:
  explicit BitReader(const std::uint32_t* words) : words_(words) {}
  std::uint64_t get(unsigned width) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < width; ++i, ++at_) {
      value |= static_cast<std::uint64_t>((words_[at_ / 32] >> (at_ % 32)) & 1) << i;
    }
    return value;
  }

 private:
  const std::uint32_t* words_;
  unsigned at_ = 0;
};

}  // namespace tern::tb
