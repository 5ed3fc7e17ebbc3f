// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/vector/special/random_states.h"

#include <cmath>
#include <limits>

#include "sw/numerics/alu.h"
#include "sw/spec/generated/isa.h"

namespace tern {

using numerics::Xorwow;

RandomStates RandomStates::of_queue(unsigned queue) {
  if (queue == TERN_QUEUE_VECTOR) return vector();
  return queue == TERN_QUEUE_SCALAR ? scalar() : gpsimd();
}

void RandomStates::seed(std::uint32_t seed) {
  std::uint32_t number = first_word_;
  for (Xorwow& generator : generators_) {
    for (std::uint32_t& word : generator.words) word = numerics::random_state_word(seed, number++);
  }
}

void RandomStates::set(unsigned partition, const std::uint32_t* words) {
  for (unsigned g = 0; g < per_partition_; ++g) {
    for (std::uint32_t& word : this->partition(partition)[g].words) word = *words++;
  }
}

void RandomStates::get(unsigned partition, std::uint32_t* words) {
  for (unsigned g = 0; g < per_partition_; ++g) {
    for (std::uint32_t word : this->partition(partition)[g].words) *words++ = word;
  }
}

void RandomStates::draw(unsigned partition, std::uint32_t* draws, std::size_t count) {
  Xorwow* generators = this->partition(partition);
  for (std::size_t i = 0; i < count; ++i) draws[i] = generators[i % per_partition_].draw();
}

float uniform_between(float low, float high, std::uint32_t draw) {
  const float span = numerics::subtract(high, low);
  const float value =
      numerics::add(low, numerics::multiply(numerics::uniform_from_bits(draw), span));
  return value < high ? value : std::nextafter(high, -std::numeric_limits<float>::infinity());
}

}  // namespace tern
