// SPDX-License-Identifier: Apache-2.0
// Random numbers and the state of the generators. The generators of a partition are those of the
// destination's (of the source's, where there is no destination).
#include <cstring>
#include <vector>

#include "systemc/engines/vector/special_instructions.h"

namespace tern {

namespace {

// One draw per element of the destination, partition by partition.
class Draws {
 public:
  explicit Draws(EngineUnit& unit) : unit_(unit) {}
  const std::uint32_t* row(unsigned lane) {
    draws_.resize(unit_.result.count());
    unit_.random.draw(unit_.result.pattern().partition + lane, draws_.data(), draws_.size());
    return draws_.data();
  }

 private:
  EngineUnit& unit_;
  std::vector<std::uint32_t> draws_;
};

}  // namespace

void run_dropout(EngineUnit& unit, const Operation& operation) {
  unit.open_source0(operation);
  unit.open_scalars(operation);
  Draws draws(unit);
  for_rows(unit, operation, [&](unsigned lane, float* out) {
    const std::uint32_t* bits = draws.row(lane);
    const float* values = unit.source0.row(lane);
    for (std::size_t i = 0; i < unit.result.count(); ++i) {
      out[i] = drop(values[i], unit.scalar0.at(lane), bits[i]);
    }
  });
}

void run_rng(EngineUnit& unit, const Operation& operation) {
  Draws draws(unit);
  for_raw_rows(unit, operation, [&](unsigned lane, std::uint8_t* out) {
    const std::size_t size = numerics::dtype_size(unit.result.type());
    const std::uint32_t* bits = draws.row(lane);
    for (std::size_t i = 0; i < unit.result.count(); ++i) {
      std::memcpy(out + i * size, &bits[i], size);  // the lower bytes
    }
  });
}

void run_rand2(EngineUnit& unit, const Operation& operation) {
  unit.open_scalars(operation);
  Draws draws(unit);
  for_rows(unit, operation, [&](unsigned lane, float* out) {
    const std::uint32_t* bits = draws.row(lane);
    const float low = unit.scalar0.at(lane), high = unit.scalar1.at(lane);
    for (std::size_t i = 0; i < unit.result.count(); ++i) {
      out[i] = uniform_between(low, high, bits[i]);
    }
  });
}

void run_set_rng_seed(EngineUnit& unit, const Operation& operation) {
  unit.open_source0(operation);
  std::uint32_t seed;
  std::memcpy(&seed, unit.source0.raw(0), sizeof seed);
  unit.random.seed(seed);
}

void run_rand_set_state(EngineUnit& unit, const Operation& operation) {
  unit.open_source0(operation);
  std::vector<std::uint32_t> words(unit.random.words());
  for (unsigned lane = 0; lane < operation.instruction.elementwise.partitions; ++lane) {
    std::memcpy(words.data(), unit.source0.raw(lane), words.size() * sizeof words[0]);
    unit.random.set(unit.source0.pattern().partition + lane, words.data());
  }
}

void run_rand_get_state(EngineUnit& unit, const Operation& operation) {
  std::vector<std::uint32_t> words(unit.random.words());
  for_raw_rows(unit, operation, [&](unsigned lane, std::uint8_t* out) {
    unit.random.get(unit.result.pattern().partition + lane, words.data());
    std::memcpy(out, words.data(), words.size() * sizeof words[0]);
  });
}

}  // namespace tern
