// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/app/kinds/search/search_index.h"
#include "sw/app/kinds/search/search_workload.h"
#include "sw/models/use/batches.h"
#include "sw/models/use/passages.h"

namespace tern::app {

// The texts of a search as the encoder takes them: all parts of the queries, then the passages.
struct SearchTexts {
  struct Query {
    std::string text;
    std::size_t first = 0, parts = 0;  // among the sentences
    unsigned tokens = 0;
  };
  std::vector<Query> queries;
  std::vector<use::Passage> passages;
  std::size_t all_passages = 0;                       // of the text
  std::vector<std::vector<std::uint32_t>> sentences;  // those to encode
  std::size_t parts_of_queries = 0;
  std::vector<use::Batch> batches;

  std::size_t parts() const { return parts_of_queries; }
  // Sentence `parts() + p` is passage p, unless the passages come from an index. Leaves only the
  // passages that share the first batch with the queries; false if the queries do not fit into one.
  bool keep_one_batch();
};

// `queries` instead of the workload's, unless empty; `index`: null, or what is known of the text.
// UserErrors name the file, or --query.
SearchTexts load_texts(const SearchWorkload& workload, const std::vector<std::string>& queries,
                       const use::Tokenizer& tokenizer, const SearchIndex* index);

}  // namespace tern::app
