// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/vector/mx_convert.h"

#include <cstring>
#include <vector>

#include "sw/numerics/bf16.h"
#include "sw/numerics/dtype.h"
#include "sw/numerics/fp16.h"
#include "sw/numerics/mx.h"
#include "sw/spec/access_pattern.h"
#include "sw/spec/generated/formats.h"

namespace tern {

namespace {

using numerics::kMxBlockElements;
using numerics::kMxBlockRows;
using numerics::kMxSlots;

constexpr unsigned kQuadrant = 32;
constexpr unsigned kBlocksInQuadrant = kQuadrant / kMxBlockRows;

// The elements of an operand, `size` bytes each in the lower bits of a word, partition by
// partition.
class Words {
 public:
  Words(const tern_ap_t& ap, unsigned dtype, unsigned partitions)
      : ap_(ap),
        size_(numerics::dtype_size(static_cast<numerics::DType>(dtype))),
        columns_(static_cast<std::size_t>(ap_.count())),
        words_(columns_ * partitions) {}

  std::size_t columns() const { return columns_; }
  std::uint32_t& at(unsigned partition, std::size_t column) {
    return words_[partition * columns_ + column];
  }

  void read(const SbufAccess& sbuf) {
    visit(sbuf, [this](std::uint8_t* byte, std::uint32_t& word) {
      word = 0;
      std::memcpy(&word, byte, size_);
    });
  }
  void write(const SbufAccess& sbuf) {
    visit(sbuf, [this](std::uint8_t* byte, const std::uint32_t& word) {
      std::memcpy(byte, &word, size_);
    });
  }

 private:
  template <typename Visit>
  void visit(const SbufAccess& sbuf, Visit visit_element) {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      std::uint8_t* first =
          sbuf.partition(ap_.partition + static_cast<unsigned>(i / columns_)) + ap_.byte;
      visit_element(first + ap_.offset(i % columns_) * static_cast<std::int64_t>(size_), words_[i]);
    }
  }

  AccessPattern ap_;
  std::size_t size_, columns_;
  std::vector<std::uint32_t> words_;
};

// Scales: block b of the operand (eight partitions) has its bytes in partition first + 32 * (b / 4)
// + b % 4.
class Scales {
 public:
  Scales(const SbufAccess& sbuf, const tern_ap_t& ap) : sbuf_(sbuf), ap_(ap) {}

  std::uint8_t& at(unsigned block, std::size_t column) const {
    const unsigned partition =
        ap_.partition + kQuadrant * (block / kBlocksInQuadrant) + block % kBlocksInQuadrant;
    return sbuf_.partition(partition)[ap_.byte + ap_.offset(column)];
  }

 private:
  SbufAccess sbuf_;
  AccessPattern ap_;
};

const numerics::SmallFormat& format_of(unsigned x4) {
  if (x4 == TERN_DTYPE_E5M2_X4) return numerics::kE5m2;
  return x4 == TERN_DTYPE_E2M1_X4 ? numerics::kE2m1 : numerics::kE4m3Fn;
}

// Slot `slot` of an x4 word, decoded.
float element_of(unsigned x4, std::uint32_t word, unsigned slot) {
  const bool fp4 = x4 == TERN_DTYPE_E2M1_X4;
  const unsigned code = fp4 ? word >> (4 * slot) & 0xF : word >> (8 * slot) & 0xFF;
  return numerics::float_of(numerics::decode_bits(format_of(x4), code));
}

void expand(const tern_instr_elementwise_t& in, const SbufAccess& sbuf) {
  Words source(in.src0, in.src0_dtype, in.partitions);
  source.read(sbuf);
  Words result(in.dst, in.dst_dtype, in.partitions);
  for (unsigned p = 0; p < in.partitions; ++p) {
    for (std::size_t j = 0; j < source.columns(); ++j) {
      result.at(p, j) = numerics::mx_expand(static_cast<std::uint16_t>(source.at(p, j)));
    }
  }
  result.write(sbuf);
}

}  // namespace

void quantize_mx(const tern_instr_elementwise_t& in, const SbufAccess& sbuf) {
  const bool fp16 = in.src0_dtype == TERN_DTYPE_FP16;
  const auto rule = static_cast<numerics::MxRule>(in.op0);
  Words source(in.src0, in.src0_dtype, in.partitions);
  source.read(sbuf);
  Words result(in.dst, in.dst_dtype, in.partitions);
  const unsigned blocks = in.partitions / kMxBlockRows;
  std::vector<std::uint8_t> scales(blocks * result.columns());
  for (unsigned block = 0; block < blocks; ++block) {
    for (std::size_t j = 0; j < result.columns(); ++j) {
      float values[kMxBlockElements];
      for (unsigned i = 0; i < kMxBlockElements; ++i) {
        const auto half = static_cast<std::uint16_t>(
            source.at(block * kMxBlockRows + i / kMxSlots, kMxSlots * j + i % kMxSlots));
        values[i] = fp16 ? numerics::fp16_to_float(half) : numerics::bf16_to_float(half);
      }
      std::uint8_t codes[kMxBlockElements];
      scales[block * result.columns() + j] =
          numerics::mx_quantize(format_of(in.dst_dtype), rule, values, kMxBlockElements, codes);
      for (unsigned row = 0; row < kMxBlockRows; ++row) {
        std::memcpy(&result.at(block * kMxBlockRows + row, j), codes + kMxSlots * row, kMxSlots);
      }
    }
  }
  result.write(sbuf);
  const Scales places(sbuf, in.src1);
  for (std::size_t i = 0; i < scales.size(); ++i) {
    places.at(static_cast<unsigned>(i / result.columns()), i % result.columns()) = scales[i];
  }
}

void dequantize_mx(const tern_instr_elementwise_t& in, const SbufAccess& sbuf) {
  if (in.src1_dtype == TERN_DTYPE_NONE) return expand(in, sbuf);
  const Scales scales(sbuf, in.src1);
  Words source(in.src0, in.src0_dtype, in.partitions);
  source.read(sbuf);
  Words result(in.dst, in.dst_dtype, in.partitions);
  for (unsigned p = 0; p < in.partitions; ++p) {
    for (std::size_t j = 0; j < source.columns(); ++j) {
      const std::uint8_t scale = scales.at(p / kMxBlockRows, j);
      for (unsigned slot = 0; slot < kMxSlots; ++slot) {
        const float element = element_of(in.src0_dtype, source.at(p, j), slot);
        result.at(p, kMxSlots * j + slot) =
            in.dst_dtype == TERN_DTYPE_BF16
                ? numerics::mx_dequantize_bf16(element, scale)
                : numerics::bits_of(numerics::mx_dequantize(element, scale));
      }
    }
  }
  result.write(sbuf);
}

}  // namespace tern
