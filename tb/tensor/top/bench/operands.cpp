// SPDX-License-Identifier: Apache-2.0
#include "tb/tensor/top/bench/operands.h"

#include "tb/tensor/top/oracle/reference_element.h"

namespace tern::tb {

namespace {

struct Layout {
  unsigned bits, exponent_bits, exponent_lsb, one;  // of one element; the exponent of 1.0
};

Layout layout_of(TensorType type) {
  switch (type) {
    case TensorType::kBf16:
      return {16, 8, 7, 127};
    case TensorType::kFp16:
      return {16, 5, 10, 15};
    case TensorType::kFp32:
    case TensorType::kTf32:
      return {32, 8, 23, 127};
    case TensorType::kE5m2:
    case TensorType::kE5m2X4:
      return {8, 5, 2, 15};
    case TensorType::kE2m1X4:
      return {4, 2, 1, 1};
    default:
      return {8, 4, 3, 7};
  }
}

std::uint32_t random_single(Random& random, TensorType type, Spread spread) {
  const Layout layout = layout_of(type);
  const auto any = static_cast<std::uint32_t>(random() & ((std::uint64_t{1} << layout.bits) - 1));
  if (type == TensorType::kE2m1X4) return any;
  if (spread == Spread::kSpecials && below(random, 4) != 0)
    return pick(random, special_elements(type));
  const std::uint32_t highest = (1u << layout.exponent_bits) - 1;
  const std::uint32_t mask = highest << layout.exponent_lsb;
  if (spread == Spread::kNearOne) {
    const unsigned around = layout.exponent_bits > 4 ? 5 : 3;
    return (any & ~mask) | between(random, layout.one - around, layout.one + around)
                               << layout.exponent_lsb;
  }
  return (any & mask) == mask ? any & ~mask : any;
}

}  // namespace

const std::vector<TensorType>& all_types() {
  static const std::vector<TensorType> types = {
      TensorType::kBf16,   TensorType::kFp16,  TensorType::kFp32,   TensorType::kTf32,
      TensorType::kE4m3,   TensorType::kE5m2,  TensorType::kE4m3fn, TensorType::kE4m3fnX4,
      TensorType::kE5m2X4, TensorType::kE2m1X4};
  return types;
}

const std::vector<std::uint32_t>& special_binary32() {
  static const std::vector<std::uint32_t> list = {
      0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007FFFFF, 0x807FFFFF,
      0x00800000, 0x80800000, 0x00800001, 0x3F800000, 0xBF800000, 0x3F800001,
      0x3F7FFFFF, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000,
      0x7F800001, 0xFFC12345, 0x4B800000, 0x33800000, 0x7F000000, 0x01000000};
  return list;
}

const std::vector<std::uint32_t>& special_elements(TensorType type) {
  static const std::vector<std::uint32_t> bf16 = {0x0000, 0x8000, 0x0001, 0x8001, 0x007F, 0x807F,
                                                  0x0080, 0x8080, 0x7F7F, 0xFF7F, 0x7F80, 0xFF80,
                                                  0x7FC0, 0x7F81, 0x3F80, 0xBF80, 0x3F81, 0x0040};
  static const std::vector<std::uint32_t> fp16 = {0x0000, 0x8000, 0x0001, 0x8001, 0x03FF, 0x83FF,
                                                  0x0400, 0x8400, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00,
                                                  0x7E00, 0x7C01, 0x3C00, 0xBC00, 0x3C01, 0x0200};
  static const std::vector<std::uint32_t> e5m2 = {0x00, 0x80, 0x01, 0x81, 0x03, 0x83, 0x04, 0x84,
                                                  0x7B, 0xFB, 0x7C, 0xFC, 0x7D, 0x7E, 0x3C, 0xBC};
  static const std::vector<std::uint32_t> e4m3 = {0x00, 0x80, 0x01, 0x81, 0x07, 0x87, 0x08,
                                                  0x88, 0x77, 0xF7, 0x78, 0xF8, 0x79, 0x7E,
                                                  0xFE, 0x7F, 0xFF, 0x38, 0xB8};
  switch (layout_of(type).bits) {
    case 32:
      return special_binary32();
    case 16:
      return type == TensorType::kBf16 ? bf16 : fp16;
    default:
      return layout_of(type).exponent_bits == 5 ? e5m2 : e4m3;
  }
}

std::uint32_t random_element(Random& random, TensorType type, Spread spread) {
  const unsigned bits = layout_of(type).bits;
  if (!is_x4(type)) return random_single(random, type, spread);
  std::uint32_t word = 0;
  for (unsigned slot = 0; slot < 4; ++slot)
    word |= random_single(random, type, spread) << (bits * slot);
  return word;
}

}  // namespace tern::tb
