// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/train/training_chip.h"

#include <fmt/format.h>

#include <tuple>
#include <utility>

#include "sw/app/host/run_wave.h"
#include "sw/base/user_error.h"
#include "sw/kernels/matmul_data.h"
#include "sw/train/tensor_part.h"
#include "systemc/cosim/rtl_statistics.h"
#include "systemc/fabric/levels/levels.h"

namespace tern::app {

TrainingChip::TrainingChip(const std::string& name, const ChipConfig& config,
                           std::vector<train::Model> models, unsigned rtl_threads,
                           wave::ChipWave* wave)
    : config_(config),
      alone_(std::make_unique<HostedChip>(name, config, rtl_chip_options(rtl_threads, {}, wave))),
      models_(std::move(models)) {
  listen(wave, alone_->trace());
}

TrainingChip::TrainingChip(const system::Fabric& fabric, const std::vector<std::uint32_t>& chips,
                           const std::string& level, const ChipConfig& config,
                           std::vector<train::Model> models)
    : config_(config),
      system_(std::make_unique<ChipSystem>(fabric, chips, config,
                                           fabric::make_transport(level, fabric))),
      models_(std::move(models)) {}

TrainingChip::~TrainingChip() = default;

void TrainingChip::load() {
  if (!runtimes_.empty()) return;
  for (unsigned n = 0; n < chips(); ++n)
    runtimes_.push_back(std::make_unique<runtime::Runtime>(hosted(n).host()));
  std::vector<std::uint64_t> windows;
  for (unsigned rank = 0; rank < models_.size(); ++rank) {
    const unsigned core = rank % cores();
    ranks_.push_back(std::make_unique<TrainingCore>(*runtimes_[rank / cores()], config_,
                                                    models_[rank], core, rank));
    if (system_) windows.push_back(system_->window(rank / cores(), core));
  }
  const auto tensor_of = [this](unsigned rank, const std::string& tensor) {
    const std::uint64_t address = ranks_.at(rank)->address(tensor);
    return system_ ? system_->address(rank / cores(), address) : address;
  };
  for (auto& rank : ranks_) rank->load_programs(windows, tensor_of);
}

void TrainingChip::copy_in(const train::Batch& batch, const std::vector<float>* hyper) {
  load();
  for (auto& rank : ranks_) {
    rank->copy_in(batch);
    if (hyper != nullptr) rank->copy_in(*hyper);
  }
}

template <typename ProgramOf>
runtime::RunResult TrainingChip::run(std::size_t ranks, ProgramOf program_of) {
  std::vector<runtime::RunningProgram> programs;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    programs.push_back(
        {&chip_of(rank).host(), runtimes_[rank / cores()].get(), &program_of(*ranks_[rank])});
  for (unsigned n = 0; n * cores() < ranks; ++n) {
    // The other cores have its like.
    hosted(n).set_running(programs[std::size_t{n} * cores()].program->executable());
    hosted(n).settle();
  }
  if (watch_) watch_->begin();  // without the copies of the batch
  return runtime::run_together(programs);
}

void TrainingChip::watch_step() {
  watch_.emplace(hosted());
}

TrainingChip::StepResult TrainingChip::step(const train::Batch& batch,
                                            const std::vector<float>& hyper) {
  copy_in(batch, &hyper);
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) core_of(rank).reset_tensor_counters();
  const runtime::RunResult run =
      this->run(ranks_.size(), [](TrainingCore& core) -> runtime::Program& { return core.step(); });
  if (watch_) watched_ = watch_->finish(run, "A step of core 0.");
  watch_.reset();
  const TensorActivity& tensor = hosted().chip().core(0).tensor_counters();
  StepResult result;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (models_[rank].reports) {
      const TrainingCore::Metrics metrics = ranks_[rank]->metrics();
      result.loss += metrics.loss;
      result.correct += metrics.correct;
    }
    result.macs += core_of(rank).tensor_counters().macs;
  }
  result.simulated_us = run.seconds() * 1e6;
  result.tensor_cycles = tensor.last_cycle - tensor.first_cycle;
  result.tensor_columns = tensor.columns;
  return result;
}

std::vector<float> TrainingChip::evaluate(const train::Batch& batch) {
  copy_in(batch, nullptr);
  run(ranks_.size(), [](TrainingCore& core) -> runtime::Program& { return core.evaluation(); });
  std::vector<float> all(batch.labels.size());
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (models_[rank].reports) ranks_[rank]->evaluated(&all);
  }
  return all;
}

std::vector<float> TrainingChip::predict(const std::vector<std::int32_t>& window) {
  load();
  for (unsigned rank = 0; rank < group(); ++rank) ranks_[rank]->prepare_prediction();
  run(group(), [&](TrainingCore& core) -> runtime::Program& { return core.prediction(window); });
  std::vector<float> logits;
  // Other ranks of the group may have the same parts again.
  const unsigned once = models_.front().sharers * models_.front().sample_parts;
  for (unsigned rank = 0; rank < once; ++rank) {
    if (!models_[rank].reports) continue;
    const std::vector<float> part = ranks_[rank]->predicted();
    logits.insert(logits.end(), part.begin(), part.end());
  }
  return logits;
}

std::string TrainingChip::rank_name(unsigned rank) {
  const std::string core = fmt::format("core {}", rank % cores());
  return system_ ? fmt::format("{} of {}", core, system_->name(rank / cores())) : core;
}

train::State TrainingChip::state() {
  load();
  train::State state = ranks_.front()->state();
  if (!models_.front().parts.empty()) {
    state = train::zero_state(models_.front().state);
    for (unsigned rank = 0; rank < ranks_.size(); ++rank) {
      const train::State part = ranks_[rank]->state();
      for (std::size_t t = 0; t < state.size(); ++t)
        train::paste(models_[rank].state[t], models_[rank].parts[t], part[t], &state[t]);
    }
  }
  for (unsigned rank = 0; rank < ranks_.size(); ++rank) {
    const train::State own = ranks_[rank]->state(), same = ranks_[rank]->part_of(state);
    for (std::size_t t = 0; t < state.size(); ++t) {
      if (own[t] == same[t]) continue;
      throw RunError(fmt::format("'{}' of {} differs from that of other ranks",
                                 models_[rank].state[t].name, rank_name(rank)));
    }
  }
  return state;
}

void TrainingChip::set_state(const train::State& state) {
  load();
  for (auto& rank : ranks_) rank->set_state(state);
}

const train::StateShares& TrainingChip::shares() {
  if (!shares_) shares_ = train::shares_of(models_);
  return *shares_;
}

double TrainingChip::keep_state() {
  load();
  const train::StateShares& shares = this->shares();
  unsigned rank = 0;
  const runtime::RunResult run = this->run(
      ranks_.size(), [&](TrainingCore & core) -> auto& {
        const unsigned number = rank++ % static_cast<unsigned>(ranks_.size());
        return core.state_copy(shares.of_rank[number], shares.bytes[number]);
      });
  return run.seconds() * 1e6;
}

void TrainingChip::read_kept(unsigned chip, std::vector<std::vector<std::uint8_t>>* of_ranks) {
  for (unsigned rank = chip * cores(); rank < (chip + 1) * cores(); ++rank)
    (*of_ranks)[rank] = ranks_[rank]->kept();
}

train::State TrainingChip::state_of(const std::vector<std::vector<std::uint8_t>>& of_ranks) {
  return train::state_of(models_, shares(), of_ranks);
}

void TrainingChip::save(const SnapshotOwner& owner, base::AtomicFile& file) {
  save_chip(*alone_, owner, file);
}

// The programs are loaded as on the chip that was saved: the host then knows where they are.
void TrainingChip::restore(const ChipSnapshot& snapshot) {
  load();
  snapshot.restore(*alone_);
}

TrainingChip::Product TrainingChip::product(const kernels::MatmulSpec& spec,
                                            const std::vector<float>& a,
                                            const std::vector<float>& b) {
  load();
  std::vector<runtime::Buffer> buffers;
  runtime::Runtime::Bindings bindings;
  const auto tensors = kernels::pack_matmul(spec, a, b);
  buffers.reserve(tensors.size() + 1);
  for (const kernels::MatmulTensor& tensor : tensors) {
    buffers.push_back(runtimes_.front()->allocate(tensor.name, tensor.bytes.size()));
    runtimes_.front()->copy_to_device(buffers.back(), tensor.bytes.data(), tensor.bytes.size());
    bindings[tensor.name] = &buffers.back();
  }
  Product result;
  result.c.resize(spec.m * spec.n);
  buffers.push_back(runtimes_.front()->allocate("c", result.c.size() * sizeof(float)));
  bindings["c"] = &buffers.back();
  for (const auto part : {kernels::MatmulPart::kLoad, kernels::MatmulPart::kCompute}) {
    kernels::MatmulSpec half = spec;
    half.part = part;
    hosted().chip().core(0).reset_tensor_counters();
    auto program = runtimes_.front()->load(kernels::build_matmul(half, config_), bindings);
    runtimes_.front()->run(program);
  }
  const TensorActivity& tensor = hosted().chip().core(0).tensor_counters();
  result.tensor_cycles = tensor.last_cycle - tensor.first_cycle;
  runtimes_.front()->copy_from_device(buffers.back(), result.c.data(),
                                      result.c.size() * sizeof(float));
  return result;
}

std::optional<std::string> TrainingChip::first_not_finite(const train::Batch& batch,
                                                          const std::vector<float>& hyper) {
  copy_in(batch, &hyper);
  run(ranks_.size(), [](TrainingCore& core) -> runtime::Program& { return core.debugging(); });
  // What is wrong on one rank is soon wrong on all. In a pipeline it comes from a stage before if
  // it is of the forward pass, else from one behind; on ranks of one stage steps are alike.
  struct Found {
    bool back = false;
    int stage = 0;  // less is sooner
    std::size_t probe = 0;
    unsigned rank = 0;
    std::string text;
    bool operator<(const Found& other) const {
      return std::tie(back, stage, probe) < std::tie(other.back, other.stage, other.probe);
    }
  };
  std::optional<Found> first;
  for (unsigned rank = 0; rank < ranks_.size(); ++rank) {
    for (std::size_t probe = 0; probe < ranks_[rank]->probes(); ++probe) {
      const auto text = ranks_[rank]->not_finite(probe);
      if (!text) continue;
      const int stage = static_cast<int>(models_[rank].stage);
      const bool back = ranks_[rank]->is_back(probe);
      Found found{back, back ? -stage : stage, probe, rank, *text};
      if (!first || found < *first) first = found;
      break;
    }
  }
  if (first)
    return ranks_.size() == 1 ? first->text
                              : fmt::format("{}: {}", rank_name(first->rank), first->text);
  return std::nullopt;
}

}  // namespace tern::app
