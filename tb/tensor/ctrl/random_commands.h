// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>
#include <vector>

#include "systemc/engines/tensor/tensor_datapath.h"

namespace tern::tb {

using Random = std::mt19937_64;
inline unsigned below(Random& random, unsigned n) {
  return static_cast<unsigned>(random() % n);
}
inline unsigned between(Random& random, unsigned low, unsigned high) {
  return low + below(random, high - low + 1);
}

// Parameters of a stream of random commands.
struct Flavour {
  bool arrays = true;     // array X as well as array A
  bool tiles = true;      // parts of the array
  unsigned longest = 40;  // columns of most multiplies at most
  unsigned spoiled = 10;  // one command in this many gets a random fault; 0: none
};

// Mostly legal commands: loads, multiplies of what was loaded lately, transposes.
class RandomCommands {
 public:
  RandomCommands(const TensorShape& shape, const Flavour& flavour, Random* random);
  TensorCommand next();

 private:
  TensorCommand load();
  TensorCommand move(const TensorCommand& load);
  TensorCommand transpose();
  void place_tile(TensorCommand* c);
  void place_stationary(TensorCommand* c);
  void place_pattern(TensorCommand* c);
  void place_address(TensorCommand* c, int planes_room);
  void place_result(TensorCommand* c, unsigned columns);
  void spoil(TensorCommand* c);
  TensorType type_of(TensorMode mode, bool wide);
  unsigned below(unsigned n) { return tb::below(*random_, n); }
  unsigned between(unsigned low, unsigned high) { return tb::between(*random_, low, high); }

  TensorShape shape_;
  Flavour flavour_;
  Random* random_;
  std::vector<TensorCommand> loads_;  // the last few
  std::uint32_t tag_ = 0;
};

}  // namespace tern::tb
