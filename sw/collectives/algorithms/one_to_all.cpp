// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/algorithms/one_to_all.h"

#include "sw/collectives/algorithms/builder.h"
#include "sw/collectives/algorithms/parts.h"

namespace tern::collectives {

namespace {

// All ranks, the root first.
Members from_root(const Problem& problem) {
  Members members(problem.ranks);
  for (unsigned i = 0; i < problem.ranks; ++i) members[i] = (problem.root + i) % problem.ranks;
  return members;
}

}  // namespace

// One piece for each rank; pieces follow each other around the ring.
Schedule make_ring_broadcast(const std::string& name, const Problem& problem, const Axes&) {
  const unsigned n = problem.ranks;
  Builder b(name, problem, n);
  const Members members = from_root(problem);
  for (unsigned i = 0; i < n; ++i) {
    for (unsigned piece = 0; piece < n; ++piece) {
      if (i > 0) b.wait(members[i], 0, members[i - 1]);
      if (i + 1 < n) b.put_data(members[i], 0, members[i + 1], {piece, 1});
    }
  }
  return b.take();
}

Schedule make_mesh_broadcast(const std::string& name, const Problem& problem, const Axes&) {
  Builder b(name, problem, 1);
  for (unsigned rank = 0; rank < problem.ranks; ++rank) {
    if (rank == problem.root) continue;
    b.put_data(problem.root, 0, rank, {0, 1});
    b.wait(rank, 0, problem.root);
  }
  return b.take();
}

Schedule make_tree(const std::string& name, const Problem& problem, const Axes&) {
  Builder b(name, problem, 1);
  const Members members = from_root(problem);
  for (unsigned distance = 1; distance < problem.ranks; distance *= 2) {
    for (unsigned i = 0; i < distance && i + distance < problem.ranks; ++i) {
      b.put_data(members[i], 0, members[i + distance], {0, 1});
      b.wait(members[i + distance], 0, members[i]);
    }
  }
  return b.take();
}

Schedule make_scatter_gather(const std::string& name, const Problem& problem, const Axes&) {
  const unsigned n = problem.ranks;
  Builder b(name, problem, n);
  const Members members = from_root(problem);
  for (unsigned i = 1; i < n; ++i) {
    b.put_data(members[0], 0, members[i], b.all().part(i, n));
    b.wait(members[i], 0, members[0]);
  }
  // A ring without the last one's puts to the root, which has all parts.
  for (unsigned i = 0; i < n; ++i) {
    for (unsigned step = 0; step + 1 < n; ++step) {
      if (i + 1 < n) b.put_data(members[i], 0, members[i + 1], b.all().part((i + n - step) % n, n));
      if (i > 0) b.wait(members[i], 0, members[i - 1]);
    }
  }
  return b.take();
}

}  // namespace tern::collectives
