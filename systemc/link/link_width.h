// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

namespace tern::link {

// Lanes that a link still uses after some of its lanes have failed. It is made of ports of 16 lanes
// and one of the rest; failures take one port after another, and a damaged port goes on with the
// next legal width: 8, 4, 2, 1.
inline unsigned width_after(unsigned lanes, unsigned failed) {
  constexpr unsigned kPort = 16;
  unsigned width = 0;
  for (unsigned first = 0; first < lanes; first += kPort) {
    const unsigned port = std::min(kPort, lanes - first);
    const unsigned bad = std::min(port, failed);
    failed -= bad;
    unsigned left = port - bad;
    while (bad > 0 && (left & (left - 1)) != 0) left &= left - 1;  // to its highest bit
    width += left;
  }
  return width;
}

}  // namespace tern::link
