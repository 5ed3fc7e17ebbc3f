// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sw/app/plan/plan.h"
#include "sw/app/report/program_record.h"
#include "sw/app/report/report.h"

namespace tern::app {

// A step computed again on the RTL back ends: every word of its state and metrics against the
// model's. Its cycles are told, not judged: the two run at different times, when the memories are
// in different states.
struct RtlStep {
  std::uint64_t step = 0, words = 0, mismatches = 0;
  std::string first_difference;                    // empty when none
  std::uint64_t model_cycles = 0, rtl_cycles = 0;  // of core 0's tensor engine
  double model_us = 0, rtl_us = 0;                 // simulated
  double wall_s = 0;
  bool times_agree() const { return rtl_cycles == model_cycles && rtl_us == model_us; }
  bool passed() const { return mismatches == 0 && times_agree(); }
};

// Pruned weights: what they cost in accuracy, and what the sparse product of the first layer saves.
struct PruningRecord {
  std::string pattern;
  double before = 0, pruned = 0, after = 0;  // accuracies
  double most_lost = 1;
  std::uint64_t images = 0, dense_cycles = 0, sparse_cycles = 0;  // of the tensor engine
  double largest_difference = 0;  // of the two products, over the largest result
  bool passed() const {
    constexpr double kOrderOfSums = 1e-5;
    return before - after <= most_lost && largest_difference < kOrderOfSums;
  }
};

// A transformer's text, and what it wrote.
struct TextRecord {
  std::uint64_t alphabet = 0, training = 0, held_out = 0, left_out = 0;  // characters
  std::uint64_t evaluated = 0;                                           // of those held out
  double unigram = 0, bigram = 0;  // entropies of the training part, nats per character
  std::optional<double> loss_expected;
  std::string prompt, sample;
  double temperature = 0;
};

// A step under a plan, and what of it is not a rank's own work.
struct PlanTimes {
  double step_us = 0;
  double handshakes_us = 0;  // the ranks say only that they are done: the pipeline's waits
  double alone_us = 0;       // the program of a rank by itself; of a pipeline the slowest stage's
  double bubbles_us() const { return handshakes_us - alone_us; }
  double exposed_us() const { return step_us - handshakes_us; }
};

// A way to divide batch, blocks, layers, experts and the optimiser's state that the planner has
// tried.
struct PlanTrial : Division {
  PlanTimes times;
  std::string refused;  // why it cannot be; the numbers are 0 then
};
// "data 2, sequence 1, pipeline 1, tensor 4, expert 1, micro_batches 1, optimiser_sharding".
std::string text_of(const Division& division);

// A checkpoint on its way to hosts: what the training waited for, and since then what it did not.
struct HostCheckpointTimes {
  std::uint64_t step = 0, most_bytes = 0;   // bytes of the host that has most
  double waited_us = 0;                     // for the one before
  double kept_us = 0;                       // a copy in the chips' memories
  double copied_us = 0, replicated_us = 0;  // from then on until all is there
};
struct HostCheckpointsRecord {
  unsigned hosts = 0, replicas = 0;
  std::vector<HostCheckpointTimes> checkpoints;
  struct Steps {
    std::uint64_t count = 0;
    double us = 0;
    double mean_us() const { return count == 0 ? 0 : us / static_cast<double>(count); }
  };
  Steps with, without;  // steps that began while a checkpoint was on its way, and the others
};

// The ranks of a plan, and what their sums cost.
struct PlanRecord {
  std::string description;
  std::string sum, tensor_sum, sequence_sum, expert_exchange;  // algorithms; empty: of one rank
  Plan::Choices choices;                                       // of these, by the table
  unsigned chips = 1, cores = 1;                               // cores of each
  collectives::RankGrid grid;
  unsigned micro_batches = 1;
  bool optimiser_sharding = false;
  PlanTimes times;               // of the first step of this run; none without one
  std::uint64_t model_macs = 0;  // of a step, however it is divided
  double tensor_clock_ghz = 0;
  std::vector<PlanTrial> trials;  // the fastest first; empty: the plan left nothing open
  std::optional<HostCheckpointsRecord> hosts;
  unsigned ranks() const { return chips * cores; }
};

struct TrainRecord : RunHeader {
  unsigned cores = 1;
  std::string resumed_from;  // "after step 40, from out/NAME.checkpoint"; empty: it was not
  std::uint64_t steps = 0, all_steps = 0, images = 0, test_images = 0, batch = 0, first_step = 0;
  std::vector<float> losses;  // of every step, also of those before a resumption
  std::vector<std::uint32_t> correct;
  std::vector<double> rates;
  struct Epoch {
    std::uint64_t step = 0, correct = 0;
    double loss = 0;    // mean of its steps
    double wall_s = 0;  // with its evaluation; 0: before a resumption
    double accuracy = 0;
    double held_out = 0;  // loss, of a text
  };
  std::vector<Epoch> epochs;
  std::optional<double> accuracy_expected;
  std::vector<RtlStep> rtl_steps;
  std::optional<PruningRecord> pruning;
  std::optional<TextRecord> text;
  std::optional<PlanRecord> plan;
  bool interrupted = false;
  // Of the newest step.
  double step_us = 0, tensor_utilisation = 0;
  std::uint64_t macs = 0;
  double steps_us = 0;      // simulated, all steps of this run: steps_text()
  double steps_wall_s = 0;  // in steps, of this run
  std::string checkpoint_path;
  std::string chip_path;                              // of a snapshot that was saved
  std::shared_ptr<const ProgramRecord> watched_step;  // the first of this run; with a report

  bool passed() const;
  // "all", or those of this run.
  std::string steps_text() const;
};

Report report_of(const TrainRecord& record);
// Its parts: checks and figures; the keys that follow the header's.
Lines lines_of(const TrainRecord& record);
Section plans_section(const PlanRecord& plan);
void add_data(const TrainRecord& record, nlohmann::ordered_json* data);

}  // namespace tern::app
