// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sw/base/thread_team.h"
#include "systemc/cosim/tensor_rtl.h"

namespace tern {

// The Verilated tensor engines of a chip, as their users see them: evaluated not cycle by cycle but
// in one go up to the next cycle in which the contract has something happen (TensorSchedule), each
// on a thread of the team. An engine that is earlier than the contract ends the run with a
// RunError, one that is later is polled. Results do not depend on the number of threads.
//
// Why engines may be moved together: all count the cycles of one clock, and their users move them
// before they push. When one of them is moved to cycle c, nobody pushes before cycle c any more.
class TensorTeam : public std::enable_shared_from_this<TensorTeam> {
 public:
  explicit TensorTeam(std::shared_ptr<base::ThreadTeam> threads) : threads_(std::move(threads)) {}

  // Takes an engine in; what it returns keeps the team alive and leaves it when destroyed.
  std::unique_ptr<TensorDatapath> add(std::unique_ptr<TensorRtl> rtl);

 private:
  class Member;
  // Moves one engine to `cycle`, and takes those along that lag behind.
  void advance(Member* one, std::uint64_t cycle);

  std::shared_ptr<base::ThreadTeam> threads_;
  std::vector<Member*> members_;
  std::vector<Member*> moving_;  // of the running advance()
};

}  // namespace tern
