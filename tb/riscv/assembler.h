// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tern::tb {

// Machine code, built word by word. Formats and fields as in the instruction set manual.
class Assembler {
 public:
  unsigned xlen = 64;
  std::vector<std::uint8_t> bytes;

  std::size_t here() const { return bytes.size(); }
  void half(std::uint32_t value) {
    bytes.push_back(static_cast<std::uint8_t>(value));
    bytes.push_back(static_cast<std::uint8_t>(value >> 8));
  }
  void word(std::uint32_t value) {
    half(value);
    half(value >> 16);
  }
  void r(std::uint32_t match, unsigned rd, unsigned rs1, unsigned rs2) {
    word(match | rd << 7 | rs1 << 15 | rs2 << 20);
  }
  void i(std::uint32_t match, unsigned rd, unsigned rs1, int imm) {
    word(match | rd << 7 | rs1 << 15 | static_cast<std::uint32_t>(imm) << 20);
  }
  void s(std::uint32_t match, unsigned rs1, unsigned rs2, int imm) {
    const auto bits = static_cast<std::uint32_t>(imm);
    word(match | (bits & 31) << 7 | rs1 << 15 | rs2 << 20 | (bits >> 5 & 127) << 25);
  }
  static std::uint32_t branch_bits(int offset) {
    const auto bits = static_cast<std::uint32_t>(offset);
    return (bits >> 11 & 1) << 7 | (bits >> 1 & 15) << 8 | (bits >> 5 & 63) << 25 |
           (bits >> 12 & 1) << 31;
  }
  void branch(std::uint32_t match, unsigned rs1, unsigned rs2, int offset) {
    word(match | rs1 << 15 | rs2 << 20 | branch_bits(offset));
  }
  // jal x0, offset: any distance within 1 MiB.
  void jump(int offset) {
    const auto bits = static_cast<std::uint32_t>(offset);
    word(0x6f | (bits >> 12 & 255) << 12 | (bits >> 11 & 1) << 20 | (bits >> 1 & 1023) << 21 |
         (bits >> 20 & 1) << 31);
  }
  void li32(unsigned rd, std::uint32_t value) {  // sign-extended on RV64
    const std::uint32_t high = (value + 0x800) & 0xfffff000;
    word(0x37 | rd << 7 | high);
    i(xlen == 64 ? 0x1b : 0x13, rd, rd, static_cast<int>(value - high));
  }
  void patch(std::size_t at, std::uint32_t bits) {
    for (unsigned k = 0; k < 4; ++k)
      bytes[at + k] = static_cast<std::uint8_t>(bytes[at + k] | bits >> (8 * k));
  }
};

}  // namespace tern::tb
