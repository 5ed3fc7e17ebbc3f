// SPDX-License-Identifier: Apache-2.0
#include "sw/app/collectives/cc_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "sw/app/report/text.h"
#include "sw/collectives/choice/choice_table.h"
#include "sw/system/system_config.h"

namespace tern::app {

namespace {

using collectives::ChoiceTable;
using collectives::GroupLayout;

// What of the command no table has: scripts/tune-collectives measures the first chips of a system,
// whole ones, on links that do not break. Empty: nothing.
std::string not_in_tables(const CcOptions& options, const CcRecord& record) {
  if (options.cores > 1) return "cores of chips";
  for (std::size_t rank = 0; rank < record.chips.size(); ++rank) {
    if (record.chips[rank] != rank) return "these chips";
  }
  if (options.operation == "send_recv") return options.operation;
  if (options.level == "ideal") return "level ideal";
  if (!options.faults.empty()) return "faults";
  if (options.planes) return fmt::format("--planes {}", *options.planes);
  if (options.root > 0) return fmt::format("--root {}", options.root);
  if (options.traffic_class != CcOptions().traffic_class)
    return fmt::format("--class {}", options.traffic_class);
  return "";
}

std::string outside(std::uint64_t bytes, const ChoiceTable::Choice& choice) {
  if (bytes == 0) return "";  // a barrier
  if (bytes < choice.first) return fmt::format("sizes below {} bytes", grouped(choice.first));
  if (bytes > choice.last) return fmt::format("sizes above {} bytes", grouped(choice.last));
  return "";
}

CcChoice of_own_table(const CcOptions& options, const std::string& system, const CcRecord& record,
                      const GroupLayout& group, const std::vector<std::uint64_t>& sizes) {
  const std::vector<std::string> presets = system::system_names();
  const bool is_preset = std::find(presets.begin(), presets.end(), system) != presets.end();
  const std::string unlike = is_preset ? not_in_tables(options, record) : "systems of files";
  const auto lacks = [&](const std::optional<ChoiceTable::Choice>& found, std::uint64_t bytes) {
    return !unlike.empty()        ? unlike
           : !found               ? options.operation
           : !found->like.empty() ? "this group"
                                  : outside(bytes, *found);
  };
  CcChoice choice;
  for (const std::uint64_t bytes : sizes) {
    const auto found = ChoiceTable::builtin().find(record.problem, group, bytes);
    const std::string reason = lacks(found, bytes);
    if (reason.empty())
      choice.chosen[bytes] = found->algorithm;
    else if (choice.note.empty())
      choice.note = fmt::format("measured, as with -a best: the table does not have {}", reason);
  }
  return choice;
}

CcChoice of_users_table(const CcOptions& options, const CcRecord& record, const GroupLayout& group,
                        const std::vector<std::uint64_t>& sizes) {
  const ChoiceTable table = ChoiceTable::load(options.table);
  CcChoice choice;
  for (const std::uint64_t bytes : sizes)
    choice.chosen[bytes] = table.choose(record.problem, group, bytes);
  const auto found = table.find(record.problem, group, sizes.front());
  if (!found) {
    choice.note = fmt::format("the table names no algorithm that can do {} here: {}",
                              options.operation, choice.chosen.begin()->second);
    return choice;
  }
  const std::string unlike = not_in_tables(options, record);
  if (unlike.empty() && found->like.empty()) return choice;
  const std::string like =
      found->like.empty() ? fmt::format("{} of {}", group.text(), record.system) : found->like;
  choice.note = fmt::format("the table does not have {}: as for {}",
                            unlike.empty() ? "this group" : unlike, printable(like));
  return choice;
}

}  // namespace

CcChoice look_up(const CcOptions& options, const std::string& system, const CcRecord& record,
                 const collectives::Axes& axes, const std::vector<std::uint64_t>& sizes) {
  const GroupLayout group{record.system, record.torus, axes, GroupLayout::level_of(options.level),
                          record.units};
  return options.table.empty() ? of_own_table(options, system, record, group, sizes)
                               : of_users_table(options, record, group, sizes);
}

}  // namespace tern::app
