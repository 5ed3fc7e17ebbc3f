// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "sw/base/thread_team.h"
#include "systemc/engines/exp/exp_unit.h"

namespace tern {

// A unit whose instructions are tasks of a team of threads: the units of a chip's cores work at the
// same time. SystemC goes on until the instruction's results are due, and then waits for them, so
// that bits and times are the same on any number of threads.
class ExpTask : public ExpUnit {
 public:
  ExpTask(std::shared_ptr<base::ThreadTeam> threads, std::unique_ptr<ExpUnit> unit);
  // Waits for an instruction that has begun.
  ~ExpTask() override;

  std::uint64_t run(const ExpRequest& request) override { return unit_->run(request); }
  void begin(const ExpRequest& request) override;
  std::uint64_t finish() override;

 private:
  std::shared_ptr<base::ThreadTeam> threads_;
  std::unique_ptr<ExpUnit> unit_;
  ExpRequest request_;
  std::uint64_t cycles_ = 0;
  std::shared_ptr<base::ThreadTeam::Task> task_;  // that has begun
};

}  // namespace tern
