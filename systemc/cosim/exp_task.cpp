// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/exp_task.h"

#include <stdexcept>
#include <utility>

namespace tern {

ExpTask::ExpTask(std::shared_ptr<base::ThreadTeam> threads, std::unique_ptr<ExpUnit> unit)
    : threads_(std::move(threads)), unit_(std::move(unit)) {}

ExpTask::~ExpTask() {
  try {
    if (task_) threads_->finish(*task_);
  } catch (...) {  // of an instruction that nobody waits for any more
  }
}

void ExpTask::begin(const ExpRequest& request) {
  if (task_) throw std::logic_error("exponential unit: an instruction has begun already");
  request_ = request;
  task_ = threads_->start([this] { cycles_ = unit_->run(request_); });
}

std::uint64_t ExpTask::finish() {
  if (!task_) throw std::logic_error("exponential unit: no instruction has begun");
  const auto task = std::exchange(task_, nullptr);
  threads_->finish(*task);
  return cycles_;
}

}  // namespace tern
