// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

namespace tern::tb {

using Words = std::vector<std::uint8_t>;

// cdc_down as its README describes it: what is gathered, and what is offered to the slow side.
struct DownModel {
  unsigned ratio;
  Words gathered{}, offered{};

  bool leaves(bool edge, bool ready) const { return edge && (offered.empty() || ready); }
  bool ready(bool edge, bool slow_ready) const {
    return gathered.size() < ratio || leaves(edge, slow_ready);
  }
  void tick(bool edge, bool valid, std::uint8_t word, bool slow_ready) {
    const bool take = valid && ready(edge, slow_ready), move = leaves(edge, slow_ready);
    const bool full = gathered.size() == ratio;
    if (take && !full) gathered.push_back(word);
    if (move) {
      offered = gathered;
      gathered.clear();
    }
    if (take && full) gathered.push_back(word);
  }
};

// cdc_up: words that wait, and the answer that the slow side has had since its last edge.
struct UpModel {
  unsigned ratio;
  std::deque<std::uint8_t> waiting{};
  bool ready = true;

  void tick(bool edge, bool valid, const Words& words, bool fast_ready) {
    if (!waiting.empty() && fast_ready) waiting.pop_front();
    if (!edge) return;
    if (valid && ready) waiting.insert(waiting.end(), words.begin(), words.end());
    ready = waiting.size() <= ratio;
  }
};

}  // namespace tern::tb
