// SPDX-License-Identifier: Apache-2.0
#include "sw/app/collectives/group_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <set>

#include "sw/app/report/text.h"
#include "sw/app/system/chip_name.h"
#include "sw/base/user_error.h"

namespace tern::app {

namespace {

using Chips = std::vector<std::uint32_t>;

// "3-17"; false: it is no range of numbers.
bool add_range(const system::Fabric& fabric, const std::string& word, Chips* chips) {
  std::uint32_t first = 0, last = 0;
  const char* const end = word.data() + word.size();
  const auto [dash, error] = std::from_chars(word.data(), end, first);
  if (error != std::errc() || dash == end || *dash != '-') return false;
  const auto [stopped, second_error] = std::from_chars(dash + 1, end, last);
  if (second_error != std::errc() || stopped != end || last < first || last >= fabric.chips())
    throw UserError(fmt::format("--group: '{}': expected chips from 0 to {}", printable(word),
                                fabric.chips() - 1));
  for (std::uint32_t chip = first; chip <= last; ++chip) chips->push_back(chip);
  return true;
}

// All of a rack, server or tray.
bool add_inside(const system::Fabric& fabric, const std::string& word, Chips* chips) {
  const std::size_t before = chips->size();
  for (std::uint32_t chip = 0; chip < fabric.chips(); ++chip) {
    if (fabric.nodes()[chip].name.compare(0, word.size() + 1, word + ".") == 0)
      chips->push_back(chip);
  }
  return chips->size() > before;
}

// Sizes of the runs of chips with one key; empty: they are not of one size.
template <class Key>
unsigned equal_runs(const Chips& chips, const Key& key) {
  std::vector<unsigned> runs;
  for (std::size_t i = 0; i < chips.size(); ++i) {
    if (i == 0 || key(chips[i]) != key(chips[i - 1])) runs.push_back(0);
    ++runs.back();
  }
  return std::all_of(runs.begin(), runs.end(), [&](unsigned run) { return run == runs[0]; })
             ? runs[0]
             : 0;
}

}  // namespace

Chips group_of(const system::Fabric& fabric, const std::string& text) {
  Chips chips;
  if (text == "all") {
    chips.resize(fabric.chips());
    std::iota(chips.begin(), chips.end(), 0U);
  }
  for (std::size_t at = 0; text != "all" && at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string word = text.substr(at, comma - at);
    at = comma + 1;
    if (!add_range(fabric, word, &chips) && !add_inside(fabric, word, &chips))
      chips.push_back(chip_named(fabric, word));
  }
  const std::set<std::uint32_t> different(chips.begin(), chips.end());
  if (different.size() < chips.size())
    throw UserError(fmt::format("--group: '{}' names a chip twice", printable(text)));
  if (chips.size() < 2 || chips.size() > collectives::Problem::kMostRanks)
    throw UserError(fmt::format("--group: 2 to {} chips, not {}", collectives::Problem::kMostRanks,
                                chips.size()));
  return chips;
}

collectives::Axes axes_of(const system::Fabric& fabric, const Chips& chips) {
  const auto count = static_cast<unsigned>(chips.size());
  Chips all(fabric.chips());
  std::iota(all.begin(), all.end(), 0U);
  if (fabric.config().torus && chips == all) return fabric.config().torus->size;
  const auto group = [&](std::uint32_t chip) { return fabric.nodes()[chip].group; };
  const auto tray = [&](std::uint32_t chip) {
    return std::pair(fabric.nodes()[chip].group, fabric.nodes()[chip].tray);
  };
  for (const unsigned run : {equal_runs(chips, group), equal_runs(chips, tray)}) {
    if (run > 1 && run < count) return {run, count / run};
  }
  return {count};
}

unsigned planes_of(const system::Fabric& fabric) {
  unsigned links = 0;
  for (const std::uint32_t link : fabric.links_of(0)) {
    if (fabric.nodes()[fabric.links()[link].other(0)].kind != system::NodeKind::kChip) ++links;
  }
  return std::max(links, 1U);
}

}  // namespace tern::app
