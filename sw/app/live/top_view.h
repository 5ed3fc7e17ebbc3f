// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sw/app/report/style.h"
#include "sw/live/live_state.h"

namespace tern::app {

// How `tern top` draws.
struct TopLook {
  Style style{false};
  bool blocks = false;      // bars of block characters (UTF-8), otherwise of '#'
  std::size_t columns = 0;  // 0: as many as there are
};

// One simulation, line by line. before: an earlier sample of the process, for rates; null: rates of
// the process's whole life. No control character comes from the state.
std::vector<std::string> top_lines(const live::State& state, const live::State* before,
                                   const TopLook& look);

// The first columns of a line with escape sequences, and the end of its style.
std::string cut(const std::string& line, std::size_t columns);

// As many lines as a screen has rows; the last one says how many more there are.
std::vector<std::string> fitted(std::vector<std::string> lines, std::size_t rows);

}  // namespace tern::app
