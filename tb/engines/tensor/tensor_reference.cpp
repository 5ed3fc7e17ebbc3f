// SPDX-License-Identifier: Apache-2.0
#include "tb/engines/tensor/tensor_reference.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace tern::tb {

namespace {

float float_from(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
std::uint32_t bits_from(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return std::isnan(value) ? 0x7FC00000 : bits;
}

unsigned size_of(TensorType type) {
  const auto code = static_cast<unsigned>(type);
  if (code == 6 || code == 7 || code == 22) return 2;
  return code == 14 || code == 15 || code == 16 ? 1 : 4;
}

// An IEEE-like format of up to 16 bits.
float ieee(std::uint32_t bits, int exponent_bits, int mantissa_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = static_cast<int>(bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
  const int mantissa = static_cast<int>(bits) & ((1 << mantissa_bits) - 1);
  const float sign = (bits >> (exponent_bits + mantissa_bits) & 1) != 0 ? -1.0f : 1.0f;
  if (exponent == 2 * bias + 1) return mantissa != 0 ? NAN : sign * INFINITY;
  if (exponent == 0) {
    return sign * std::ldexp(static_cast<float>(mantissa), 1 - bias - mantissa_bits);
  }
  return sign * std::ldexp(static_cast<float>((1 << mantissa_bits) + mantissa),
                           exponent - bias - mantissa_bits);
}

struct Small {
  int exponent_bits, mantissa_bits, bias;
  bool infinity, nan_only_all_ones;
};
Small small_format(TensorType type) {
  switch (static_cast<unsigned>(type)) {
    case 15:
    case 21:
      return {5, 2, 15, true, false};  // E5M2
    case 14:
      return {4, 3, 7, true, false};  // E4M3, legacy
    case 22:
      return {2, 1, 1, false, false};  // E2M1
    default:
      return {4, 3, 7, false, true};  // E4M3FN
  }
}
// Exponent of the smallest subnormal: values are integers in this unit.
int unit(TensorType type) {
  const Small f = small_format(type);
  return 1 - f.bias - f.mantissa_bits;
}

SmallValue decode(TensorType type, unsigned code) {
  const Small f = small_format(type);
  const bool negative = (code >> (f.exponent_bits + f.mantissa_bits) & 1) != 0;
  const int exponent = static_cast<int>(code >> f.mantissa_bits) & ((1 << f.exponent_bits) - 1);
  const int mantissa = static_cast<int>(code) & ((1 << f.mantissa_bits) - 1);
  const int top = (1 << f.exponent_bits) - 1;
  if (f.infinity && exponent == top) {
    if (mantissa != 0) return {SmallValue::kNan, 0};
    return {SmallValue::kInfinite, negative ? -1 : 1};
  }
  if (f.nan_only_all_ones && exponent == top && mantissa == 7) return {SmallValue::kNan, 0};
  const std::int64_t value =
      exponent == 0 ? mantissa : std::int64_t{(1 << f.mantissa_bits) + mantissa} << (exponent - 1);
  return {SmallValue::kFinite, negative ? -value : value};
}

constexpr unsigned kKept[] = {4, 4, 4, 2, 2, 1, 1}, kOf[] = {16, 12, 8, 8, 4, 4, 2};

}  // namespace

std::uint32_t round_to_fp32(__int128 sum, int exponent) {
  const std::uint32_t sign = sum < 0 ? 0x80000000 : 0;
  const auto magnitude = static_cast<unsigned __int128>(sum < 0 ? -sum : sum);
  if (magnitude == 0) return 0;
  int length = 0;
  while (length < 127 && (magnitude >> length) != 0) ++length;
  // The unit in the last place of the result: 24 bits, but not below 2^-149.
  const int place = std::max(exponent + length - 24, -149);
  unsigned __int128 kept;
  const int drop = place - exponent;
  if (drop <= 0) {
    kept = magnitude << -drop;
  } else if (drop > 126) {
    kept = 0;
  } else {
    const unsigned __int128 one = 1;
    kept = magnitude >> drop;
    const unsigned __int128 rest = magnitude & ((one << drop) - 1), half = one << (drop - 1);
    if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
  }
  const double value = std::ldexp(static_cast<double>(static_cast<std::uint64_t>(kept)), place);
  if (value > static_cast<double>(std::numeric_limits<float>::max())) return sign | 0x7F800000;
  return sign | bits_from(static_cast<float>(value));  // exact
}

TensorReference::TensorReference(const TensorShape& shape, SbufView sbuf)
    : shape_(shape),
      sbuf_(sbuf),
      words_(shape.psum_banks * shape.bank_columns),
      psum_(std::size_t{shape.cols} * words_, 0),
      generators_(shape.cols) {
  for (std::uint32_t p = 0; p < shape.cols; ++p) {
    for (std::uint32_t i = 0; i < 6; ++i) {
      std::uint32_t h = 6 * p + i + 1;
      h ^= h >> 16;
      h *= 0x85EBCA6B;
      h ^= h >> 13;
      h *= 0xC2B2AE35;
      h ^= h >> 16;
      generators_[p][i] = h;
    }
  }
}

std::uint32_t TensorReference::bytes(unsigned partition, std::int64_t address,
                                     unsigned count) const {
  std::uint32_t bits = 0;
  for (unsigned i = 0; i < count; ++i) {
    bits |= std::uint32_t{sbuf_.partition(partition)[address + i]} << (8 * i);
  }
  return bits;
}

float TensorReference::wide(const TensorCommand& command, unsigned partition,
                            std::int64_t address) const {
  if (command.type == TensorType::kBf16) return ieee(bytes(partition, address, 2), 8, 7);
  if (command.type == TensorType::kFp16) return ieee(bytes(partition, address, 2), 5, 10);
  const std::uint32_t word = bytes(partition, address, 4);
  const float value = float_from(word);
  if (std::isnan(value)) return NAN;
  if (command.type == TensorType::kTf32) return float_from(word >> 13 << 13);
  if (std::isinf(value)) return NAN;
  const int exponent = static_cast<int>(word >> 23) & 0xFF;
  const int significand = static_cast<int>(word & 0x7FFFFF) | (exponent != 0 ? 0x800000 : 0);
  const int half = command.high_half ? significand / 4096 * 4096 : significand % 4096;
  return std::copysign(std::ldexp(static_cast<float>(half), std::max(exponent, 1) - 150), value);
}

SmallValue TensorReference::small(const TensorCommand& command, unsigned partition,
                                  std::int64_t address, unsigned slot) const {
  const unsigned size = size_of(command.type);
  const std::uint32_t word = bytes(partition, address, size);
  if (size == 1) return decode(command.type, word);
  return decode(command.type, size == 2 ? word >> (4 * slot) & 15 : word >> (8 * slot) & 255);
}

bool TensorReference::apply(const TensorCommand& command) {
  switch (command.op) {
    case TensorOp::kLoadStationary:
      return load(command);
    case TensorOp::kTranspose:
      transpose(command);
      break;
    case TensorOp::kMultiplyMoving:
      multiply(command);
  }
  return true;
}

bool TensorReference::load(const TensorCommand& command) {
  loads_.push_back(command);
  if (command.mode != TensorMode::kSparse) return true;
  const unsigned of = kOf[static_cast<unsigned>(command.sparsity)];
  bool legal = true;
  for (unsigned r = 0; r < command.rows; ++r) {
    for (unsigned m = 0; m < command.cols; ++m) {
      const std::uint32_t word = bytes(command.row_start + r, command.aux_address + 2 * (m / 4), 2);
      legal = legal && (word >> (4 * (m % 4)) & 15) < of;
    }
  }
  return legal;
}

// Of column m of a load or transpose.
std::int64_t TensorReference::stationary_address(const TensorCommand& command, unsigned m) {
  const std::int64_t element = std::int64_t{m % command.num0} * command.step0 +
                               std::int64_t{m / command.num0} * command.step1;
  return command.sbuf_address + size_of(command.type) * element;
}

void TensorReference::transpose(const TensorCommand& command) {
  const unsigned size = size_of(command.type);
  for (unsigned k = 0; k < command.rows; ++k) {
    for (unsigned m = 0; m < command.cols; ++m) {
      const std::uint32_t bits = bytes(command.row_start + k, stationary_address(command, m), size);
      const unsigned element =
          command.psum_bank * shape_.bank_columns * (size == 4 ? 1 : 2) + command.psum_column + k;
      if (size == 4) {
        psum(m, element) = bits;
      } else {
        std::uint32_t& word = psum(m, element / 2);
        word = element % 2 == 0 ? (word & 0xFFFF0000) | bits : (word & 0xFFFF) | bits << 16;
      }
    }
  }
}

void TensorReference::multiply(const TensorCommand& command) {
  // The latest load of this tile: the engine has checked that nothing came between.
  const auto load = std::find_if(loads_.rbegin(), loads_.rend(), [&](const TensorCommand& l) {
    return l.mode == command.mode && l.row_start == command.row_start && l.rows == command.rows &&
           l.cols == command.cols && l.col_start == command.col_start;
  });
  const unsigned size = size_of(command.type);
  const unsigned elements = shape_.bank_columns * (command.bf16_result ? 2 : 1);
  const bool block_mode = command.mode >= TensorMode::kDoubleRow;
  const unsigned slots = command.mode == TensorMode::kQuad ? 4 : 1;
  for (unsigned n = 0; n < command.num0 * command.num1; ++n) {
    const std::int64_t offset = std::int64_t{n % command.num0} * command.step0 +
                                std::int64_t{n / command.num0} * command.step1;
    for (unsigned m = 0; m < command.cols; ++m) {
      for (unsigned slot = 0; slot < slots; ++slot) {
        const float y = block_mode ? blocks(command, *load, m, offset, slot)
                                   : chain(command, *load, m, size * offset);
        deliver(
            command, command.col_start + m,
            (command.psum_bank + slot * shape_.psum_banks / 4) * elements + command.psum_column + n,
            y);
      }
    }
  }
}

float TensorReference::chain(const TensorCommand& move, const TensorCommand& load, unsigned m,
                             std::int64_t offset) const {
  std::vector<Kept> kept;
  const bool sparse = load.mode == TensorMode::kSparse;
  const auto pattern = static_cast<unsigned>(load.sparsity);
  for (unsigned r = 0; r < load.rows; ++r) {
    const unsigned partition = load.row_start + r;
    unsigned k = r;
    if (sparse) {
      const std::uint32_t word = bytes(partition, load.aux_address + 2 * (m / 4), 2);
      const unsigned position = word >> (4 * (m % 4)) & 15;
      if (position >= kOf[pattern]) continue;
      k = kOf[pattern] * (r / kKept[pattern]) + position;
    }
    kept.push_back({k, wide(load, partition, stationary_address(load, m))});
  }
  std::stable_sort(kept.begin(), kept.end(),
                   [](const Kept& a, const Kept& b) { return a.k < b.k; });
  const unsigned planes = sparse ? kOf[pattern] / kKept[pattern] : 1;
  float acc = 0.0f;
  for (const Kept& element : kept) {
    const std::int64_t address =
        std::int64_t{move.sbuf_address} + offset + std::int64_t{element.k % planes} * move.plane;
    acc = std::fmaf(wide(move, move.row_start + element.k / planes, address), element.weight, acc);
  }
  return acc;
}

float TensorReference::blocks(const TensorCommand& move, const TensorCommand& load, unsigned m,
                              std::int64_t offset, unsigned slot) const {
  const unsigned rows = move.mode == TensorMode::kQuad ? 32 : 8;
  float acc = 0.0f;
  for (unsigned row = move.row_start; row < move.row_start + move.rows; row += rows) {
    acc = acc + block_term(move, load, m, offset, row, slot);
  }
  return acc;
}

float TensorReference::block_term(const TensorCommand& move, const TensorCommand& load, unsigned m,
                                  std::int64_t offset, unsigned row, unsigned slot) const {
  const bool quad = move.mode == TensorMode::kQuad, planes = move.mode == TensorMode::kDoubleRow;
  __int128 sum = 0;
  bool nan = false, plus = false, minus = false;
  for (unsigned r = row; r < row + (quad ? 32 : 8); ++r) {
    for (unsigned q = 0; q < (planes ? 2u : 4u); ++q) {
      if (quad && q != slot) continue;
      const std::int64_t shift = planes ? q : 0;
      const SmallValue a =
          small(move, r, move.sbuf_address + size_of(move.type) * offset + shift * move.plane, q);
      const SmallValue b =
          small(load, r,
                load.sbuf_address + std::int64_t{size_of(load.type)} * m + shift * load.plane, q);
      if (a.kind == SmallValue::kFinite && b.kind == SmallValue::kFinite) {
        sum += static_cast<__int128>(a.value) * b.value;
      } else if (a.kind == SmallValue::kNan || b.kind == SmallValue::kNan || a.value == 0 ||
                 b.value == 0) {
        nan = true;
      } else if ((a.value < 0) == (b.value < 0)) {
        plus = true;
      } else {
        minus = true;
      }
    }
  }
  int exponent = unit(move.type) + unit(load.type);
  if (!planes) {
    const unsigned block = quad ? slot : row % 32 / 8, quadrant = row / 32 * 32;
    const std::uint32_t sa =
        bytes(quadrant + move.scale_offset + block, move.aux_address + offset, 1);
    const std::uint32_t sb =
        bytes(quadrant + load.scale_offset + block, std::int64_t{load.aux_address} + m, 1);
    nan = nan || sa == 255 || sb == 255;
    exponent += static_cast<int>(sa) - 127 + static_cast<int>(sb) - 127;
  }
  if (nan || (plus && minus)) return NAN;
  if (plus || minus) return plus ? INFINITY : -INFINITY;
  return float_from(round_to_fp32(sum, exponent));
}

std::uint32_t TensorReference::draw(unsigned lane) {
  std::array<std::uint32_t, 6>& s = generators_[lane];
  const std::uint32_t t = s[0] ^ (s[0] >> 2);
  for (int i = 0; i < 4; ++i) s[i] = s[i + 1];
  s[4] = (s[4] ^ (s[4] << 4)) ^ (t ^ (t << 1));
  s[5] += 362437;
  return s[4] + s[5];
}

void TensorReference::deliver(const TensorCommand& command, unsigned lane, unsigned element,
                              float y) {
  if (!command.bf16_result) {
    std::uint32_t& word = psum(lane, element);
    word = bits_from(command.accumulate ? float_from(word) + y : y);
    return;
  }
  std::uint32_t& word = psum(lane, element / 2);
  const std::uint32_t shift = element % 2 * 16;
  const std::uint32_t old = word >> shift & 0xFFFF;
  const std::uint32_t sum = bits_from(command.accumulate ? float_from(old << 16) + y : y);
  const std::uint32_t random = command.stochastic ? draw(lane) >> 16 : 0;
  std::uint32_t result = sum >> 16;
  if ((sum & 0x7FFFFFFF) < 0x7F800000) {
    const std::uint32_t rest = sum & 0xFFFF;
    if (command.stochastic) {
      result = (sum + random) >> 16;
    } else if (rest > 0x8000 || (rest == 0x8000 && (result & 1) != 0)) {
      ++result;
    }
  }
  word = (word & ~(0xFFFFu << shift)) | result << shift;
}

}  // namespace tern::tb
