// SPDX-License-Identifier: Apache-2.0
#include "sw/app/report/twin_check.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sw/app/report/text.h"

namespace tern::app {

std::string TwinCheck::text() const {
  if (good()) return "= model";
  std::vector<std::string> differ;
  if (mismatches > 0)
    differ.push_back(fmt::format("{} of {} words", grouped(mismatches), grouped(words)));
  if (!cycles_agree) differ.push_back(fmt::format("cycles ({})", grouped(tensor_cycles)));
  if (!times_agree) differ.emplace_back("time");
  return fmt::format("NOT model: {}", fmt::join(differ, ", "));
}

void add_twin(const std::vector<Execution>& executions, std::optional<TwinCheck>* check) {
  if (executions.size() < 2) return;
  const Execution& first = executions[0];
  const Execution& twin = executions[1];
  if (!*check) check->emplace();
  TwinCheck& sum = **check;
  sum.words += first.result.size();
  for (std::size_t i = 0; i < first.result.size(); ++i)
    sum.mismatches += first.result[i] != twin.result.at(i) ? 1 : 0;
  sum.tensor_cycles += twin.tensor_cycles;
  sum.cycles_agree &= first.tensor_cycles == twin.tensor_cycles && first.units_agree();
  sum.times_agree &= first.duration_fs() == twin.duration_fs();
}

void add_twin(const std::optional<TwinCheck>& check, nlohmann::ordered_json* row) {
  if (!check) return;
  (*row)["model_cycles"] = check->tensor_cycles;
  (*row)["model_mismatches"] = check->mismatches;
  (*row)["cycles_agree"] = check->cycles_agree;
  (*row)["times_agree"] = check->times_agree;
}

}  // namespace tern::app
