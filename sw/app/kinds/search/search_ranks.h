// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sw/app/host/progress.h"
#include "sw/app/plan/plan.h"
#include "sw/app/report/execution.h"
#include "sw/app/report/program_record.h"
#include "sw/config/chip_config.h"
#include "sw/models/use/batches.h"
#include "sw/models/use/encoder.h"
#include "sw/platform/chips/chip_system.h"
#include "sw/runtime/running_together.h"
#include "systemc/chip/simulation.h"
#include "systemc/trace/summary_sink.h"

namespace tern::app {

// UserError with the plan's place: experts, gradients and moments are not the encoder's.
void check_search_plan(const Plan& plan);

// The encoder on the ranks of a plan. Parts of the data have programs of some batches each, in
// turn; of the ranks of a part each has some tokens of each batch and some blocks, and of these
// some heads and some columns of the hidden layers. At the end the first part's queries go to the
// others, which compare them with their own passages.
class SearchRanks {
 public:
  // A process has one. The plan must outlive it.
  SearchRanks(const Plan& plan, const ChipConfig& chip);

  // Batches of a program, so that each part has as many programs. The first program has all
  // `with_queries` batches that hold parts of queries. UserError with the plan's place if there are
  // too few.
  unsigned batches_of_program(std::size_t batches, std::size_t with_queries) const;

  // One format; as Session::run() of the same programs on one core, one part after the other, but
  // in the time of these ranks: what parts do at the same time counts once. weight_bytes: of the
  // products, of all ranks that divide the model. The tensor engine is busy for the mean of all
  // ranks.
  Execution run(const use::Model& model, const std::vector<use::Batch>& batches, unsigned each,
                use::Format format, Progress* progress, std::uint64_t* weight_bytes);

  // Of a planner: what the programs of this format take in all, by the first one of each part.
  double time(const use::Model& model, const std::vector<use::Batch>& batches, unsigned each,
              use::Format format);

  // Of core 0 of the first chip, the first one of all formats.
  const std::shared_ptr<const ProgramRecord>& first_program() const { return first_program_; }
  // Of the last run, of each stage: the share of the time with the tensor engine at work, the mean
  // of its ranks.
  const std::vector<double>& stage_shares() const { return stage_shares_; }
  std::string sum() const { return sum_ ? sum_->name : std::string(); }
  std::string gather() const { return gather_ ? gather_->name : std::string(); }
  const Plan::Choices& choices() const { return choices_; }
  std::string broadcast() const { return broadcast_ ? broadcast_->name : std::string(); }

 private:
  class Encoding;
  using Schedule = std::shared_ptr<const collectives::Schedule>;

  const Plan& plan_;
  const system::Fabric fabric_;
  const ChipConfig config_;
  Simulation simulation_;
  ChipSystem system_;
  Plan::Choices choices_;
  const Schedule sum_, gather_, broadcast_, handover_;
  std::vector<std::shared_ptr<trace::SummarySink>> summaries_;  // of each chip
  std::vector<double> stage_shares_;
  std::shared_ptr<const ProgramRecord> first_program_;
};

// Of the record of a first program.
std::string title_of(unsigned batches, const std::string& format);

}  // namespace tern::app
