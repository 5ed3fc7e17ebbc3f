// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "sw/base/atomic_file.h"

#include "sw/train/initial_state.h"

namespace tern::train {

// The state of a training: sufficient to resume as if uninterrupted. The same training gives the
// same bytes at the same step, however often it was interrupted.
struct Checkpoint {
  // Everything that determines the bits, by name: sizes, rates, seed, checksums of the data.
  std::vector<std::pair<std::string, std::string>> settings;
  std::uint64_t step = 0;  // steps done
  State state;
  // Of every step done, and of every evaluation.
  std::vector<float> losses;
  std::vector<std::uint32_t> correct;
  struct Evaluation {
    std::uint64_t step = 0;
    double score = 0;  // a sum: images classified right, losses
  };
  std::vector<Evaluation> evaluations;
  double changed_score = 0;  // immediately after the host's change of the state, if there was one
};

// docs/reference/checkpoint.md: a file with a CRC-32 at its end that appears under its name when it
// is complete.
void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint,
                      base::NamedBy named_by = base::NamedBy::kUser);
// The file begins as one, whatever follows.
bool is_checkpoint(const std::filesystem::path& path);
// The beginning of a file, with its settings if it is a checkpoint; and one of them as it says,
// empty: none. Nothing is verified. Throws UserError if it cannot be read.
constexpr std::size_t kMostHead = 65536;
std::string head_of(const std::filesystem::path& path);
std::string setting_of(const std::string& head, const std::string& name);
// UserError "FILE: ..." if it is missing, damaged, or made with other settings, which it names.
// sizes: bytes of each tensor of the state.
Checkpoint read_checkpoint(const std::filesystem::path& path,
                           const std::vector<std::pair<std::string, std::string>>& settings,
                           const std::vector<std::uint64_t>& sizes);
// The bytes of such a file, and a checkpoint of them; path: for messages.
std::string checkpoint_bytes(const Checkpoint& checkpoint);
Checkpoint checkpoint_of(std::string bytes, const std::filesystem::path& path,
                         const std::vector<std::pair<std::string, std::string>>& settings,
                         const std::vector<std::uint64_t>& sizes);

}  // namespace tern::train
