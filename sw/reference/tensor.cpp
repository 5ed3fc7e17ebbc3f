// SPDX-License-Identifier: Apache-2.0
#include "sw/reference/tensor.h"

#include <algorithm>
#include <cmath>

#include "sw/base/stop.h"
#include "sw/reference/bits.h"
#include "sw/reference/reference.h"

namespace tern::reference {
namespace {

constexpr std::size_t kRows = 128;  // of the array: a slab's partitions

// One result into PSUM: the first overwrites, the others add.
float into_psum(float old, float y, bool first, Psum psum) {
  const float sum = canonical(first ? y : old + y);
  return psum == Psum::kBf16 ? from_bf16(to_bf16(sum)) : sum;
}

void store_row(float* out, const std::vector<float>& chain, bool first, Psum psum) {
  for (std::size_t j = 0; j < chain.size(); ++j) out[j] = into_psum(out[j], chain[j], first, psum);
}

// Column i of A against all columns of B over k0 .. k1.
void run_chain(const std::vector<float>& a, const std::vector<float>& b, std::size_t m,
               std::size_t i, std::size_t k0, std::size_t k1, std::vector<float>* chain) {
  const std::size_t n = chain->size();
  std::fill(chain->begin(), chain->end(), 0.0f);
  for (std::size_t r = k0; r < k1; ++r) {
    const float w = a[r * m + i];
    const float* x = &b[r * n];
    for (std::size_t j = 0; j < n; ++j) (*chain)[j] = std::fmaf(x[j], w, (*chain)[j]);
  }
}

struct Halves {
  std::vector<float> low, high;
};

// Bits 11..0 and 23..12 of the significands; the sign stays, infinities do not.
Halves split(const std::vector<float>& values) {
  Halves halves;
  for (const float x : values) {
    const bool finite = std::isfinite(x);
    const float high = finite ? float_of(bits_of(x) & 0xFFFFF000) : NAN;
    halves.high.push_back(high);
    halves.low.push_back(finite ? std::copysign(x - high, x) : NAN);
  }
  return halves;
}

// A small operand's values, ready for exact block sums in double. Products of E5M2 values reach
// from 2^-32 to 2^32, too far for one double: there the magnitudes below 1 are summed separately.
struct Decoded {
  std::vector<std::vector<double>> parts;  // values of at least 1, and smaller ones
  std::vector<double> whole;
  std::vector<char> special;  // NaN or infinity
};

Decoded decode(const BlockOperand& operand) {
  Decoded decoded;
  const bool wide = operand.format == SmallFormat::kE5m2;
  decoded.parts.resize(wide ? 2 : 1, std::vector<double>(operand.codes.size()));
  for (std::size_t i = 0; i < operand.codes.size(); ++i) {
    const double value = small_value(operand.format, operand.codes[i]);
    const bool special = !std::isfinite(value);
    decoded.whole.push_back(value);
    decoded.special.push_back(special ? 1 : 0);
    const std::size_t part = wide && std::fabs(value) < 1 ? 1 : 0;
    decoded.parts[part][i] = special ? 0 : value;
  }
  return decoded;
}

// The sum of exact doubles, all multiples of 2^-32 below 2^38, as one double that rounds to FP32 as
// the exact sum does. Rounding to odd: the last bit records bits beyond its precision.
double sticky_sum(const double* parts, std::size_t count) {
  __extension__ typedef __int128 Wide;
  Wide sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double floor = std::floor(parts[i]);
    sum += static_cast<Wide>(static_cast<std::int64_t>(floor)) * (Wide{1} << 32) +
           static_cast<std::int64_t>(std::ldexp(parts[i] - floor, 32));
  }
  const bool negative = sum < 0;
  Wide magnitude = negative ? -sum : sum;
  int shift = 0;
  bool rest = false;
  while (magnitude >> 53 != 0) {
    rest = rest || (magnitude & 1) != 0;
    magnitude >>= 1;
    ++shift;
  }
  if (rest) magnitude |= 1;
  const double value =
      std::ldexp(static_cast<double>(static_cast<std::int64_t>(magnitude)), shift - 32);
  return negative ? -value : value;
}

// Exact sums of blocks: column i of A with every column of B.
class BlockSum {
 public:
  BlockSum(const Decoded& a, const Decoded& b, std::size_t m, std::size_t n)
      : a_(a),
        b_(b),
        m_(m),
        n_(n),
        sums_(a.parts.size() * b.parts.size(), std::vector<double>(n)),
        result_(n) {}

  // Finds the columns with a NaN or an infinity in the slab's next block.
  void prepare(const BlockOrder::Block& block) {
    special_a_.push_back(special_columns(a_, block, m_));
    special_b_.push_back(special_columns(b_, block, n_));
  }
  void clear() {
    special_a_.clear();
    special_b_.clear();
  }

  const double* of(const BlockOrder::Block& block, std::size_t at, std::size_t i) {
    for (auto& sum : sums_) std::fill(sum.begin(), sum.end(), 0.0);
    std::size_t term = 0;
    for (const auto& w : a_.parts) {
      for (const auto& x : b_.parts) add(w, x, block, i, &sums_[term++]);
    }
    for (std::size_t j = 0; j < n_; ++j) {
      double parts[4] = {};
      for (std::size_t t = 0; t < sums_.size(); ++t) parts[t] = sums_[t][j];
      result_[j] = sums_.size() == 1 ? parts[0] : sticky_sum(parts, sums_.size());
    }
    // IEEE rules determine the result of infinities; no rounding of the rest can change that.
    for (std::size_t j = 0; j < n_; ++j) {
      if (special_a_[at][i] == 0 && special_b_[at][j] == 0) continue;
      result_[j] = 0;
      for (const std::size_t k : block.k) result_[j] += a_.whole[k * m_ + i] * b_.whole[k * n_ + j];
    }
    return result_.data();
  }

 private:
  static std::vector<char> special_columns(const Decoded& operand, const BlockOrder::Block& block,
                                           std::size_t columns) {
    std::vector<char> special(columns);
    for (const std::size_t k : block.k) {
      for (std::size_t j = 0; j < columns; ++j) {
        if (operand.special[k * columns + j] != 0) special[j] = 1;
      }
    }
    return special;
  }
  void add(const std::vector<double>& w, const std::vector<double>& x,
           const BlockOrder::Block& block, std::size_t i, std::vector<double>* sum) const {
    for (const std::size_t k : block.k) {
      const double weight = w[k * m_ + i];
      const double* row = &x[k * n_];
      for (std::size_t j = 0; j < n_; ++j) (*sum)[j] += weight * row[j];
    }
  }

  const Decoded &a_, &b_;
  const std::size_t m_, n_;
  std::vector<std::vector<char>> special_a_, special_b_;  // per block of the slab
  std::vector<std::vector<double>> sums_;
  std::vector<double> result_;
};

std::uint8_t scale_of(const BlockOperand& operand, std::size_t row, std::size_t column) {
  return operand.scales.empty() ? 127 : operand.scales[row * operand.columns + column];
}

}  // namespace

float to_tf32(float word) {
  return std::isnan(word) ? float_of(0x7FC00000) : float_of(bits_of(word) & 0xFFFFE000);
}

std::vector<float> matmul_dense(const std::vector<float>& a, const std::vector<float>& b,
                                std::size_t k, std::size_t m, std::size_t n, Psum psum) {
  std::vector<float> c(m * n), chain(n);
  for (std::size_t i = 0; i < m; ++i) {
    base::end_if_requested();
    for (std::size_t k0 = 0; k0 < k; k0 += kRows) {
      run_chain(a, b, m, i, k0, std::min(k, k0 + kRows), &chain);
      store_row(&c[i * n], chain, k0 == 0, psum);
    }
  }
  return c;
}

std::vector<float> matmul_fp32(const std::vector<float>& a, const std::vector<float>& b,
                               std::size_t k, std::size_t m, std::size_t n, Psum psum) {
  const Halves weights = split(a), moving = split(b);
  std::vector<float> c(m * n), chain(n);
  for (std::size_t i = 0; i < m; ++i) {
    base::end_if_requested();
    for (std::size_t k0 = 0; k0 < k; k0 += kRows) {
      bool first = k0 == 0;
      for (const auto* w : {&weights.low, &weights.high}) {
        for (const auto* x : {&moving.low, &moving.high}) {
          run_chain(*w, *x, m, i, k0, std::min(k, k0 + kRows), &chain);
          store_row(&c[i * n], chain, first, psum);
          first = false;
        }
      }
    }
  }
  return c;
}

std::vector<float> matmul_sparse(const SparseOperand& a, const std::vector<float>& b, std::size_t k,
                                 std::size_t n, Psum psum) {
  const std::size_t m = a.columns, rows = k / a.group * a.kept;
  std::vector<float> c(m * n), chain(n);
  for (std::size_t i = 0; i < m; ++i) {
    base::end_if_requested();
    for (std::size_t r0 = 0; r0 < rows; r0 += kRows) {
      std::fill(chain.begin(), chain.end(), 0.0f);
      for (std::size_t r = r0; r < std::min(rows, r0 + kRows); ++r) {
        const std::uint8_t position = a.positions[r * m + i];
        if (position >= a.group) continue;
        const float w = a.values[r * m + i];
        const float* x = &b[(r / a.kept * a.group + position) * n];
        for (std::size_t j = 0; j < n; ++j) chain[j] = std::fmaf(x[j], w, chain[j]);
      }
      store_row(&c[i * n], chain, r0 == 0, psum);
    }
  }
  return c;
}

double small_value(SmallFormat format, std::uint8_t code) {
  const bool fp4 = format == SmallFormat::kE2m1, e5m2 = format == SmallFormat::kE5m2;
  const int mantissa_bits = fp4 ? 1 : e5m2 ? 2 : 3;
  const int exponent_bits = fp4 ? 2 : e5m2 ? 5 : 4;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int sign_bit = mantissa_bits + exponent_bits;
  const double sign = (code >> sign_bit & 1) != 0 ? -1 : 1;
  const int exponent = code >> mantissa_bits & ((1 << exponent_bits) - 1);
  const int mantissa = code & ((1 << mantissa_bits) - 1);
  if (format == SmallFormat::kE4m3fn && (code & 0x7F) == 0x7F) return NAN;
  const bool ieee = e5m2 || format == SmallFormat::kE4m3;
  if (ieee && exponent == (1 << exponent_bits) - 1) return mantissa == 0 ? sign * INFINITY : NAN;
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
  return sign * std::ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
}

BlockOrder mx_order(std::size_t k) {
  BlockOrder order;
  for (std::size_t k0 = 0; k0 < k; k0 += 4 * kRows) {
    const std::size_t rows = std::min(kRows, (k - k0) / 4);
    auto& slab = order.slabs.emplace_back();
    for (std::size_t r0 = 0; r0 < rows; r0 += 8) {
      BlockOrder::Block block;
      block.scale_row = (k0 / 4 + r0) / 8;
      for (std::size_t slot = 0; slot < 4; ++slot) {
        for (std::size_t r = r0; r < r0 + 8; ++r) block.k.push_back(k0 + slot * rows + r);
      }
      slab.push_back(block);
    }
  }
  return order;
}

BlockOrder double_row_order(std::size_t k) {
  BlockOrder order;
  for (std::size_t k0 = 0; k0 < k; k0 += 2 * kRows) {
    const std::size_t rows = std::min(kRows, (k - k0) / 2);
    auto& slab = order.slabs.emplace_back();
    for (std::size_t r0 = 0; r0 < rows; r0 += 8) {
      BlockOrder::Block block;
      for (std::size_t plane = 0; plane < 2; ++plane) {
        for (std::size_t r = r0; r < r0 + 8; ++r) block.k.push_back(k0 + plane * rows + r);
      }
      slab.push_back(block);
    }
  }
  return order;
}

BlockOrder quad_order(std::size_t k, unsigned slot) {
  BlockOrder order;
  for (std::size_t k0 = 0; k0 < k; k0 += kRows) {
    auto& slab = order.slabs.emplace_back();
    for (std::size_t r0 = k0; r0 < std::min(k, k0 + kRows); r0 += 32) {
      BlockOrder::Block block;
      block.scale_row = r0 / 8 + slot;
      for (std::size_t r = r0; r < r0 + 32; ++r) block.k.push_back(r);
      slab.push_back(block);
    }
  }
  return order;
}

std::vector<float> matmul_blocks(const BlockOperand& a, const BlockOperand& b,
                                 const BlockOrder& order, Psum psum) {
  const std::size_t m = a.columns, n = b.columns;
  const Decoded weights = decode(a), moving = decode(b);
  std::vector<float> c(m * n), chain(n);
  BlockSum sum(weights, moving, m, n);
  for (std::size_t s = 0; s < order.slabs.size(); ++s) {
    for (const auto& block : order.slabs[s]) sum.prepare(block);
    for (std::size_t i = 0; i < m; ++i) {
      base::end_if_requested();
      std::fill(chain.begin(), chain.end(), 0.0f);
      for (std::size_t at = 0; at < order.slabs[s].size(); ++at) {
        const auto& block = order.slabs[s][at];
        const double* exact = sum.of(block, at, i);
        const std::uint8_t scale_a = scale_of(a, block.scale_row, i);
        for (std::size_t j = 0; j < n; ++j) {
          const std::uint8_t scale_b = scale_of(b, block.scale_row, j);
          const bool poisoned = scale_a == 0xFF || scale_b == 0xFF;
          // Exact in double; the conversion is the one rounding.
          const double scaled = std::ldexp(exact[j], scale_a + scale_b - 254);
          chain[j] += poisoned ? NAN : static_cast<float>(scaled);
        }
      }
      store_row(&c[i * n], chain, s == 0, psum);
    }
    sum.clear();
  }
  return c;
}

}  // namespace tern::reference
