// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sw/base/state_archive.h"
#include "sw/base/zeroed_array.h"
#include "sw/numerics/xorwow.h"
#include "systemc/engines/tensor/tensor_datapath.h"

namespace tern {

// How results are stored in PSUM.
struct PsumRule {
  bool half = false;  // BF16 elements
  bool accumulate = false;
  bool stochastic = false;  // half only
};

// The contents of PSUM: per partition a row of 32-bit words through all banks, and the state of its
// random generator. A 16-bit element e is half e % 2 of word e / 2, the low half first.
class PsumMemory {
 public:
  explicit PsumMemory(const TensorShape& shape);

  // Words as updated in place by the kernels of the dense case.
  float* words(std::size_t partition, std::size_t word) {
    return words_.data() + partition * pitch_ + word;
  }
  std::size_t pitch() const { return pitch_; }

  // Results y of consecutive elements of one partition: rounded, added, written.
  void store(std::size_t partition, std::size_t element, const float* y, std::size_t count,
             const PsumRule& rule);
  // The bits of an element, unconverted.
  std::uint32_t bits(std::size_t partition, std::size_t element, bool half) const;
  void set_bits(std::size_t partition, std::size_t element, bool half, std::uint32_t bits);

  // Moves a rectangle of words or of generator state; throws std::logic_error outside of both.
  void transfer(const PsumTransfer& transfer);
  // For a snapshot.
  void archive_state(base::StateArchive& archive);

 private:
  std::size_t width_, pitch_;
  ZeroedArray<float> words_;
  std::vector<numerics::Xorwow> generators_;
};

}  // namespace tern
