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
#include "sw/app/report/twin_check.h"

namespace tern::app {

// The encoder in one format over all sentences.
struct SearchRow {
  std::string format;
  std::string refused;               // why the chip cannot; the rest is empty then
  std::uint64_t weight_bytes = 0;    // of the products' weights, with scales
  double us = 0, similarity_us = 0;  // simulated, of all programs; of the comparison with queries
  std::optional<double> index_us;    // of the earlier run that encoded the passages
  double tensor_share = 0;  // of the time with the tensor engine at work, mean of all ranks
  std::vector<double> stage_shares;          // likewise of each stage of a plan
  double least_cosine = 1, mean_cosine = 1;  // to the FP32 reference, over all sentences
  std::optional<double> needed;              // least cosine that passes
  double similarity_error = 0;               // largest, against the same embeddings in FP64
  unsigned same_best = 0;                    // queries whose best passage is that of the reference
  std::uint64_t words = 0;
  std::optional<TwinCheck> twin;  // when something is RTL
  double wall_s = 0;
  std::vector<PhaseBound> phases;  // of the first program

  bool passed() const;
};

struct SearchHit {
  double similarity = 0;
  std::string place, text;
};

struct SearchQuery {
  std::string text;
  unsigned tokens = 0, parts = 1;
  std::vector<SearchHit> hits;  // best first
};

// How a search is divided among chips.
// A way to divide a search that the planner has tried.
struct SearchTrial {
  collectives::RankGrid grid;
  double us = 0;        // its programs, but those that compare
  std::string refused;  // why it cannot be; us is 0 then
};
// "data 2, sequence 1, pipeline 1, tensor 4".
std::string text_of(const SearchTrial& trial);

struct SearchPlan {
  std::string description;
  unsigned data = 1, sequence = 1, pipeline = 1, tensor = 1;
  std::string sum, gather, broadcast;  // algorithms; empty: of one part
  Plan::Choices choices;               // of these, by the table
  std::vector<SearchTrial> trials;     // the fastest first; empty: the plan left nothing open

  std::string text() const;
};

struct SearchRecord : RunHeader {
  unsigned core = 0;
  std::string backend, note;
  std::string index_path;  // of the kept embeddings; empty: nothing is kept
  bool from_index = false;
  std::uint64_t every = 1;  // of the text's passages
  std::uint64_t passages = 0, all_passages = 0, sentences = 0, tokens = 0, batches = 0;
  std::optional<SearchPlan> plan;
  std::vector<SearchQuery> queries;
  std::vector<SearchRow> rows;
  std::shared_ptr<const ProgramRecord> first_program;  // with a report

  bool passed() const;
};

Report report_of(const SearchRecord& record);

}  // namespace tern::app
