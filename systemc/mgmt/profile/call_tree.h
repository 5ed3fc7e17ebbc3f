// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tern::mgmt {

// Instructions by function and its callers.
class CallTree {
 public:
  struct Node {
    std::string name;
    std::size_t parent = 0;
    std::uint64_t own = 0;  // instructions in the function itself
    std::map<std::string, std::size_t, std::less<>> children;
  };
  static constexpr std::size_t kRoot = 0;
  static constexpr std::size_t kMost = 1 << 20;  // nodes; more are counted in their parents

  CallTree() : nodes_(1) {}

  // The function as called from a node, made if it is not there.
  std::size_t child(std::size_t node, std::string_view name);
  void count(std::size_t node) { ++nodes_[node].own; }
  const Node& node(std::size_t index) const { return nodes_[index]; }
  std::size_t size() const { return nodes_.size(); }
  // Instructions of each node and of what it has called.
  std::vector<std::uint64_t> totals() const;
  // Lines "a;b;c 123" of the nodes with instructions of their own, sorted: the form that tools for
  // flame graphs read.
  std::string folded() const;

 private:
  std::vector<Node> nodes_;  // a parent is before its children
};

}  // namespace tern::mgmt
