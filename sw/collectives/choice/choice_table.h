// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sw/collectives/algorithms/algorithms.h"
#include "sw/config/yaml_reader.h"

namespace tern::collectives {

// A group that a table knows, or that is to be looked up.
struct GroupLayout {
  // Of the network alone: shared fairly, or every queue and credit. Or of programs of collective
  // cores, whose steps take time of their own.
  enum class Level { kFlow, kPacket, kCores };
  static Level level_of(const std::string& name);  // as in files; any other one: kFlow

  std::string system;  // its name
  bool torus = false;
  Axes axes;
  Level level = Level::kFlow;
  bool units = false;  // the last axis is that of units, with a slow network between them

  std::string text() const;  // "torus 4x4x4", "4x18x2"
};

// Which algorithm for which group and size. YAML files (README.md).
class ChoiceTable {
 public:
  // The one in the binary, measured by scripts/tune-collectives.
  static const ChoiceTable& builtin();
  // Throws UserError.
  static ChoiceTable load(const std::string& path);
  static ChoiceTable parse(const std::string& text, const std::string& shown);

  struct Choice {
    std::string algorithm;
    std::string like;  // another group's layout and system, that it is of; empty: of this group
    std::uint64_t first = 0, last = UINT64_MAX;  // sizes of which it is sure
  };
  // That of the group of this system and layout, or of the nearest one. Rather one that is measured
  // in the same way: of programs of collective cores, or of this level of a network. Then of the
  // smallest size that is not less, or of the largest. An algorithm that cannot do it is passed
  // over. Nothing: none is left. bytes: of the buffer of a rank.
  std::optional<Choice> find(const Problem& problem, const GroupLayout& group,
                             std::uint64_t bytes) const;
  // If nothing is found, the simplest one that can do it.
  std::string choose(const Problem& problem, const GroupLayout& group, std::uint64_t bytes) const;

 private:
  struct Rule {
    std::uint64_t up_to = UINT64_MAX;
    std::string algorithm;
  };
  struct Group {
    std::string system;
    bool torus = false, units = false;
    GroupLayout::Level level = GroupLayout::Level::kFlow;
    std::vector<unsigned> axes;
    std::uint64_t first = 0, last = UINT64_MAX;    // of which it is sure
    std::map<Operation, std::vector<Rule>> rules;  // by size
  };
  static ChoiceTable parse(const config::YamlMap& top);
  // How far a group is from this one; less is nearer.
  static double distance(const Group& of, const GroupLayout& group);
  static std::string likeness(const Group& of, const GroupLayout& group);

  std::vector<Group> groups_;
};

}  // namespace tern::collectives
