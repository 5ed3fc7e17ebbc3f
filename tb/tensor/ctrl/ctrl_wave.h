// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace tern::tb {

// The members of a packed struct of tensor_pkg, uppermost first, as numbers without sign.
using Members = std::vector<std::int64_t>;
constexpr std::int64_t kAny = -1;  // in an expectation: whatever it is

// Streams of waves into the arrays; kXMove + g enters at row group g, kMove + 4*g + j at row group
// g, column group j.
enum Stream : unsigned {
  kLoad,
  kTag,
  kDrain,
  kXLoad,
  kPlane,
  kXMove,
  kMove = kXMove + 4,
  kStreams = kMove + 16
};

}  // namespace tern::tb
