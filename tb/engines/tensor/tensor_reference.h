// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "systemc/engines/tensor/tensor_datapath.h"

namespace tern::tb {

// An element of an 8- or 4-bit format: value * 2^unit, or NaN, or infinity with the sign of value.
struct SmallValue {
  enum Kind { kFinite, kInfinite, kNan } kind = kFinite;
  std::int64_t value = 0;
};

// sum * 2^exponent, rounded once to FP32.
std::uint32_t round_to_fp32(__int128 sum, int exponent);

// The tensor engine's results from the text of the contract (docs/numerics.md), one fmaf and one
// integer at a time. Shares no code with the model.
class TensorReference {
 public:
  TensorReference(const TensorShape& shape, SbufView sbuf);

  // Only commands that the engine accepts; false if a sparse position was outside its pattern.
  bool apply(const TensorCommand& command);

  std::uint32_t& psum(unsigned partition, unsigned word) {
    return psum_[std::size_t{partition} * words_ + word];
  }
  std::array<std::uint32_t, 6>& generator(unsigned partition) { return generators_[partition]; }

 private:
  struct Kept {  // a stationary element and the k that it meets
    unsigned k;
    float weight;
  };
  bool load(const TensorCommand& command);
  static std::int64_t stationary_address(const TensorCommand& command, unsigned m);
  void transpose(const TensorCommand& command);
  void multiply(const TensorCommand& command);
  float chain(const TensorCommand& move, const TensorCommand& load, unsigned m,
              std::int64_t offset) const;
  float blocks(const TensorCommand& move, const TensorCommand& load, unsigned m,
               std::int64_t offset, unsigned slot) const;
  float block_term(const TensorCommand& move, const TensorCommand& load, unsigned m,
                   std::int64_t offset, unsigned row, unsigned slot) const;
  void deliver(const TensorCommand& command, unsigned lane, unsigned element, float y);
  std::uint32_t draw(unsigned lane);
  std::uint32_t bytes(unsigned partition, std::int64_t address, unsigned count) const;
  float wide(const TensorCommand& command, unsigned partition, std::int64_t address) const;
  SmallValue small(const TensorCommand& command, unsigned partition, std::int64_t address,
                   unsigned slot) const;

  TensorShape shape_;
  SbufView sbuf_;
  unsigned words_;
  std::vector<std::uint32_t> psum_;
  std::vector<std::array<std::uint32_t, 6>> generators_;
  std::vector<TensorCommand> loads_;  // latest last: an operand is read again when it is used
};

}  // namespace tern::tb
