// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/train/checkpoint_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "sw/app/report/text.h"
#include "sw/base/user_error.h"
#include "sw/train/checkpoint.h"

namespace tern::app {

namespace fs = std::filesystem;

fs::path checkpoint_path(const RunOptions& options, const TrainWorkload& workload) {
  if (!options.train.checkpoint.empty()) return options.train.checkpoint;
  const fs::path folder = options.report.empty() ? "tern-out" : options.report;
  std::string name = printable(workload.name);  // any text: it must not lead out of the folder
  std::replace(name.begin(), name.end(), '/', '_');
  return folder / (name + ".checkpoint");
}

base::NamedBy checkpoint_named_by(const RunOptions& options) {
  return options.train.checkpoint.empty() ? base::NamedBy::kProgram : base::NamedBy::kUser;
}

void make_checkpoint_folder(const fs::path& checkpoint) {
  if (!checkpoint.has_parent_path()) return;
  std::error_code error;
  fs::create_directories(checkpoint.parent_path(), error);
  if (!error) return;
  throw UserError(fmt::format("{}: cannot write there: {}", checkpoint.parent_path().string(),
                              error.message()));
}

namespace {

// A wrong name must not cost the file of that name.
void refuse_other_file(const fs::path& checkpoint, const TrainWorkload& workload) {
  std::error_code ignored;
  for (const std::string& input : workload.inputs) {
    if (fs::equivalent(checkpoint, input, ignored) ||
        fs::equivalent(checkpoint.string() + ".partial", input, ignored))
      throw UserError(fmt::format("{}: an input of this run would be overwritten", input));
  }
  if (!fs::is_regular_file(checkpoint, ignored) || fs::file_size(checkpoint, ignored) == 0) return;
  if (!train::is_checkpoint(checkpoint)) {
    throw UserError(fmt::format("{}: exists and is not a checkpoint, so it is not replaced",
                                checkpoint.string()));
  }
}

}  // namespace

void try_checkpoint(const fs::path& checkpoint, base::NamedBy named_by,
                    const TrainWorkload& workload) {
  make_checkpoint_folder(checkpoint);
  refuse_other_file(checkpoint, workload);
  base::AtomicFile probe(checkpoint, named_by);
}

}  // namespace tern::app
