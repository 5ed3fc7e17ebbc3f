// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/nki/passes/cost.h"
#include "sw/nki/passes/dependences.h"
#include "sw/nki/trace/kernel.h"

namespace tern::nki {

// An order of a kernel's instructions, by number, and when the last would be complete.
struct Order {
  std::vector<std::uint32_t> instructions;
  std::vector<Trigger> triggers;  // of each
  double end_ns = 0;
};

struct OrderLimits {
  std::size_t window = 1;  // how far an instruction comes before the oldest that is left
  double memory = 1;       // part of SBUF and PSUM that tensors may hold
};

// What the orders of a kernel are made of.
struct OrderInput {
  const Kernel& kernel;
  std::vector<Cost> costs;
  Dependences dependences;  // as far as the widest window

  OrderInput(const Kernel& of, std::size_t widest);
};

Order program_order(const OrderInput& input);
// Of the instructions whose dependences are met, each queue takes the one that it can issue first,
// the oldest if there are several; the queue that can issue first goes on. So an instruction that
// waits lets later ones pass.
Order list_order(const OrderInput& input, const OrderLimits& limits);

}  // namespace tern::nki
