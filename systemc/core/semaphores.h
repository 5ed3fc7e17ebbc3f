// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <systemc>
#include <vector>

#include "sw/spec/generated/isa.h"
#include "sw/spec/generated/registers.h"

namespace tern {

bool condition_holds(unsigned wait_cond, std::uint32_t value, std::uint32_t operand);

// The 256 semaphores of a core.
class Semaphores {
 public:
  static constexpr unsigned kCount = TERN_REG_CORE_SEMAPHORE_READ_COUNT;

  // A queue waiting for a condition. The condition is examined at every change, so it is enough
  // that it held once.
  struct Waiter {
    unsigned semaphore = 0;
    unsigned condition = TERN_WAIT_COND_NONE;
    std::uint32_t operand = 0;
    bool satisfied = true;
    sc_core::sc_event event;
  };

  std::uint32_t value(unsigned index) const { return values_[index]; }
  void set(unsigned index, std::uint32_t value);
  // False, and no change, if the value would leave 0 .. 2^32-1.
  bool add(unsigned index, std::uint32_t amount);
  bool subtract(unsigned index, std::uint32_t amount);
  // The update of an instruction.
  bool update(const tern_header_t& header);

  // Blocks the calling SC_THREAD until the condition of an instruction holds or the waiter is
  // released.
  void wait_for(const tern_header_t& header, Waiter& waiter);
  // Ends a wait whose condition does not hold.
  static void release(Waiter& waiter);

 private:
  std::array<std::uint32_t, kCount> values_{};
  std::vector<Waiter*> waiters_;  // a handful: the queues of the core
};

}  // namespace tern
