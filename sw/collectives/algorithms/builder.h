// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/collectives/schedule.h"

namespace tern::collectives {

// Chunks that belong together.
struct Chunks {
  unsigned first = 0, count = 1;
  // The i-th of `parts` equal parts.
  Chunks part(unsigned i, unsigned parts) const {
    return {first + i * (count / parts), count / parts};
  }
};

// Writes a schedule step by step.
class Builder {
 public:
  Builder(std::string name, const Problem& problem, unsigned chunks, unsigned scratch = 0);

  unsigned ranks() const { return schedule_.problem.ranks; }
  const Problem& problem() const { return schedule_.problem; }
  Chunks all() const { return {0, schedule_.chunks}; }
  // A place in memory of its own for `count` chunks of every rank.
  unsigned take_scratch(unsigned count);

  void put(unsigned rank, unsigned stream, Place from, unsigned to, Place at, unsigned count,
           bool add = false);
  // The same chunks of data, there.
  void put_data(unsigned rank, unsigned stream, unsigned to, Chunks chunks, bool add = false);
  void signal(unsigned rank, unsigned stream, unsigned to);
  // The next puts of that rank's stream of the same number.
  void wait(unsigned rank, unsigned stream, unsigned source, unsigned count = 1);
  void flush(unsigned rank, unsigned stream);
  // Goes on when that stream of the rank has ended its first `steps`.
  void after(unsigned rank, unsigned stream, unsigned other, std::size_t steps);
  std::size_t steps(unsigned rank, unsigned stream) const;  // so far

  Schedule take() { return std::move(schedule_); }

 private:
  Stream& stream(unsigned rank, unsigned number);

  Schedule schedule_;
};

}  // namespace tern::collectives
