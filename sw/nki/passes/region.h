// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sw/nki/trace/view.h"

namespace tern::nki {

// The bytes that a view covers: the same runs on consecutive partitions of its storage; in HBM
// there is one partition.
struct Footprint {
  std::int64_t first = 0, end = 1;                          // partitions
  std::vector<std::pair<std::int64_t, std::int64_t>> runs;  // begin and end, in bytes
};
Footprint footprint(const View& view);

// Where an element is: its first byte.
struct Element {
  std::int64_t partition = 0, byte = 0;
};
// All of a view, the last dimension fastest.
std::vector<Element> elements(const View& view);

// A set of bytes of one storage, exact.
class Region {
 public:
  void add(const Footprint& footprint);
  void remove(const Footprint& footprint);
  bool contains_all(const Footprint& footprint) const;
  bool contains_any(const Footprint& footprint) const;
  bool empty() const { return bands_.empty(); }

 private:
  // Partitions with the same bytes.
  struct Band {
    std::int64_t first = 0, end = 0;
    std::vector<bool> bytes;
  };
  void cut(std::int64_t partition);
  template <typename Change>
  void change(const Footprint& footprint, bool create, Change change);

  std::vector<Band> bands_;  // in order, disjoint
};

}  // namespace tern::nki
