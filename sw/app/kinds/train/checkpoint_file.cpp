// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/train/checkpoint_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include "sw/app/kinds/train/host_parts.h"
#include "sw/app/report/text.h"
#include "sw/base/user_error.h"
#include "sw/train/transformer_training.h"

namespace tern::app {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMostBesides = 1 << 26;  // of a checkpoint, besides its state

}  // namespace

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

fs::path hosts_folder_of(const fs::path& checkpoint) {
  return checkpoint.string() + ".hosts";
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
  std::error_code ignored;
  const bool on_hosts =
      workload.text && workload.text->plan && workload.text->plan->host_checkpoints;
  if (on_hosts && fs::exists(checkpoint, ignored) && !fs::is_regular_file(checkpoint, ignored))
    throw UserError(fmt::format("{}: not with {}: no folder can be beside it", checkpoint.string(),
                                workload.text->plan->host_checkpoints->place));
  base::AtomicFile probe(checkpoint, named_by);
}

FoundCheckpoint find_checkpoint(const fs::path& file, const fs::path& hosts,
                                const std::vector<std::pair<std::string, std::string>>& settings,
                                const std::vector<std::uint64_t>& sizes) {
  std::optional<train::Checkpoint> of_hosts, of_file;
  std::string not_hosts, not_file;  // why: of a training before this one, or damaged
  const auto unless = [](std::string* why, const std::function<void()>& read) {
    try {
      read();
    } catch (const UserError& error) {
      if (why->empty()) *why = error.what();
    }
  };
  if (!hosts.empty()) {
    const std::uint64_t most = std::accumulate(sizes.begin(), sizes.end(), kMostBesides);
    for_each_whole(hosts, most, [&](std::string bytes) {
      unless(&not_hosts,
             [&] { of_hosts = train::checkpoint_of(std::move(bytes), hosts, settings, sizes); });
      return of_hosts.has_value();
    });
  }
  std::error_code ignored;
  const bool exists = fs::exists(file, ignored);
  if (exists || !fs::exists(hosts, ignored))
    unless(&not_file, [&] { of_file = train::read_checkpoint(file, settings, sizes); });
  const auto note = [](const std::string& why) {
    return why.empty() ? why : fmt::format(", and not from {}", why);
  };
  if (of_file && !(of_hosts && of_hosts->step > of_file->step))
    return {std::move(*of_file), file.string() + note(not_hosts)};
  if (of_hosts) {
    if (!exists) not_file = file.string() + ": no such file";
    return {std::move(*of_hosts), hosts.string() + note(not_file)};
  }
  throw UserError(!not_file.empty()    ? not_file
                  : !not_hosts.empty() ? not_hosts
                                       : fmt::format("{}: no such file, and no checkpoint has all "
                                                     "of its parts in {}",
                                                     file.string(), hosts.string()));
}

std::vector<CheckpointHead> checkpoint_heads(const fs::path& file, const TextTraining& text) {
  constexpr unsigned kCopies = 8;  // at most: parameters, moments, and copies of both
  const fs::path hosts = hosts_folder_of(file);
  std::uint64_t most = kMostBesides;
  for (const train::StateTensor& parameter : train::transformer_parameters(text.spec))
    most += kCopies * parameter.bytes();
  constexpr std::size_t kMostHeads = 16;
  std::vector<CheckpointHead> heads;
  std::error_code ignored;
  if (fs::exists(file, ignored)) heads.push_back({file.string(), train::head_of(file)});
  for_each_whole(hosts, most, [&](const std::string& bytes) {
    heads.push_back({hosts.string(), bytes.substr(0, train::kMostHead)});
    return heads.size() >= kMostHeads;
  });
  if (heads.empty()) heads.push_back({file.string(), train::head_of(file)});  // says why not
  return heads;
}

}  // namespace tern::app
