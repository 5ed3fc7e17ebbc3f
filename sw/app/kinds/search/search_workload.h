// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/app/kinds/kind.h"
#include "sw/app/plan/plan.h"
#include "sw/models/use/encoder.h"

namespace tern::app {

// Texts of a kind in a book: passages and queries go through Universal Sentence Encoder Lite
// (sw/models/use).
struct SearchWorkload : Workload {
  std::string model;      // folder
  std::string text;       // file
  std::string checksums;  // of the model's folder, as sha256sum writes them; empty: not checked
  std::vector<std::string> queries;
  std::uint64_t first = 0, count = 0, every = 1;  // passages; count 0: all
  std::vector<use::Format> formats = {use::Format::kBf16};
  unsigned best = 5;         // passages shown for each query
  std::optional<Plan> plan;  // over which chips; one core without it
  // Where the file has these keys: "FILE:LINE: key 'KEY'".
  struct Places {
    std::string model, text, checksums, queries, first;
  };
  Places places;

  std::string describe() const override;
};

SearchWorkload load_search(const config::YamlMap& top, std::uint64_t seed);

}  // namespace tern::app
