// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/algorithms/shares.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tern::collectives {

namespace {

// [first axis][axis]: time of its links for all data that begin with the first one.
using Times = std::vector<std::vector<double>>;

Times times_of(const Axes& axes, const std::vector<unsigned>& order) {
  Times times(order.size(), std::vector<double>(order.size()));
  for (std::size_t first = 0; first < order.size(); ++first) {
    double left = 1;  // of the data
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::size_t at = (first + i) % order.size();
      const Axis& axis = axes[order[at]];
      times[first][at] = left * (axis.size - 1) / axis.size / axis.rate;
      left /= axis.size;
    }
  }
  return times;
}

// Of the busiest axis.
template <class Share>
double longest(const Times& times, const std::vector<Share>& shares) {
  const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
  double most = 0;
  for (std::size_t axis = 0; axis < times.size(); ++axis) {
    double time = 0;
    for (std::size_t first = 0; first < times.size(); ++first)
      time += shares[first] / all * times[first][axis];
    most = std::max(most, time);
  }
  return most;
}

// Data move from what loads the busiest axis to what does not, in ever smaller amounts.
std::vector<double> balanced(const Times& times) {
  std::vector<double> shares(times.size(), 1.0 / static_cast<double>(times.size()));
  for (double amount = 0.25; amount > 1e-4;) {
    std::vector<double> best = shares;
    for (std::size_t from = 0; from < shares.size(); ++from) {
      for (std::size_t to = 0; to < shares.size(); ++to) {
        std::vector<double> moved = shares;
        const double taken = std::min(amount, moved[from]);
        moved[from] -= taken;
        moved[to] += taken;
        if (longest(times, moved) < longest(times, best) * (1 - 1e-9)) best = moved;
      }
    }
    if (best == shares) amount /= 2;
    shares = best;
  }
  return shares;
}

}  // namespace

std::vector<unsigned> shares_of_axes(const Axes& axes, const std::vector<unsigned>& order) {
  constexpr unsigned kMostUnits = 24;
  constexpr double kCloseEnough = 1.03;
  const Times times = times_of(axes, order);
  const std::vector<double> exact = balanced(times);
  std::vector<unsigned> chosen(order.size(), 1);
  for (unsigned units = 1; units <= kMostUnits; ++units) {
    std::vector<unsigned> shares;
    shares.reserve(exact.size());
    for (const double share : exact)
      shares.push_back(static_cast<unsigned>(std::lround(share * units)));
    if (std::accumulate(shares.begin(), shares.end(), 0U) == 0) continue;
    if (longest(times, shares) < longest(times, chosen)) chosen = shares;
    if (longest(times, chosen) < kCloseEnough * longest(times, exact)) break;
  }
  return chosen;
}

}  // namespace tern::collectives
