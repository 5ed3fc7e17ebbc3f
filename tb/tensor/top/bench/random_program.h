// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tb/tensor/top/bench/operands.h"
#include "tb/tensor/top/bench/tensor_bench.h"

namespace tern::tb {

// Random operands of all formats, scales and tags in the part of SBUF that random commands use.
void fill_operands(TestSbuf& sbuf, unsigned partitions, Random& random);

// Random commands of every operation, mode, tile, format and destination, mostly legal. A multiply
// mostly fits one of the last loads.
class RandomCommands {
 public:
  RandomCommands(const TensorShape& shape, Random& random) : shape_(shape), random_(random) {}

  std::vector<TensorCommand> program(unsigned length);

 private:
  TensorCommand load();
  TensorCommand multiply();
  TensorCommand transpose();
  bool row_tile(TensorCommand* c, unsigned grain);
  void tile(TensorCommand* c);
  void stationary(TensorCommand* c);
  void pattern(unsigned most, TensorCommand* c);
  void destination(TensorCommand* c);
  void spoil(TensorCommand* c);
  bool one_in(unsigned n) { return below(random_, n) == 0; }

  TensorShape shape_;
  Random& random_;
  std::vector<TensorCommand> loads_;
};

// `length` random commands with random gaps, sometimes with a PSUM transfer in parallel; the bench
// compares everything.
void run_random_program(TensorBench& bench, Random& random, unsigned length);

}  // namespace tern::tb
