// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/collectives/schedule.h"

namespace tern::collectives {

// An axis along which ranks of a group are laid out, and what a rank can send along it, in any unit
// that all axes of the group have.
struct Axis {
  Axis(unsigned of, double gb_per_s = 1) : size(of), rate(gb_per_s) {}  // NOLINT: {4, 4} are axes
  operator unsigned() const { return size; }                            // NOLINT

  unsigned size;
  double rate;
};
// The first one's neighbours are next to each other in number. A torus has its axes; racks of
// switches {chips of a tray, trays, racks}; {ranks}: nothing is known.
using Axes = std::vector<Axis>;

struct AlgorithmInfo {
  std::string name, title;
};
// Of all operations.
const std::vector<AlgorithmInfo>& algorithms();
// Their names, of one operation.
std::vector<std::string> algorithms_of(Operation operation);
// Those that can do it among these ranks, the simplest first.
std::vector<std::string> algorithms_for(const Problem& problem, const Axes& axes);

// Throws UserError if the algorithm does not do this operation, or not for a group of this size.
Schedule make_schedule(const std::string& algorithm, const Problem& problem, const Axes& axes);

}  // namespace tern::collectives
