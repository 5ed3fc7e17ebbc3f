// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/algorithms/builder.h"

#include <utility>

namespace tern::collectives {

Builder::Builder(std::string name, const Problem& problem, unsigned chunks, unsigned scratch) {
  schedule_.name = std::move(name);
  schedule_.problem = problem;
  schedule_.chunks = chunks;
  schedule_.scratch = scratch;
  schedule_.streams.resize(problem.ranks);
}

unsigned Builder::take_scratch(unsigned count) {
  return std::exchange(schedule_.scratch, schedule_.scratch + count);
}

void Builder::after(unsigned rank, unsigned stream, unsigned other, std::size_t steps) {
  if (steps == 0) return;
  Step step;
  step.kind = Step::kAfter;
  step.stream = other;
  step.count = static_cast<unsigned>(steps - 1);
  this->stream(rank, stream).push_back(step);
}

std::size_t Builder::steps(unsigned rank, unsigned stream) const {
  const auto& streams = schedule_.streams[rank];
  return stream < streams.size() ? streams[stream].size() : 0;
}

Stream& Builder::stream(unsigned rank, unsigned number) {
  auto& streams = schedule_.streams[rank];
  if (streams.size() <= number) streams.resize(number + 1);
  return streams[number];
}

void Builder::put(unsigned rank, unsigned number, Place from, unsigned to, Place at, unsigned count,
                  bool add) {
  Step step;
  step.kind = Step::kPut;
  step.rank = to;
  step.from = from;
  step.at = at;
  step.count = count;
  step.add = add;
  stream(rank, number).push_back(step);
}

void Builder::put_data(unsigned rank, unsigned number, unsigned to, Chunks chunks, bool add) {
  const Place place{Buffer::kData, chunks.first};
  put(rank, number, place, to, place, chunks.count, add);
}

void Builder::signal(unsigned rank, unsigned number, unsigned to) {
  Step step;
  step.kind = Step::kSignal;
  step.rank = to;
  stream(rank, number).push_back(step);
}

void Builder::wait(unsigned rank, unsigned number, unsigned source, unsigned count) {
  Step step;
  step.kind = Step::kWait;
  step.rank = source;
  step.stream = number;
  step.count = count;
  stream(rank, number).push_back(step);
}

void Builder::flush(unsigned rank, unsigned number) {
  Step step;
  step.kind = Step::kFlush;
  stream(rank, number).push_back(step);
}

}  // namespace tern::collectives
