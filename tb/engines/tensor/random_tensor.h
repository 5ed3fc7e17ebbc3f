// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <random>
#include <vector>

#include "tb/engines/tensor/tensor_bench.h"

namespace tern::tb {

// Commands of all modes that an engine accepts. Operands are in the lower three quarters of a
// partition; above them scales, then sparse tags, a set for each pattern.
class RandomTensor {
 public:
  RandomTensor(const TensorShape& shape, std::uint64_t seed) : shape_(shape), random_(seed) {}

  // Operands with `wild` of 1000 bytes anything, scales around 1, tags in order of which
  // `bad` of 1000 are outside their pattern.
  void fill(FakeSbuf* sbuf, unsigned wild, unsigned bad);

  // A load, a multiply for one of the tiles loaded, or a transpose. `refused` of 100 are commands
  // that no engine takes.
  TensorCommand next(unsigned refused = 0);

  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
  std::mt19937_64& engine() { return random_; }

 private:
  TensorCommand load();
  TensorCommand multiply(const TensorCommand& load);
  TensorCommand transpose();
  void choose_tile(TensorCommand* command);
  void choose_pattern(TensorCommand* command);
  void choose_destination(TensorCommand* command, unsigned columns, bool half, bool quad);
  unsigned scales() const { return shape_.sbuf_bytes / 4 * 3; }
  unsigned tags(TensorSparsity sparsity) const {
    return shape_.sbuf_bytes / 8 * 7 + (shape_.cols + 3) / 4 * 2 * static_cast<unsigned>(sparsity);
  }
  void forget(const TensorCommand& command);

  TensorShape shape_;
  std::mt19937_64 random_;
  std::vector<TensorCommand> loaded_;
  unsigned tag_ = 0;
};

}  // namespace tern::tb
