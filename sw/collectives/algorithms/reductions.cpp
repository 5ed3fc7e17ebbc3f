// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/algorithms/reductions.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "sw/collectives/algorithms/all_to_all.h"
#include "sw/collectives/algorithms/one_to_all.h"
#include "sw/collectives/algorithms/parts.h"
#include "sw/collectives/algorithms/shares.h"

namespace tern::collectives {

namespace {

bool scatters(const Problem& problem) {
  return problem.operation != Operation::kAllGather;
}
bool gathers(const Problem& problem) {
  return problem.operation != Operation::kReduceScatter;
}

Members everybody(unsigned ranks) {
  Members members(ranks);
  std::iota(members.begin(), members.end(), 0U);
  return members;
}

// Everybody, each next to the one before: along the first axis, one on along the next, and back.
// The last one is next to the first where the last axis is even and closed.
Members around_axes(const Axes& axes) {
  Members members = {0};
  unsigned distance = 1;
  for (const unsigned size : axes) {
    Members longer;
    for (unsigned i = 0; i < size; ++i) {
      for (const unsigned member : members) longer.push_back(member + i * distance);
      std::reverse(members.begin(), members.end());
    }
    members = longer;
    distance *= size;
  }
  return members;
}

Pieces own_parts(const Builder& b, const Members& members) {
  return [all = b.all(), members](unsigned i) {
    return std::vector<Chunks>{all.part(members[i], static_cast<unsigned>(members.size()))};
  };
}

// Everybody adds what all have, in the order of their ranks.
void add_all(Builder* b, unsigned rank, unsigned slots) {
  const Place data{Buffer::kData, 0};
  for (unsigned source = 0; source < b->ranks(); ++source)
    b->put(rank, 0, {Buffer::kScratch, slots + source}, rank, data, 1, source > 0);
}

// Coordinates of a rank on the axes.
std::vector<unsigned> coordinates_of(unsigned rank, const Axes& axes) {
  std::vector<unsigned> at;
  for (const unsigned size : axes) {
    at.push_back(rank % size);
    rank /= size;
  }
  return at;
}

// One slice of the data, along all axes in an order.
class AlongAxes {
 public:
  enum How { kRing, kRingBack, kMesh };

  // chunks_of: those of the slice that a rank owns after a reduce-scatter.
  AlongAxes(Builder* b, const Axes& axes, std::vector<unsigned> order, unsigned stream,
            std::vector<Chunks> chunks_of, How how)
      : b_(b),
        axes_(axes),
        order_(std::move(order)),
        stream_(stream),
        chunks_of_(std::move(chunks_of)),
        how_(how) {}

  // Steps of each rank at the end of each axis.
  using Ends = std::vector<std::vector<std::size_t>>;
  // before: another slice on the same way, which leaves each axis first.
  Ends run(bool scatter, bool gather, const AlongAxes* before = nullptr,
           const Ends& ends_before = {}) const {
    const auto steps = static_cast<unsigned>(order_.size());
    Ends ends;
    const auto next = [&](unsigned step, bool scatters) {
      for (unsigned rank = 0; before != nullptr && rank < b_->ranks(); ++rank)
        b_->after(rank, stream_, before->stream_, ends_before[ends.size()][rank]);
      along(step, scatters);
      ends.emplace_back();
      for (unsigned rank = 0; rank < b_->ranks(); ++rank)
        ends.back().push_back(b_->steps(rank, stream_));
    };
    for (unsigned step = 0; scatter && step < steps; ++step) next(step, true);
    for (unsigned step = steps; gather && step-- > 0;) next(step, false);
    return ends;
  }

 private:
  // All lines along an axis, each with its members and pieces.
  void along(unsigned step, bool scatter) const {
    const unsigned axis = order_[step];
    for (unsigned rank = 0; rank < b_->ranks(); ++rank) {
      const std::vector<unsigned> at = coordinates_of(rank, axes_);
      if (at[axis] == 0) line(rank, step, scatter);
    }
  }

  void line(unsigned first, unsigned step, bool scatter) const {
    const unsigned axis = order_[step];
    unsigned distance = 1;
    for (unsigned a = 0; a < axis; ++a) distance *= axes_[a];
    Members members;
    for (unsigned i = 0; i < axes_[axis]; ++i) members.push_back(first + i * distance);
    if (how_ == kRingBack) std::reverse(members.begin(), members.end());
    // What is left of the slice after the axes before: the chunks of ranks that are at the same
    // point of these. The i-th member has those of i on this axis.
    const Pieces pieces = [&](unsigned i) {
      const std::vector<unsigned> at = coordinates_of(members[i], axes_);
      std::vector<unsigned> chunks;
      for (unsigned rank = 0; rank < b_->ranks(); ++rank) {
        const std::vector<unsigned> other = coordinates_of(rank, axes_);
        bool same = true;
        for (unsigned s = 0; s <= step; ++s) same = same && other[order_[s]] == at[order_[s]];
        for (unsigned c = 0; same && c < chunks_of_[rank].count; ++c)
          chunks.push_back(chunks_of_[rank].first + c);
      }
      return runs_of(chunks);
    };
    // Sums of the axis before may still be under way to them.
    const bool mesh = how_ == kMesh;
    if (scatter && !mesh && step > 0) neighbours_ready(b_, members, stream_);
    if (scatter) {
      (mesh ? mesh_reduce_scatter : ring_reduce_scatter)(b_, members, stream_, pieces);
    } else {
      (mesh ? mesh_all_gather : ring_all_gather)(b_, members, stream_, pieces);
    }
  }

  Builder* b_;
  const Axes& axes_;
  std::vector<unsigned> order_;
  unsigned stream_;
  std::vector<Chunks> chunks_of_;
  How how_;
};

// Without those of one point.
std::vector<unsigned> axes_with_length(const Axes& axes) {
  std::vector<unsigned> order;
  for (unsigned axis = 0; axis < axes.size(); ++axis) {
    if (axes[axis] > 1) order.push_back(axis);
  }
  return order;
}

// A part of every rank's data: `count` chunks of the part that each owns at the end, from `first`
// on, of `all`.
struct Slice {
  unsigned first = 0, count = 1, all = 1;
};

// Where the operation leaves it open, pieces are runs: ranks in the order of the axes, the first
// one most significant.
std::vector<Chunks> chunks_of_slice(const Problem& problem, const Axes& axes,
                                    const std::vector<unsigned>& order, const Slice& slice) {
  std::vector<Chunks> chunks_of(problem.ranks);
  for (unsigned rank = 0; rank < problem.ranks; ++rank) {
    unsigned number = 0;
    const std::vector<unsigned> at = coordinates_of(rank, axes);
    for (const unsigned axis : order) number = number * axes[axis] + at[axis];
    chunks_of[rank].first = problem.operation == Operation::kAllReduce
                                ? slice.first * problem.ranks + number * slice.count
                                : rank * slice.all + slice.first;
    chunks_of[rank].count = slice.count;
  }
  return chunks_of;
}

// Two axes: the first one, and all others together.
Axes two_levels(const Problem& problem, const Axes& axes) {
  const unsigned inside = axes[axes_with_length(axes).front()];
  return {inside, problem.ranks / inside};
}

Schedule make_levels(const std::string& name, const Problem& problem, const Axes& levels,
                     AlongAxes::How how) {
  Builder b(name, problem, problem.ranks);
  const std::vector<unsigned> order = {0, 1};
  AlongAxes(&b, levels, order, 0, chunks_of_slice(problem, levels, order, {}), how)
      .run(scatters(problem), gathers(problem));
  return b.take();
}

// Slices for each axis, one in each manner; each in parts that follow one another. last: it comes
// last for all of them, who begin with the other ones.
Schedule make_slices(const std::string& name, const Problem& problem, const Axes& axes,
                     const std::vector<AlongAxes::How>& manners, unsigned parts,
                     std::optional<unsigned> last = std::nullopt) {
  std::vector<unsigned> turns = axes_with_length(axes);
  if (last) turns.erase(std::find(turns.begin(), turns.end(), *last));
  const std::vector<unsigned> shares = shares_of_axes(axes, turns);
  const unsigned all = static_cast<unsigned>(manners.size()) * parts *
                       std::accumulate(shares.begin(), shares.end(), 0U);
  Builder b(name, problem, all * problem.ranks);
  Slice slice{0, 0, all};
  unsigned stream = 0;
  for (const unsigned share : shares) {
    slice.count = share;
    std::vector<unsigned> order = turns;
    if (last) order.push_back(*last);
    for (const AlongAxes::How how : manners) {
      std::optional<AlongAxes> before;
      AlongAxes::Ends ends;
      for (unsigned part = 0; share > 0 && part < parts; ++part, slice.first += share) {
        const AlongAxes along(&b, axes, order, stream++,
                              chunks_of_slice(problem, axes, order, slice), how);
        ends = along.run(scatters(problem), gathers(problem), before ? &*before : nullptr, ends);
        before.emplace(along);
      }
    }
    std::rotate(turns.begin(), turns.begin() + 1, turns.end());
  }
  return b.take();
}

}  // namespace

Schedule make_ring(const std::string& name, const Problem& problem, const Axes& axes) {
  if (problem.operation == Operation::kBroadcast) return make_ring_broadcast(name, problem, axes);
  Builder b(name, problem, problem.ranks);
  const Members members = around_axes(axes);
  const Pieces pieces = own_parts(b, members);
  if (scatters(problem)) ring_reduce_scatter(&b, members, 0, pieces);
  if (gathers(problem)) ring_all_gather(&b, members, 0, pieces);
  return b.take();
}

Schedule make_two_rings(const std::string& name, const Problem& problem, const Axes& axes) {
  Builder b(name, problem, 2 * problem.ranks);
  for (unsigned half = 0; half < 2; ++half) {
    Members members = around_axes(axes);
    if (half == 1) members = Members(members.rbegin(), members.rend());
    const Pieces pieces = [&](unsigned i) {
      return std::vector<Chunks>{{2 * members[i] + half, 1}};
    };
    if (scatters(problem)) ring_reduce_scatter(&b, members, half, pieces);
    if (gathers(problem)) ring_all_gather(&b, members, half, pieces);
  }
  return b.take();
}

Schedule make_mesh(const std::string& name, const Problem& problem, const Axes& axes) {
  switch (problem.operation) {
    case Operation::kAllToAll:
    case Operation::kAllToAllV:
      return make_mesh_all_to_all(name, problem, axes);
    case Operation::kBroadcast:
      return make_mesh_broadcast(name, problem, axes);
    case Operation::kPermute:
      return make_mesh_permute(name, problem, axes);
    case Operation::kBarrier:
      return make_one_step(name, problem, axes);
    default:
      break;
  }
  Builder b(name, problem, problem.ranks);
  const Pieces pieces = parts_of(b.all(), problem.ranks);
  if (scatters(problem)) mesh_reduce_scatter(&b, everybody(problem.ranks), 0, pieces);
  if (gathers(problem)) mesh_all_gather(&b, everybody(problem.ranks), 0, pieces);
  return b.take();
}

Schedule make_one_step(const std::string& name, const Problem& problem, const Axes&) {
  Builder b(name, problem, 1);
  const unsigned n = problem.ranks;
  const unsigned slots = b.take_scratch(n);
  for (unsigned rank = 0; rank < n; ++rank) {
    const Place data{Buffer::kData, 0}, slot{Buffer::kScratch, slots + rank};
    for (unsigned d = 0; d < n; ++d) b.put(rank, 0, data, (rank + d) % n, slot, 1);
    for (unsigned d = 1; d < n; ++d) b.wait(rank, 0, (rank + n - d) % n);
    b.flush(rank, 0);
    add_all(&b, rank, slots);
  }
  return b.take();
}

Schedule make_doubling(const std::string& name, const Problem& problem, const Axes&) {
  const unsigned n = problem.ranks;
  if (problem.operation == Operation::kAllGather) {
    Builder b(name, problem, n);
    doubling_all_gather(&b, everybody(n), 0, b.all());
    return b.take();
  }
  Builder b(name, problem, 1);
  const Place data{Buffer::kData, 0};
  for (unsigned bit = 1; bit < n; bit *= 2) {
    const Place slot{Buffer::kScratch, b.take_scratch(1)};
    for (unsigned rank = 0; rank < n; ++rank) {
      b.put(rank, 0, data, rank ^ bit, slot, 1);
      b.wait(rank, 0, rank ^ bit);
      b.flush(rank, 0);
      b.put(rank, 0, slot, rank, data, 1, true);
    }
  }
  return b.take();
}

Schedule make_halving_doubling(const std::string& name, const Problem& problem, const Axes&) {
  Builder b(name, problem, problem.ranks);
  halving_reduce_scatter(&b, everybody(problem.ranks), 0, b.all());
  if (gathers(problem)) doubling_all_gather(&b, everybody(problem.ranks), 0, b.all());
  return b.take();
}

Schedule make_hierarchical(const std::string& name, const Problem& problem, const Axes& axes) {
  const Axes levels = two_levels(problem, axes);
  if (problem.operation == Operation::kAllToAll)
    return make_hierarchical_all_to_all(name, problem, levels);
  return make_levels(name, problem, levels, AlongAxes::kRing);
}

Schedule make_hierarchical_mesh(const std::string& name, const Problem& problem, const Axes& axes) {
  return make_levels(name, problem, two_levels(problem, axes), AlongAxes::kMesh);
}

Schedule make_axes(const std::string& name, const Problem& problem, const Axes& axes) {
  return make_slices(name, problem, axes, {AlongAxes::kRing, AlongAxes::kRingBack}, 1);
}

Schedule make_pipelined_axes(const std::string& name, const Problem& problem, const Axes& axes) {
  constexpr unsigned kSlices = 4;
  return make_slices(name, problem, axes, {AlongAxes::kRing, AlongAxes::kRingBack}, kSlices);
}

Schedule make_across(const std::string& name, const Problem& problem, const Axes& axes) {
  return make_slices(name, problem, axes, {AlongAxes::kRing, AlongAxes::kRingBack}, 1,
                     axes_with_length(axes).back());
}

Schedule make_mesh_across(const std::string& name, const Problem& problem, const Axes& axes) {
  return make_slices(name, problem, axes, {AlongAxes::kMesh}, 1, axes_with_length(axes).back());
}

Schedule make_mesh_axes(const std::string& name, const Problem& problem, const Axes& axes) {
  return make_slices(name, problem, axes, {AlongAxes::kMesh}, 1);
}

}  // namespace tern::collectives
