// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/algorithms/all_to_all.h"

#include <vector>

#include "sw/collectives/algorithms/builder.h"

namespace tern::collectives {

namespace {

// What a rank has for another one.
class Parts {
 public:
  explicit Parts(const Problem& problem) : problem_(problem) {
    ragged_ = problem.operation == Operation::kAllToAllV;
    if (!ragged_) return;
    // Sums of rows and columns once: there are a million counts in the largest group.
    const unsigned n = problem.ranks;
    input_.assign(n, std::vector<unsigned>(n));
    output_ = input_;
    for (unsigned s = 0; s < n; ++s) {
      for (unsigned d = 0; d < n; ++d) {
        if (d > 0) input_[s][d] = input_[s][d - 1] + problem.counts[s][d - 1];
        if (s > 0) output_[s][d] = output_[s - 1][d] + problem.counts[s - 1][d];
      }
    }
  }

  unsigned chunks() const { return ragged_ ? problem_.most_chunks() : problem_.ranks; }
  bool any(unsigned from, unsigned to) const { return !ragged_ || problem_.counts[from][to] > 0; }
  void put(Builder* b, unsigned from, unsigned to) const {
    if (!any(from, to)) return;
    if (ragged_) {
      b->put(from, 0, {Buffer::kInput, input_[from][to]}, to, {Buffer::kOutput, output_[from][to]},
             problem_.counts[from][to]);
    } else {
      b->put(from, 0, {Buffer::kInput, to}, to, {Buffer::kOutput, from}, 1);
    }
  }
  void wait(Builder* b, unsigned rank, unsigned source) const {
    if (any(source, rank)) b->wait(rank, 0, source);
  }

 private:
  const Problem& problem_;
  bool ragged_ = false;
  std::vector<std::vector<unsigned>> input_, output_;  // [from][to]: first chunk
};

}  // namespace

Schedule make_mesh_all_to_all(const std::string& name, const Problem& problem, const Axes&) {
  const Parts parts(problem);
  Builder b(name, problem, parts.chunks());
  const unsigned n = problem.ranks;
  for (unsigned rank = 0; rank < n; ++rank) {
    for (unsigned d = 1; d < n; ++d) parts.put(&b, rank, (rank + d) % n);
    parts.put(&b, rank, rank);
    for (unsigned d = 1; d < n; ++d) parts.wait(&b, rank, (rank + n - d) % n);
  }
  return b.take();
}

Schedule make_pairwise(const std::string& name, const Problem& problem, const Axes&) {
  const Parts parts(problem);
  Builder b(name, problem, parts.chunks());
  const unsigned n = problem.ranks;
  for (unsigned rank = 0; rank < n; ++rank) {
    parts.put(&b, rank, rank);
    for (unsigned d = 1; d < n; ++d) {
      parts.put(&b, rank, (rank + d) % n);
      parts.wait(&b, rank, (rank + n - d) % n);
    }
  }
  return b.take();
}

// Ranks (x, y), x along the first axis, y across. What (x, y) has for (x', y') goes to (x', y) and
// from there across.
Schedule make_hierarchical_all_to_all(const std::string& name, const Problem& problem,
                                      const Axes& axes) {
  const unsigned inside = axes.front(), across = problem.ranks / axes.front();
  Builder b(name, problem, problem.ranks);
  // Part y' * inside + x of scratch: from (x, y) of this y, for (x', y') of this x'.
  const unsigned slots = b.take_scratch(problem.ranks);
  const auto number = [&](unsigned x, unsigned y) { return y * inside + x; };
  for (unsigned y = 0; y < across; ++y) {
    for (unsigned x = 0; x < inside; ++x) {
      const unsigned rank = number(x, y);
      for (unsigned d = 0; d < inside; ++d) {
        const unsigned to = number((x + d) % inside, y);
        for (unsigned far = 0; far < across; ++far) {
          const Place from{Buffer::kInput, number((x + d) % inside, far)};
          b.put(rank, 0, from, to, {Buffer::kScratch, slots + number(x, far)}, 1);
        }
      }
      for (unsigned d = 1; d < inside; ++d)
        b.wait(rank, 0, number((x + inside - d) % inside, y), across);
      for (unsigned d = 0; d < across; ++d) {
        const unsigned far = (y + d) % across;
        b.put(rank, 0, {Buffer::kScratch, slots + number(0, far)}, number(x, far),
              {Buffer::kOutput, number(0, y)}, inside);
      }
      for (unsigned d = 1; d < across; ++d) b.wait(rank, 0, number(x, (y + across - d) % across));
    }
  }
  return b.take();
}

Schedule make_mesh_permute(const std::string& name, const Problem& problem, const Axes&) {
  Builder b(name, problem, 1);
  for (unsigned rank = 0; rank < problem.ranks; ++rank) {
    if (problem.to[rank] != Problem::kNobody)
      b.put(rank, 0, {Buffer::kInput, 0}, problem.to[rank], {Buffer::kOutput, 0}, 1);
  }
  for (unsigned rank = 0; rank < problem.ranks; ++rank) {
    if (problem.to[rank] != Problem::kNobody) b.wait(problem.to[rank], 0, rank);
  }
  return b.take();
}

}  // namespace tern::collectives
