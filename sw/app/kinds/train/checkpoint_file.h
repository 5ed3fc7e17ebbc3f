// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "sw/app/host/run_options.h"
#include "sw/app/kinds/train/train_workload.h"
#include "sw/base/atomic_file.h"

namespace tern::app {

// The file NAME.checkpoint of a training, as options and workload say.
std::filesystem::path checkpoint_path(const RunOptions& options, const TrainWorkload& workload);
base::NamedBy checkpoint_named_by(const RunOptions& options);

// Its folder, also if somebody has removed it meanwhile. Throws UserError.
void make_checkpoint_folder(const std::filesystem::path& checkpoint);
// Throws UserError if it cannot be written, or is another file: now, not when all steps are done.
void try_checkpoint(const std::filesystem::path& checkpoint, base::NamedBy named_by,
                    const TrainWorkload& workload);

}  // namespace tern::app
