// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace tern::tb {

// The members of a packed struct of tensor_pkg, uppermost first, as numbers without sign.
using Members = std::vector<std::int64_t>;
constexpr std::int64_t kAny = -1;  // in an expectation: whatever it is

// Widths of the members, uppermost first.
using Layout = std::vector<unsigned>;
inline const Layout kLoadWave = {1, 1, 4, 3, 5, 16, 8, 8};
inline const Layout kTagWave = {1, 3, 4, 1, 17};
inline const Layout kMoveWave = {1, 1, 4, 3, 1, 3, 4, 2, 17, 8, 8};
inline const Layout kDrainWave = {1, 4, 8};
inline const Layout kMxLoad = {1, 1, 4, 2, 1, 5, 16, 16, 16, 2, 5, 5};
inline const Layout kMxMove = {1, 1, 4, 2, 1, 1, 17, 17, 1, 18, 2, 5, 5};
inline const Layout kDest = {8, 8, 8, 7, 16, 16, 1, 1, 1, 1, 1};
inline const Layout kStatus = {8, 4};
inline const Layout kPerf = {64, 64, 64, 64, 64, 64, 64, 64};

inline unsigned width_of(const Layout& layout) {
  unsigned width = 0;
  for (const unsigned member : layout) width += member;
  return width;
}

// Streams of waves into the arrays; kMove + 4*g + j enters at row group g, column group j.
enum Stream : unsigned {
  kLoad,
  kTag,
  kDrain,
  kXLoad,
  kXMove,
  kPlane,
  kMove,
  kStreams = kMove + 16
};

}  // namespace tern::tb
