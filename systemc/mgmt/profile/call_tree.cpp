// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/profile/call_tree.h"

#include <algorithm>
#include <utility>

namespace tern::mgmt {

std::size_t CallTree::child(std::size_t node, std::string_view name) {
  const auto found = nodes_[node].children.find(name);
  if (found != nodes_[node].children.end()) return found->second;
  if (nodes_.size() >= kMost) return node;
  const std::size_t made = nodes_.size();
  Node fresh;
  fresh.name = std::string(name);
  fresh.parent = node;
  nodes_[node].children.emplace(fresh.name, made);
  // Between the functions of a folded stack is a semicolon.
  std::replace(fresh.name.begin(), fresh.name.end(), ';', ':');
  nodes_.push_back(std::move(fresh));
  return made;
}

std::vector<std::uint64_t> CallTree::totals() const {
  std::vector<std::uint64_t> totals(nodes_.size());
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    totals[i] += nodes_[i].own;
    if (i != kRoot) totals[nodes_[i].parent] += totals[i];
  }
  return totals;
}

std::string CallTree::folded() const {
  std::vector<std::string> lines;
  for (std::size_t i = 1; i < nodes_.size(); ++i) {
    if (nodes_[i].own == 0) continue;
    std::string path = nodes_[i].name;
    for (std::size_t at = nodes_[i].parent; at != kRoot; at = nodes_[at].parent)
      path.insert(0, nodes_[at].name + ";");
    path += " " + std::to_string(nodes_[i].own) + "\n";
    lines.push_back(std::move(path));
  }
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

}  // namespace tern::mgmt
