// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "systemc/engines/tensor_datapath.h"

namespace tern::tb {

// The tensor engine's results from the text of the contract, one fmaf at a time. Shares no code
// with the model.
class TensorReference {
 public:
  TensorReference(const TensorShape& shape, SbufView sbuf)
      : shape_(shape),
        sbuf_(sbuf),
        columns_(shape.psum_banks * shape.bank_columns),
        psum_(std::size_t{shape.cols} * columns_, 0) {}

  // Only commands that the engine accepts.
  void apply(const TensorCommand& command) {
    if (command.op == TensorOp::kLoadStationary) {
      weights_.assign(std::size_t{command.rows} * command.cols, 0.0f);
      for (unsigned r = 0; r < command.rows; ++r) {
        for (unsigned m = 0; m < command.cols; ++m) {
          weights_[r * command.cols + m] =
              element(command, command.row_start + r, command.sbuf_address + 2 * m);
        }
      }
      return;
    }
    for (unsigned i1 = 0; i1 < command.num1; ++i1) {
      for (unsigned i0 = 0; i0 < command.num0; ++i0) {
        const unsigned n = i1 * command.num0 + i0;
        const std::int64_t address =
            std::int64_t{command.sbuf_address} +
            2 * (std::int64_t{i0} * command.step0 + std::int64_t{i1} * command.step1);
        for (unsigned m = 0; m < command.cols; ++m) {
          float y = 0.0f;
          for (unsigned r = 0; r < command.rows; ++r) {
            y = std::fmaf(element(command, command.row_start + r, address),
                          weights_[r * command.cols + m], y);
          }
          std::uint32_t& target =
              psum(m, command.psum_bank * shape_.bank_columns + command.psum_column + n);
          if (command.accumulate) {
            float old;
            std::memcpy(&old, &target, sizeof old);
            y = old + y;
          }
          std::memcpy(&target, &y, sizeof y);
          if (std::isnan(y)) target = 0x7FC00000;
        }
      }
    }
  }

  std::uint32_t& psum(unsigned partition, unsigned column) {
    return psum_[std::size_t{partition} * columns_ + column];
  }

 private:
  float element(const TensorCommand& command, unsigned partition, std::int64_t address) const {
    std::uint16_t bits;
    std::memcpy(&bits, sbuf_.partition(partition) + address, sizeof bits);
    const bool fp16 = command.type == TensorType::kFp16;
    const int mantissa_bits = fp16 ? 10 : 7;
    const int bias = fp16 ? 15 : 127;
    const int exponent = (bits & 0x7FFF) >> mantissa_bits;
    const int mantissa = bits & ((1 << mantissa_bits) - 1);
    const float sign = (bits & 0x8000) != 0 ? -1.0f : 1.0f;
    if (exponent == 2 * bias + 1) return mantissa != 0 ? NAN : sign * INFINITY;
    if (exponent == 0)
      return sign * std::ldexp(static_cast<float>(mantissa), 1 - bias - mantissa_bits);
    return sign * std::ldexp(static_cast<float>((1 << mantissa_bits) + mantissa),
                             exponent - bias - mantissa_bits);
  }

  TensorShape shape_;
  SbufView sbuf_;
  unsigned columns_;
  std::vector<std::uint32_t> psum_;
  std::vector<float> weights_;
};

}  // namespace tern::tb
