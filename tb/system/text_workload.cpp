// SPDX-License-Identifier: Apache-2.0
#include "tb/system/text_workload.h"

#include <random>

#include "tb/common/seed.h"

namespace tern::tb {

std::string book() {
  std::mt19937_64 random(test_seed());
  const char* const words[] = {"Harpoon", "whale", "sea", "ship", "captain"};
  std::string text;
  while (text.size() < 6000)
    text += std::string(words[random() % 5]) + (random() % 8 ? " " : ".\n");
  return text;
}

std::string text_workload(const std::map<std::string, std::string>& changes) {
  std::map<std::string, std::string> lines = {
      {"data", "{text: book.txt, alphabet: \" abcdefghijklmnopqrstuvwxyz.\"}"},
      {"network", "{width: 32, heads: 2, blocks: 1, context: 16, hidden: 48}"},
      {"batch", "8"},
      {"steps", "40"},
      {"evaluate", "{every: 16, windows: 12}"},
      {"optimiser", "{kind: adamw, learning_rate: 0.02, beta2: 0.95}"},
      {"sample", "{prompt: \"The sh\", characters: 20, temperature: 0.5}"},
      {"expect", "{loss: 2.2}"}};
  for (const auto& [key, value] : changes) lines[key] = value;
  std::string text = "kind: train\n";
  for (const auto& [key, value] : lines) {
    if (value.empty()) continue;
    text.append(key).append(": ").append(value).append("\n");
  }
  return text;
}

WorkloadWriter short_runs_in(TempFolder& folder) {
  return [&folder](const char* name, std::map<std::string, std::string> changes) {
    changes.insert({{"steps", "4"}, {"evaluate", "{every: 4, windows: 12}"}, {"expect", ""}});
    return folder.put(name, text_workload(changes));
  };
}

}  // namespace tern::tb
