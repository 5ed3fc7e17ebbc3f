// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sw/base/state_archive.h"
#include "sw/numerics/xorwow.h"
#include "sw/spec/generated/address_map.h"

namespace tern {

// The random generators of one engine: a number of them per partition. Element i of an instruction
// draws from generator i mod per_partition() of its partition, in element order.
class RandomStates {
 public:
  static constexpr unsigned kPartitions = TERN_CORE_SBUF_COUNT;

  // The words of all generators of a core are numbered from 1: PSUM's (6 per partition), Vector's
  // (24), Scalar's (6), GpSimd's (6). `first_word` is the number of this engine's first one.
  RandomStates(unsigned per_partition, std::uint32_t first_word)
      : per_partition_(per_partition),
        first_word_(first_word),
        generators_(std::size_t{kPartitions} * per_partition) {
    seed(0);
  }

  static RandomStates vector() { return {4, 769}; }
  static RandomStates scalar() { return {1, 3841}; }
  static RandomStates gpsimd() { return {1, 4609}; }
  static RandomStates of_queue(unsigned queue);

  unsigned per_partition() const { return per_partition_; }
  unsigned words() const { return per_partition_ * numerics::Xorwow::kWords; }  // of a partition
  numerics::Xorwow* partition(unsigned p) {
    return generators_.data() + std::size_t{p} * per_partition_;
  }

  // All states from one word; 0 gives those after reset.
  void seed(std::uint32_t seed);

  // The states of a partition as words(): the six of generator 0 (x, y, z, w, v, d), then those of
  // generator 1, ...
  void set(unsigned partition, const std::uint32_t* words);
  void get(unsigned partition, std::uint32_t* words);

  // `count` draws of a partition, for the elements 0 .. count-1 of an instruction.
  void draw(unsigned partition, std::uint32_t* draws, std::size_t count);

  // For a snapshot.
  void archive_state(base::StateArchive& archive) {
    for (numerics::Xorwow& generator : generators_) archive.each(generator.words);
  }

 private:
  unsigned per_partition_;
  std::uint32_t first_word_;
  std::vector<numerics::Xorwow> generators_;
};

// dropout: +0 where a uniform number is below `probability` (never if that is NaN), else the value.
inline float drop(float value, float probability, std::uint32_t draw) {
  return numerics::uniform_from_bits(draw) < probability ? 0.0f : value;
}

// rand2: low + u * (high - low), each step rounded, and below `high`; needs low < high, both
// finite.
float uniform_between(float low, float high, std::uint32_t draw);

}  // namespace tern
