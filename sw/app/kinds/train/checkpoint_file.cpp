// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/train/checkpoint_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "sw/app/kinds/train/host_checkpoints.h"
#include "sw/app/report/text.h"
#include "sw/base/user_error.h"

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

FoundCheckpoint find_checkpoint(const fs::path& file, const fs::path& hosts,
                                const std::vector<std::pair<std::string, std::string>>& settings,
                                const std::vector<std::uint64_t>& sizes) {
  std::error_code ignored;
  std::optional<train::Checkpoint> of_hosts;
  if (!hosts.empty() && fs::exists(hosts, ignored))
    of_hosts = newest_of_hosts(hosts, settings, sizes);
  std::string why = fmt::format(": {} is missing", file.string());
  if (fs::exists(file, ignored) || !of_hosts) {
    if (!fs::exists(file, ignored) && fs::exists(hosts, ignored))
      throw UserError(fmt::format("{}: no such file, and no checkpoint has all of its parts in {}",
                                  file.string(), hosts.string()));
    try {
      train::Checkpoint found = train::read_checkpoint(file, settings, sizes);
      if (!of_hosts || found.step >= of_hosts->step) return {std::move(found), file.string()};
      why = fmt::format(": {} is older", file.string());
    } catch (const UserError& error) {  // of a training before this one, or damaged
      if (!of_hosts) throw;
      why = fmt::format(": {}", error.what());
    }
  }
  return {std::move(*of_hosts), hosts.string() + why};
}

}  // namespace tern::app
