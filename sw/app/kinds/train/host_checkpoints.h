// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sw/app/kinds/train/train_record.h"
#include "sw/app/kinds/train/training_chip.h"
#include "sw/app/plan/plan.h"
#include "sw/base/atomic_file.h"
#include "sw/platform/chips/host_threads.h"
#include "sw/system/fabric.h"
#include "sw/train/checkpoint.h"

namespace tern::app {

// Checkpoints of a plan that go to the hosts of its chips while the training goes on, each host's
// part also to another host (docs/workloads.md). A folder for each host, which would be lost with
// it: FOLDER/host3/step-40.part3, FOLDER/host3/step-40.part2. In host threads.
class HostCheckpoints {
 public:
  // UserError with the plan's place: there is no other host, or nothing is known of the network
  // between them.
  HostCheckpoints(TrainingChip& chip, const Plan& plan, const system::Fabric& fabric,
                  std::filesystem::path folder);
  ~HostCheckpoints();

  // Of the training as it is now; its state is taken from the chips. None may be on its way.
  void begin(const train::Checkpoint& now);
  bool busy() const;
  // A step of the training has taken that long; beside: it began while one was on its way.
  void stepped(double us, bool beside);
  // Writes what has arrived. Returns the newest that is complete, its state included, once.
  std::optional<train::Checkpoint> take_complete();
  // Waits for what is on its way.
  void finish();

  const HostCheckpointsRecord& record() const { return record_; }

 private:
  struct Job;
  void find_network(const std::string& place, const system::Fabric& fabric);
  void transport(Job* job, unsigned host);
  void write(const Job& job) const;

  TrainingChip& chip_;
  const std::filesystem::path folder_;
  const bool replicates_;
  std::vector<std::vector<unsigned>> chips_of_host_;  // by their numbers in the plan
  std::vector<double> network_gb_per_s_;              // of each host
  double network_latency_us_ = 0;
  std::unique_ptr<Job> job_;
  double waited_us_ = 0;
  HostCheckpointsRecord record_;
};

}  // namespace tern::app
