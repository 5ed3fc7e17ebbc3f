// SPDX-License-Identifier: Apache-2.0
// Compressed instructions (C): each stands for one of 32 bits.
#include "systemc/riscv/decode.h"

namespace tern::riscv {

namespace {

constexpr std::uint32_t kSp = 2;

// Bits `high`..`low` of x, moved to begin at bit `at`.
constexpr std::uint32_t take(std::uint32_t x, unsigned high, unsigned low, unsigned at) {
  return ((x >> low) & ((2u << (high - low)) - 1)) << at;
}

constexpr std::uint32_t i_type(std::uint32_t match, std::uint32_t rd, std::uint32_t rs1,
                               std::uint32_t imm) {
  return match | rd << 7 | rs1 << 15 | imm << 20;
}

constexpr std::uint32_t r_type(std::uint32_t match, std::uint32_t rd, std::uint32_t rs1,
                               std::uint32_t rs2) {
  return match | rd << 7 | rs1 << 15 | rs2 << 20;
}

constexpr std::uint32_t s_type(std::uint32_t match, std::uint32_t rs1, std::uint32_t rs2,
                               std::uint32_t imm) {
  return match | rs1 << 15 | rs2 << 20 | take(imm, 4, 0, 7) | take(imm, 11, 5, 25);
}

constexpr std::uint32_t b_type(std::uint32_t match, std::uint32_t rs1, std::uint32_t imm) {
  return match | rs1 << 15 | take(imm, 11, 11, 7) | take(imm, 4, 1, 8) | take(imm, 10, 5, 25) |
         take(imm, 12, 12, 31);
}

constexpr std::uint32_t j_type(std::uint32_t rd, std::uint32_t imm) {
  return 0x6f | rd << 7 | take(imm, 19, 12, 12) | take(imm, 11, 11, 20) | take(imm, 10, 1, 21) |
         take(imm, 20, 20, 31);
}

// A signed immediate of six bits.
std::uint32_t imm6(std::uint32_t h) {
  const std::uint32_t value = take(h, 6, 2, 0);
  return (h & 0x1000) != 0 ? (value | 0xffffffe0) : value;
}

std::uint32_t jump_target(std::uint32_t h) {
  const std::uint32_t value = take(h, 5, 3, 1) | take(h, 11, 11, 4) | take(h, 2, 2, 5) |
                              take(h, 7, 7, 6) | take(h, 6, 6, 7) | take(h, 10, 9, 8) |
                              take(h, 8, 8, 10);
  return (h & 0x1000) != 0 ? (value | 0xfffff800) : value;
}

std::uint32_t branch_target(std::uint32_t h) {
  const std::uint32_t value =
      take(h, 4, 3, 1) | take(h, 11, 10, 3) | take(h, 2, 2, 5) | take(h, 6, 5, 6);
  return (h & 0x1000) != 0 ? (value | 0xffffff00) : value;
}

std::uint32_t offset_w(std::uint32_t h) {
  return take(h, 6, 6, 2) | take(h, 12, 10, 3) | take(h, 5, 5, 6);
}

std::uint32_t offset_d(std::uint32_t h) {
  return take(h, 12, 10, 3) | take(h, 6, 5, 6);
}

std::uint32_t quadrant0(std::uint32_t h, const HartConfig& config) {
  const bool wide = config.xlen == 64;
  const std::uint32_t rd = 8 + take(h, 4, 2, 0), rs1 = 8 + take(h, 9, 7, 0);
  switch (h >> 13) {
    case 0: {  // addi4spn
      const std::uint32_t imm =
          take(h, 6, 6, 2) | take(h, 5, 5, 3) | take(h, 12, 11, 4) | take(h, 10, 7, 6);
      return imm == 0 ? 0 : i_type(0x13, rd, kSp, imm);
    }
    case 1:
      return config.doubles ? i_type(0x3007, rd, rs1, offset_d(h)) : 0;
    case 2:
      return i_type(0x2003, rd, rs1, offset_w(h));
    case 3:
      if (wide) return i_type(0x3003, rd, rs1, offset_d(h));
      return config.floats ? i_type(0x2007, rd, rs1, offset_w(h)) : 0;
    case 5:
      return config.doubles ? s_type(0x3027, rs1, rd, offset_d(h)) : 0;
    case 6:
      return s_type(0x2023, rs1, rd, offset_w(h));
    case 7:
      if (wide) return s_type(0x3023, rs1, rd, offset_d(h));
      return config.floats ? s_type(0x2027, rs1, rd, offset_w(h)) : 0;
    default:
      return 0;
  }
}

std::uint32_t arithmetic(std::uint32_t h, const HartConfig& config) {
  const bool wide = config.xlen == 64, bit12 = (h & 0x1000) != 0;
  const std::uint32_t rd = 8 + take(h, 9, 7, 0), rs2 = 8 + take(h, 4, 2, 0);
  const std::uint32_t shift = take(h, 6, 2, 0) | take(h, 12, 12, 5);
  switch (take(h, 11, 10, 0)) {
    case 0:
      return bit12 && !wide ? 0 : i_type(0x5013, rd, rd, shift);
    case 1:
      return bit12 && !wide ? 0 : i_type(0x40005013, rd, rd, shift);
    case 2:
      return i_type(0x7013, rd, rd, imm6(h));
    default:
      break;
  }
  constexpr std::uint32_t kMatches[] = {0x40000033, 0x4033, 0x6033, 0x7033};
  const std::uint32_t function = take(h, 6, 5, 0);
  if (!bit12) return r_type(kMatches[function], rd, rd, rs2);
  if (!wide || function > 1) return 0;
  return r_type(function == 0 ? 0x4000003b : 0x3b, rd, rd, rs2);  // subw, addw
}

std::uint32_t quadrant1(std::uint32_t h, const HartConfig& config) {
  const std::uint32_t rd = take(h, 11, 7, 0);
  switch (h >> 13) {
    case 0:
      return i_type(0x13, rd, rd, imm6(h));
    case 1:  // jal, or addiw
      if (config.xlen == 32) return j_type(1, jump_target(h));
      return rd == 0 ? 0 : i_type(0x1b, rd, rd, imm6(h));
    case 2:
      return i_type(0x13, rd, 0, imm6(h));
    case 3: {
      if ((imm6(h) & 0x3f) == 0) return 0;
      if (rd != kSp) return 0x37 | rd << 7 | imm6(h) << 12;
      const std::uint32_t imm =
          take(h, 6, 6, 4) | take(h, 2, 2, 5) | take(h, 5, 5, 6) | take(h, 4, 3, 7);
      return i_type(0x13, kSp, kSp, (h & 0x1000) != 0 ? (imm | 0xfffffe00) : imm);
    }
    case 4:
      return arithmetic(h, config);
    case 5:
      return j_type(0, jump_target(h));
    case 6:
      return b_type(0x63, 8 + take(h, 9, 7, 0), branch_target(h));
    default:
      return b_type(0x1063, 8 + take(h, 9, 7, 0), branch_target(h));
  }
}

std::uint32_t register_jump(std::uint32_t h) {
  const std::uint32_t rd = take(h, 11, 7, 0), rs2 = take(h, 6, 2, 0);
  if ((h & 0x1000) == 0) {
    if (rs2 != 0) return r_type(0x33, rd, 0, rs2);  // mv
    return rd == 0 ? 0 : i_type(0x67, 0, rd, 0);    // jr
  }
  if (rs2 != 0) return r_type(0x33, rd, rd, rs2);  // add
  return rd == 0 ? 0x00100073 : i_type(0x67, 1, rd, 0);
}

std::uint32_t quadrant2(std::uint32_t h, const HartConfig& config) {
  const bool wide = config.xlen == 64;
  const std::uint32_t rd = take(h, 11, 7, 0), rs2 = take(h, 6, 2, 0);
  const std::uint32_t load_w = take(h, 6, 4, 2) | take(h, 12, 12, 5) | take(h, 3, 2, 6);
  const std::uint32_t load_d = take(h, 6, 5, 3) | take(h, 12, 12, 5) | take(h, 4, 2, 6);
  const std::uint32_t store_w = take(h, 12, 9, 2) | take(h, 8, 7, 6);
  const std::uint32_t store_d = take(h, 12, 10, 3) | take(h, 9, 7, 6);
  switch (h >> 13) {
    case 0:
      if ((h & 0x1000) != 0 && !wide) return 0;
      return i_type(0x1013, rd, rd, take(h, 6, 2, 0) | take(h, 12, 12, 5));
    case 1:
      return config.doubles ? i_type(0x3007, rd, kSp, load_d) : 0;
    case 2:
      return rd == 0 ? 0 : i_type(0x2003, rd, kSp, load_w);
    case 3:
      if (wide) return rd == 0 ? 0 : i_type(0x3003, rd, kSp, load_d);
      return config.floats ? i_type(0x2007, rd, kSp, load_w) : 0;
    case 4:
      return register_jump(h);
    case 5:
      return config.doubles ? s_type(0x3027, kSp, rs2, store_d) : 0;
    case 6:
      return s_type(0x2023, kSp, rs2, store_w);
    default:
      if (wide) return s_type(0x3023, kSp, rs2, store_d);
      return config.floats ? s_type(0x2027, kSp, rs2, store_w) : 0;
  }
}

}  // namespace

std::uint32_t expand(std::uint16_t half, const HartConfig& config) {
  switch (half & 3) {
    case 0:
      return half == 0 ? 0 : quadrant0(half, config);
    case 1:
      return quadrant1(half, config);
    default:
      return quadrant2(half, config);
  }
}

}  // namespace tern::riscv
