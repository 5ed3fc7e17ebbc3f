// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "sw/app/host/program_watch.h"
#include "sw/app/kinds/train/training_core.h"
#include "sw/app/report/program_record.h"
#include "sw/kernels/matmul.h"
#include "sw/platform/chip_snapshot.h"
#include "sw/platform/chips/chip_system.h"
#include "sw/platform/hosted_chip.h"
#include "sw/runtime/runtime.h"
#include "sw/train/batches.h"
#include "sw/train/initial_state.h"
#include "sw/train/model.h"
#include "systemc/chip/chip_counters.h"
#include "systemc/trace/trace.h"
#include "systemc/wave/chip_wave.h"

namespace tern::app {

// A chip whose core 0 trains, or as many cores as there are models, each with its share of the
// batch (train::mlp_model); or several chips of a system, with equally many of the models each.
// Several may stand in one Simulation. All but the constructor belongs into a host thread.
class TrainingChip {
 public:
  TrainingChip(const std::string& name, const ChipConfig& config, const train::Model& model)
      : TrainingChip(name, config, std::vector<train::Model>{model}) {}
  // rtl_threads, wave: rtl_chip_options().
  TrainingChip(const std::string& name, const ChipConfig& config, std::vector<train::Model> models,
               unsigned rtl_threads = 0, wave::ChipWave* wave = nullptr);
  // chips: of that system, which must outlive this.
  TrainingChip(const system::Fabric& fabric, const std::vector<std::uint32_t>& chips,
               const std::string& level, const ChipConfig& config,
               std::vector<train::Model> models);
  ~TrainingChip();

  unsigned chips() const { return system_ ? system_->chips() : 1; }
  HostedChip& hosted(unsigned chip = 0) { return system_ ? system_->chip(chip) : *alone_; }
  struct StepResult {
    float loss = 0;
    std::uint32_t correct = 0;
    double simulated_us = 0;
    std::uint64_t tensor_cycles = 0, tensor_columns = 0;  // of core 0
    std::uint64_t macs = 0;                               // of all
  };
  StepResult step(const train::Batch& batch, const std::vector<float>& hyper);
  // The next step leaves a record of what core 0 did; only that one, since listening takes time.
  void watch_step();
  const std::shared_ptr<const ProgramRecord>& watched_step() const { return watched_; }
  // What the evaluation says of each label.
  std::vector<float> evaluate(const train::Batch& batch);

  // The model's prediction: logits [window, choices].
  std::vector<float> predict(const std::vector<std::int32_t>& window);

  // The whole one. What several ranks have must be the same, or it is a RunError.
  train::State state();
  void set_state(const train::State& state);

  // A copy of the whole state in the chips' memories, in shares; its simulated time in us. Then
  // what a chip's ranks have of it, to its host: in a host thread of the chip's own, while steps go
  // on.
  double keep_state();
  void read_kept(unsigned chip, std::vector<std::vector<std::uint8_t>>* of_ranks);
  const train::StateShares& shares();
  train::State state_of(const std::vector<std::vector<std::uint8_t>>& of_ranks);

  // A snapshot between two steps, and the same chip again in another process. Of one chip.
  void save(const SnapshotOwner& owner, base::AtomicFile& file);
  void restore(const ChipSnapshot& snapshot);
  const ChipConfig& config() const { return config_; }

  // C = a^T b by the matmul kernel in one of its formats, its operands in SBUF.
  struct Product {
    std::vector<float> c;
    std::uint64_t tensor_cycles = 0;
  };
  Product product(const kernels::MatmulSpec& spec, const std::vector<float>& a,
                  const std::vector<float>& b);

  // The step as a debugging build: where the first number that is not finite appears, and which
  // instruction wrote it. The state moves on by the step.
  std::optional<std::string> first_not_finite(const train::Batch& batch,
                                              const std::vector<float>& hyper);

 private:
  void load();
  void copy_in(const train::Batch& batch, const std::vector<float>* hyper);
  // The first ranks, together.
  template <typename ProgramOf>
  runtime::RunResult run(std::size_t ranks, ProgramOf program_of);

  unsigned group() const { return models_.front().group; }
  unsigned cores() const { return static_cast<unsigned>(models_.size()) / chips(); }  // of a chip
  std::string rank_name(unsigned rank);
  HostedChip& chip_of(std::size_t rank) { return hosted(static_cast<unsigned>(rank) / cores()); }
  NeuronCore& core_of(std::size_t rank) {
    return chip_of(rank).chip().core(static_cast<unsigned>(rank) % cores());
  }

  const ChipConfig config_;
  std::unique_ptr<HostedChip> alone_;  // one of these two
  std::unique_ptr<ChipSystem> system_;
  const std::vector<train::Model> models_;
  std::optional<ProgramWatch> watch_;
  std::shared_ptr<const ProgramRecord> watched_;
  // Made in the host thread.
  std::vector<std::unique_ptr<runtime::Runtime>> runtimes_;  // of chips
  std::vector<std::unique_ptr<TrainingCore>> ranks_;
  std::optional<train::StateShares> shares_;
};

}  // namespace tern::app
