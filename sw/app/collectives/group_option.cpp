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
#include "sw/collectives/operation.h"

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
  if (second_error == std::errc() && stopped == end && last < first)
    throw UserError(fmt::format("--group: '{}': expected the smaller number first", word));
  if (second_error != std::errc() || stopped != end || last >= fabric.chips())
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

}  // namespace

Chips group_of(const system::Fabric& fabric, const std::string& text, unsigned cores) {
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
  const std::size_t least = cores == 1 ? 2 : 1, most = collectives::Problem::kMostRanks / cores;
  if (chips.size() < least || chips.size() > most)
    throw UserError(fmt::format("--group: {} to {} chips, not {}", least, most, chips.size()));
  return chips;
}

}  // namespace tern::app
