// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/knowledge.h"

#include <fmt/format.h>

#include <algorithm>

#include "sw/base/user_error.h"

namespace tern::collectives {

namespace {

constexpr std::uint64_t kMostKnown = std::uint64_t{1} << 27;  // numbers, if all know all: 512 MB
// Bytes of a schedule that somebody sends, and of ours.
constexpr std::uint64_t kMostKeptOfFile = std::uint64_t{1} << 30;
constexpr std::uint64_t kMostKept = std::uint64_t{1} << 32;

bool is_of_file(const Schedule& schedule) {
  for (const auto& streams : schedule.streams) {
    for (const Stream& stream : streams) {
      if (!stream.empty()) return stream.front().line > 0;
    }
  }
  return false;
}

}  // namespace

Knowledge::Knowledge(const Schedule& schedule)
    : schedule_(schedule),
      most_kept_(is_of_file(schedule) ? kMostKeptOfFile : kMostKept),
      first_(first_streams(schedule)),
      flow_of_(first_.back()) {
  std::uint32_t flows = 0;
  std::size_t streams = 0;
  for (const auto& of_rank : schedule.streams) streams = std::max(streams, of_rank.size());
  // Stream by stream: those with one number hear from each other, so their flows share blocks.
  for (unsigned stream = 0; stream < streams; ++stream) {
    for (unsigned rank = 0; rank < schedule.streams.size(); ++rank) {
      if (stream >= schedule.streams[rank].size()) continue;
      for (const Step& step : schedule.streams[rank][stream]) {
        if ((step.kind == Step::kPut || step.kind == Step::kSignal) &&
            flow_of_[first_[rank] + stream].emplace(step.rank, flows).second)
          ++flows;
        if (step.kind == Step::kAfter) at_step_[{first_[rank] + step.stream, step.count}] = nullptr;
      }
    }
  }
  if (std::uint64_t{flows} * first_.back() > kMostKnown)
    throw UserError(fmt::format("{}: too large to be verified: {} streams with {} targets in all",
                                schedule.name, first_.back(), flows));
  started_.resize(flows);
  at_start_.resize(flows);
  known_.assign(first_.back(), std::make_shared<Known>(flows, &kept_));
}

bool Knowledge::knows(unsigned stream, const Event& event) const {
  return event.number == 0 || (*known_[stream])[event.flow] >= event.number;
}

Known& Knowledge::mutable_known(unsigned stream) {
  auto& known = known_[stream];
  if (known.use_count() > 1) {
    known = std::make_shared<Known>(*known);
    if (kept_ > most_kept_)
      throw UserError(
          fmt::format("{}: too large to be verified: too many puts at once that are not "
                      "waited for",
                      schedule_.name));
  }
  return *known;
}

void Knowledge::join(unsigned stream, const Known& other) {
  mutable_known(stream).join(other);
}

Knowledge::Event Knowledge::start(const Visitor::At& at, const Step& put) {
  const std::uint32_t flow = flow_of_[at.number].at(put.rank);
  const Event event{flow, ++started_[flow]};
  if (put.rank == at.rank) {
    mutable_known(at.number).raise(flow, event.number);
  } else {
    at_start_[flow][event.number] = known_[at.number];
  }
  return event;
}

void Knowledge::wait(const Visitor::At& at, unsigned source, std::uint64_t consumed) {
  const std::uint32_t flow = flow_of_[source].at(at.rank);
  const auto number = static_cast<std::uint32_t>(consumed);
  // What a stream knows only grows: the last one's is enough.
  auto& puts = at_start_[flow];
  const std::shared_ptr<Known> last = puts.at(number);
  puts.erase(puts.begin(), puts.upper_bound(number));
  join(at.number, *last);
  mutable_known(at.number).raise(flow, number);
}

void Knowledge::flush(unsigned stream) {
  for (const auto& [rank, flow] : flow_of_[stream]) {
    if (started_[flow] > (*known_[stream])[flow]) mutable_known(stream).raise(flow, started_[flow]);
  }
}

void Knowledge::after(const Visitor::At& at, const Step& step, unsigned other) {
  join(at.number, *at_step_.at({other, step.count}));
}

void Knowledge::ended(const Visitor::At& at) {
  const auto found = at_step_.find({at.number, at.step});
  if (found != at_step_.end()) found->second = known_[at.number];
}

void Knowledge::end() {
  for (unsigned rank = 0; rank < schedule_.streams.size(); ++rank) {
    Known all(started_.size(), &kept_);
    for (unsigned stream = first_[rank]; stream < first_[rank + 1]; ++stream) {
      flush(stream);
      all.join(*known_[stream]);
    }
    at_end_.push_back(all);
  }
}

bool Knowledge::knows_at_end(unsigned rank, const Event& event) const {
  return event.number == 0 || at_end_[rank][event.flow] >= event.number;
}

std::string Knowledge::where(const Event& event) const {
  for (unsigned rank = 0; rank < schedule_.streams.size(); ++rank) {
    for (unsigned stream = 0; stream < schedule_.streams[rank].size(); ++stream) {
      for (const auto& [target, flow] : flow_of_[first_[rank] + stream]) {
        if (flow != event.flow) continue;
        const Stream& steps = schedule_.streams[rank][stream];
        return schedule_.where(rank, stream, step_of_put(steps, target, event.number));
      }
    }
  }
  return schedule_.name + ": ";
}

}  // namespace tern::collectives
