// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "sw/app/host/run_options.h"
#include "sw/app/kinds/train/train_workload.h"
#include "sw/base/atomic_file.h"
#include "sw/train/checkpoint.h"

namespace tern::app {

// The file NAME.checkpoint of a training, as options and workload say.
std::filesystem::path checkpoint_path(const RunOptions& options, const TrainWorkload& workload);
base::NamedBy checkpoint_named_by(const RunOptions& options);

// Of a plan's host checkpoints.
std::filesystem::path hosts_folder_of(const std::filesystem::path& checkpoint);

// Its folder, also if somebody has removed it meanwhile. Throws UserError.
void make_checkpoint_folder(const std::filesystem::path& checkpoint);
// Throws UserError if it cannot be written, or is another file: now, not when all steps are done.
void try_checkpoint(const std::filesystem::path& checkpoint, base::NamedBy named_by,
                    const TrainWorkload& workload);

struct FoundCheckpoint {
  train::Checkpoint checkpoint;
  std::string from;  // file or folder, and what was passed over
};
// The newer one of NAME.checkpoint and of what hosts have; hosts: their folder, empty: no plan.
// Those of other trainings, and damaged ones, are passed over. Throws UserError like
// train::read_checkpoint() if nothing is left.
FoundCheckpoint find_checkpoint(const std::filesystem::path& file,
                                const std::filesystem::path& hosts,
                                const std::vector<std::pair<std::string, std::string>>& settings,
                                const std::vector<std::uint64_t>& sizes);

// What the file says at its beginning, then what those of hosts say, the newest first. Throws
// UserError if there is neither.
struct CheckpointHead {
  std::string from, text;
};
std::vector<CheckpointHead> checkpoint_heads(const std::filesystem::path& file,
                                             const TextTraining& text);

}  // namespace tern::app
