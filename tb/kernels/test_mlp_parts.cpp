// SPDX-License-Identifier: Apache-2.0
// The parts of a multi-layer perceptron: reports divide its time among them.
#include <catch2/catch.hpp>
#include <string>

#include "sw/kernels/mlp.h"
#include "tb/kernels/test_chip.h"

namespace tern::tb {

TEST_CASE("mlp: every product belongs to the part of its layer") {
  constexpr unsigned kClasses = 10;
  kernels::MlpSpec spec;
  spec.batch = 4000;  // several blocks: one is classified inside the first layer of the next
  spec.sizes = {784, 256, kClasses};
  const Executable program = kernels::build_mlp(spec, test_chip());
  const auto& queue = program.queues[TERN_QUEUE_TENSOR];
  unsigned products[2] = {};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    if (queue[i].header.opcode != TERN_OPCODE_MULTIPLY_MOVING) continue;
    // Only the last layer has its classes as columns.
    const auto& moving = queue[i].multiply_moving.src;
    const bool last = moving.num0 * moving.num1 == kClasses;
    const std::string& origin = program.origins[TERN_QUEUE_TENSOR][i];
    const std::string part = last ? ", layer 2, softmax" : ", layer 1";
    INFO(i << ": " << origin);
    CHECK(origin.substr(origin.size() - std::min(origin.size(), part.size())) == part);
    ++products[last];
  }
  CHECK(products[0] > 100);
  CHECK(products[1] >= 2 * 4000 / 128);
}

}  // namespace tern::tb
