// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/mx_product.h"

#include <cmath>
#include <random>

#include "sw/numerics/float_bits.h"
#include "sw/numerics/fp8.h"
#include "tb/bench/tensor_stream.h"

namespace tern::bench {

namespace {

constexpr unsigned kPartitions = 128, kSlots = 4;
constexpr unsigned kMoving = 512;
constexpr unsigned kBlockRows = 8, kQuadrant = 32;

}  // namespace

MxProduct::MxProduct(unsigned size, std::size_t pitch)
    : size_(size),
      slabs_(size / (kPartitions * kSlots)),
      pitch_(pitch),
      sbuf_(pitch * kPartitions),
      result_(std::size_t{size} * size) {
  std::mt19937 random(0);
  std::normal_distribution<float> normal;
  for (unsigned p = 0; p < kPartitions; ++p) {
    std::uint8_t* bytes = sbuf_.data() + p * pitch_;
    for (unsigned i = 0; i < scale(0, 0, 0); ++i) {
      bytes[i] = numerics::e4m3fn_from_float(normal(random), numerics::Overflow::kSaturate);
    }
    for (unsigned i = scale(0, 0, 0); i < scale(2, 0, 0); ++i) {
      bytes[i] = static_cast<std::uint8_t>(120 + random() % 8);
    }
  }
}

unsigned MxProduct::element(unsigned operand, unsigned slab, unsigned i) const {
  return ((operand * slabs_ + slab) * size_ + i) * kSlots;
}

unsigned MxProduct::scale(unsigned operand, unsigned slab, unsigned i) const {
  return element(2, 0, 0) + (operand * slabs_ + slab) * size_ + i;
}

void MxProduct::run(TensorDatapath& engine) {
  for (unsigned m = 0; m < size_; m += kPartitions) {
    for (unsigned slab = 0; slab < slabs_; ++slab) {
      TensorCommand load;
      load.mode = TensorMode::kMx;
      load.type = TensorType::kE4m3fnX4;
      load.rows = load.cols = load.num0 = kPartitions;
      load.sbuf_address = element(0, slab, m);
      load.aux_address = scale(0, slab, m);
      issue(engine, load);
      for (unsigned n = 0; n < size_; n += kMoving) {
        TensorCommand multiply = load;
        multiply.op = TensorOp::kMultiplyMoving;
        multiply.sbuf_address = element(1, slab, n);
        multiply.aux_address = scale(1, slab, n);
        multiply.num0 = kMoving;
        multiply.psum_bank = n / kMoving;
        multiply.accumulate = slab != 0;
        issue(engine, multiply);
      }
    }
    drain(engine);
    PsumTransfer transfer;
    transfer.partitions = kPartitions;
    transfer.columns = size_;
    transfer.data = result_.data() + std::size_t{m} * size_;
    transfer.stride = size_;
    engine.psum_debug(transfer);
  }
}

float MxProduct::result(unsigned m, unsigned n) const {
  float psum = 0;
  for (unsigned slab = 0; slab < slabs_; ++slab) {
    float acc = 0;
    for (unsigned row = 0; row < kPartitions; row += kBlockRows) {
      double block = 0;  // exact
      for (unsigned p = row; p < row + kBlockRows; ++p) {
        const std::uint8_t* bytes = sbuf().partition(p);
        for (unsigned q = 0; q < kSlots; ++q) {
          block += static_cast<double>(numerics::e4m3fn_to_float(bytes[element(0, slab, m) + q])) *
                   static_cast<double>(numerics::e4m3fn_to_float(bytes[element(1, slab, n) + q]));
        }
      }
      const std::uint8_t* scales =
          sbuf().partition(row / kQuadrant * kQuadrant + row % kQuadrant / kBlockRows);
      const int exponent = scales[scale(0, slab, m)] + scales[scale(1, slab, n)] - 2 * 127;
      acc += static_cast<float>(std::ldexp(block, exponent));
    }
    psum = slab == 0 ? acc : psum + acc;
  }
  return psum;
}

std::size_t MxProduct::mismatches(std::size_t samples) const {
  std::mt19937 random(1);
  std::size_t wrong = 0;
  for (std::size_t s = 0; s < samples; ++s) {
    const auto m = static_cast<unsigned>(random() % size_);
    const auto n = static_cast<unsigned>(random() % size_);
    wrong +=
        numerics::bits_of(result(m, n)) != numerics::bits_of(result_[std::size_t{m} * size_ + n]);
  }
  return wrong;
}

}  // namespace tern::bench
