// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "sw/kernels/builder/memory/views.h"
#include "sw/kernels/builder/program/operations.h"

namespace tern::kernels {

// A scalar of an instruction: an immediate, or a column [P, 1] of FP32 with a value per partition.
struct ScalarOperand {
  ScalarOperand(float immediate = 0.0f) : value(immediate) {}
  ScalarOperand(const TileView& values) : column(values) {}
  ScalarOperand(const Tile& values) : column(values.view()) {}
  // For bit operations.
  static ScalarOperand bits(std::uint32_t word);

  float value = 0;
  std::optional<TileView> column;
};

inline ScalarOperand ScalarOperand::bits(std::uint32_t word) {
  ScalarOperand scalar;
  std::memcpy(&scalar.value, &word, sizeof word);
  return scalar;
}

// The results of an instruction, before their conversion, reduced along the free axis into the
// engine's accumulators. Instructions of one queue can accumulate further: kResetReduce first, then
// kReduce.
struct Reduce {
  Alu op = Alu::kAdd;  // add, max, min, abs_max or abs_min
  std::optional<TileView> column =
      {};  // [P, 1] FP32: receives the accumulators, or gives their start
  ReduceCommand command = ReduceCommand::kResetReduce;
  bool store = true;  // into the column, if there is one: costs one more minimum interval
};

// Rows of a table by indices.
struct IndirectOptions {
  bool skip_out_of_bounds = false;  // otherwise such an index stops the program
  bool accumulate = false;          // the data is added to the destination
  unsigned priority = 3;            // class of service: 0 is the most urgent
  // Scatter: names no row that earlier gathers and scatters of the same table, still in flight,
  // name: it does not wait for them.
  bool distinct = false;
};

// What a computed address moves by: a register, or an int32 or uint32 [1, 1] in SBUF, times
// `bytes`. Without a count nothing checks it; otherwise the value must be one of `count` values
// from `lowest` on, or the program stops with an error that names `what`; `skip`: or the transfer
// is left out.
struct DynamicOffset {
  TileView word;
  std::int32_t bytes = 1;
  unsigned reg = 0;  // not 0: in place of the word
  std::int32_t lowest = 0;
  std::uint32_t count = 0;
  std::string what = {};
  bool skip = false;
};

struct ActivationOptions {
  ScalarOperand scale = 1.0f;
  ScalarOperand bias = 0.0f;
  std::optional<Reduce> reduce = {};
  float slope = 0.0f;  // prelu
};

// Of (src op0 scalar0) op1 scalar1.
struct ScalarOptions {
  Engine engine = Engine::kVector;
  bool reverse0 = false, reverse1 = false;  // scalar op element instead of element op scalar
  std::optional<Reduce> reduce = {};        // Vector; activate2
};

// value = base + (partition - first partition) * channel_multiplier + sum over dimensions of
// index * step; steps from the outermost dimension of the destination to the innermost, as many as
// it has dimensions.
struct IndexPattern {
  std::int32_t base = 0;
  std::int32_t channel_multiplier = 0;
  std::vector<std::int32_t> steps = {1};
};

}  // namespace tern::kernels
