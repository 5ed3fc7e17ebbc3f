// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sw/app/kinds/kind.h"
#include "sw/app/plan/plan.h"
#include "sw/config/chip_config.h"
#include "sw/data/idx.h"
#include "sw/train/mlp_training.h"
#include "sw/train/schedule.h"
#include "sw/train/text_corpus.h"
#include "sw/train/transformer_training.h"

namespace tern::app {

// Of a network of fully connected layers on images.
struct ImageTraining {
  train::MlpSpec spec;
  unsigned epochs = 1;
  unsigned cores = 1;        // that share each batch
  std::string cores_source;  // where the file says so
  float scale = 1.0f / 255;  // of a pixel
  std::shared_ptr<const data::ImageSet> training, test;
  std::string test_images, test_labels;  // files
  std::optional<double> accuracy;        // least one expected
  // After so many epochs weights are pruned; the others retrain what is left.
  struct Pruning {
    std::string pattern;  // "4_8"
    kernels::Sparsity sparsity = kernels::Sparsity::k4of8;
    unsigned after_epochs = 1;
    double most_lost = 1;  // of the accuracy before
  };
  std::optional<Pruning> pruning;
  // In place of a training: steps on one core and on several, timed (scaling_run.h).
  struct Scaling {
    std::vector<unsigned> cores;
    std::uint32_t batch_per_core = 0;  // weak; strong: the batch, shared
    unsigned steps = 3;
  };
  std::optional<Scaling> scaling;

  // UserError "FILE:LINE: ..." if the chip cannot share a batch among so many cores.
  void check_cores(const ChipConfig& chip, unsigned wanted) const;
};

// Of a transformer on the characters of a text.
struct TextTraining {
  train::TransformerSpec spec;
  std::shared_ptr<const train::TextCorpus> corpus;
  std::uint64_t steps = 1, evaluate_every = 1;
  std::uint64_t evaluated = 1;  // windows of those held out
  std::optional<double> loss;   // the largest expected, held out, in nats
  struct Sample {
    std::string prompt;
    std::uint64_t characters = 0;
    double temperature = 1;
  };
  Sample sample;
  std::optional<Plan> plan;         // over which chips; core 0 of one without it
  collectives::RankSchedules sums;  // over its ranks
  Plan::Choices choices;            // of these, by the table
  unsigned ranks() const { return plan ? plan->ranks() : 1; }
  // Makes this the plan's; micro-batches 0: as many as there are stages, or fewer that are whole
  // slabs. Throws UserError with the plan's place if they cannot be.
  void divide(const Division& division);
  // That many fill slabs, and divide the windows of a rank.
  bool fills_slabs(const collectives::RankGrid& grid, unsigned micro_batches) const;
  train::Share share(unsigned rank) const;
};

// Weights to begin with, by their tensors' names (train_weights.h).
struct StartWeights {
  struct Tensor {
    std::string name;
    std::vector<float> values;
  };
  std::vector<Tensor> tensors;
  std::uint32_t crc32 = 0;  // of all values
};

// The setting of a checkpoint that says how its plan divides the training: "2,1,1,4,1,1".
constexpr const char* kPlanSetting =
    "plan (data, sequence, pipeline, tensor, expert, micro_batches)";

// One that is there if parts of the batch divide the optimiser's state.
constexpr const char* kScatterSetting = "scattered sums";

// `kind: train` (docs/workloads.md): one of the two.
struct TrainWorkload : Workload {
  std::optional<ImageTraining> images;
  std::optional<TextTraining> text;
  std::optional<StartWeights> start;  // random ones without it
  train::Schedule schedule;
  std::vector<std::pair<std::string, std::uint32_t>> checksums;  // CRC-32 of the files
  std::uint64_t checkpoint_every = 0;                            // steps; 0: only at the end

  // What the bits of a training depend on, for its checkpoints.
  std::vector<std::pair<std::string, std::string>> settings(std::uint64_t seed,
                                                            const ChipConfig& chip) const;
  std::string describe() const override;
};

const char* precision_name(train::Precision precision);
const char* optimiser_name(train::Optimiser optimiser);

TrainWorkload load_train(const config::YamlMap& top, std::uint64_t seed);

}  // namespace tern::app
