// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>

#include "tb/tensor/psum/psum_bench.h"

namespace tern::tb {

// Random streams and accesses. Destinations are chosen near the one before, so that words are met
// again soon.
class RandomStreams {
 public:
  explicit RandomStreams(std::uint64_t seed) : random_(seed) {}

  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }

  Stream any();
  Stream stream(unsigned port, unsigned groups);
  Stream quad();
  Access access();

  // Gives a stream `count` columns of random values.
  void fill(Stream& stream, unsigned count);
  std::uint32_t value();

 private:
  void place(Stream& stream, unsigned banks);

  std::mt19937_64 random_;
  unsigned near_ = 0;  // word column of PSUM
};

}  // namespace tern::tb
