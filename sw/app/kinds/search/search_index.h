// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sw/app/kinds/search/search_workload.h"
#include "sw/models/use/passages.h"

namespace tern::app {

// The passages of a text with their embeddings, kept between runs: a further query encodes only
// itself.
struct SearchIndex {
  struct Format {
    std::string name;
    std::string refused;            // why the chip cannot; the rest is empty then
    double us = 0;                  // simulated, of the run that encoded the passages
    std::vector<float> embeddings;  // [passages, 512], of the chip
  };
  std::uint64_t all_passages = 0;      // of the text
  std::vector<use::Passage> passages;  // those that were read, without tokens
  std::vector<float> reference;        // [passages, 512], FP32 on the host
  std::vector<Format> formats;

  const Format* find(const std::string& format) const;
};

// Indices are files of the user's cache folder. A file is named by a checksum of all that its bits
// depend on: text, model, settings, chip and this program.
class IndexFile {
 public:
  // For the chip of these options. UserErrors name a text or model that cannot be read.
  IndexFile(const RunOptions& options, const SearchWorkload& workload);

  // Empty: there is no cache folder.
  const std::filesystem::path& path() const { return path_; }
  // None if there is no index; a damaged or foreign one counts as none, with a warning.
  std::optional<SearchIndex> read(std::vector<std::string>* warnings) const;
  // For an index whose search has failed.
  void remove(std::vector<std::string>* warnings) const;
  // A failure is a warning: the search itself has succeeded.
  void write(const SearchIndex& index, std::vector<std::string>* warnings) const;

 private:
  const SearchWorkload& workload_;
  std::string key_;
  std::filesystem::path path_;
};

}  // namespace tern::app
