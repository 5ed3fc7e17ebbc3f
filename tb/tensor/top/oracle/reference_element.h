// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "systemc/engines/tensor/tensor_datapath.h"

namespace tern::tb {

std::uint32_t bits_of(float x);
float float_of(std::uint32_t bits);
std::uint32_t canonical(float x);  // its bits, NaN as 0x7FC00000

unsigned bytes_of(TensorType type);  // of one element, of the four of an x4 format
bool is_x4(TensorType type);

// An operand of a chain: what docs/numerics.md defines a bf16, fp16, tf32 word or a half of an fp32
// word is worth.
float decode(TensorType type, std::uint32_t element, bool high_half = false);

// An operand of an exact block sum, in units of 2^-16; of an infinity the sign.
struct Fixed {
  enum Kind { kFinite, kInfinity, kNan } kind = kFinite;
  std::int64_t value = 0;
};
// Of an FP8 byte or an FP4 nibble; an x4 format means one of its four elements.
Fixed fixed_of(TensorType type, unsigned bits);
// Element `slot` of an x4 word.
Fixed fixed_of_slot(TensorType type, std::uint32_t word, unsigned slot);

}  // namespace tern::tb
