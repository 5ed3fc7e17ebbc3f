// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tern::app {

// Links between chips that are simulated flit by flit, as options name them.
struct LinkChoice {
  std::string backend;             // "model", "rtl", "both"; empty: none
  std::vector<std::string> links;  // "A--B", or a chip, switch or tray: all of its links
  std::string flits;               // CSV file of what is on their wires
  std::string wave;                // FST file; each end adds its name

  bool any() const { return !backend.empty() || !links.empty() || !flits.empty(); }
};

}  // namespace tern::app
