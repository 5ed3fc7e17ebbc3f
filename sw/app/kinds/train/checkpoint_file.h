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

// Its folder, also if somebody has removed it meanwhile. Throws UserError.
void make_checkpoint_folder(const std::filesystem::path& checkpoint);
// Throws UserError if it cannot be written, or is another file: now, not when all steps are done.
void try_checkpoint(const std::filesystem::path& checkpoint, base::NamedBy named_by,
                    const TrainWorkload& workload);

struct FoundCheckpoint {
  train::Checkpoint checkpoint;
  std::string from;  // file or folder, and why not the file
};
// The newer one of NAME.checkpoint and of what hosts have; hosts: their folder, empty: no plan.
// Throws UserError like train::read_checkpoint().
FoundCheckpoint find_checkpoint(const std::filesystem::path& file,
                                const std::filesystem::path& hosts,
                                const std::vector<std::pair<std::string, std::string>>& settings,
                                const std::vector<std::uint64_t>& sizes);

}  // namespace tern::app
