// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/walk.h"

#include <fmt/format.h>

#include <deque>
#include <map>
#include <stdexcept>
#include <utility>

#include "sw/base/user_error.h"

namespace tern::collectives {

namespace {

// Sizes, and every step by itself.
class Checks {
 public:
  explicit Checks(const Schedule& schedule) : schedule_(schedule) {}

  void run() const {
    const Problem& problem = schedule_.problem;
    problem.check();
    if (schedule_.streams.size() != problem.ranks)
      fail(fmt::format("streams of {} ranks, of {}", schedule_.streams.size(), problem.ranks));
    if (schedule_.chunks < 1 || schedule_.chunks > Schedule::kMostChunks ||
        schedule_.scratch > Schedule::kMostChunks)
      fail(fmt::format("1 to {} chunks", Schedule::kMostChunks));
    if (problem.operation == Operation::kAllToAllV && schedule_.chunks < problem.most_chunks())
      throw UserError(fmt::format("{}: {} chunks, and a rank sends or gets {}", schedule_.name,
                                  schedule_.chunks, problem.most_chunks()));
    if (schedule_.chunks % problem.parts() != 0)
      fail(fmt::format("{} chunks do not divide among {} ranks", schedule_.chunks, problem.ranks));
    const std::uint64_t buffers = problem.in_place() ? 1 : 2;
    const std::uint64_t of_rank = buffers * schedule_.chunks + schedule_.scratch;
    if (of_rank * problem.ranks > Schedule::kMostPlaces)
      fail(fmt::format("{} chunks in all buffers, at most {}", of_rank * problem.ranks,
                       Schedule::kMostPlaces));
    std::uint64_t steps = 0, moved = 0;
    for (unsigned rank = 0; rank < problem.ranks; ++rank) {
      if (schedule_.streams[rank].size() > Schedule::kMostStreams)
        fail(fmt::format("rank {}: {} streams, at most {}", rank, schedule_.streams[rank].size(),
                         Schedule::kMostStreams));
      for (unsigned stream = 0; stream < schedule_.streams[rank].size(); ++stream) {
        steps += schedule_.streams[rank][stream].size();
        if (steps > Schedule::kMostSteps)
          fail(fmt::format("more than {} steps", Schedule::kMostSteps));
        for (std::size_t i = 0; i < schedule_.streams[rank][stream].size(); ++i) {
          check(rank, stream, i);
          const Step& step = schedule_.streams[rank][stream][i];
          if (step.kind == Step::kPut) moved += step.count;
          if (moved > Schedule::kMostMoved)
            throw UserError(fmt::format("{}puts of more than {} chunks in all",
                                        schedule_.where(rank, stream, i), Schedule::kMostMoved));
        }
      }
    }
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw UserError(fmt::format("{}: {}", schedule_.name, what));
  }

  void check(unsigned rank, unsigned stream, std::size_t index) const {
    const Step& step = schedule_.streams[rank][stream][index];
    const auto wrong = [&](const std::string& what) {
      throw UserError(schedule_.where(rank, stream, index) + what);
    };
    const auto inside = [&](const Place& place) {
      const unsigned chunks = schedule_.chunks_of(place.buffer);
      if (std::uint64_t{place.chunk} + step.count <= chunks) return;
      const std::string to =
          step.count == 1 ? "" : fmt::format(" to {}", std::uint64_t{place.chunk} + step.count - 1);
      wrong(fmt::format("{}[{}{}]: ", name_of(place.buffer), place.chunk, to) +
            (chunks == 0 ? "there is no such buffer"
                         : fmt::format("the last chunk is {}", chunks - 1)));
    };
    const bool of_other = step.kind != Step::kFlush && step.kind != Step::kAfter;
    if (of_other && step.rank >= schedule_.problem.ranks)
      wrong(fmt::format("rank {}, of {} ranks", step.rank, schedule_.problem.ranks));
    if (of_other && step.count < 1) wrong("a count of 0");
    switch (step.kind) {
      case Step::kPut:
        inside(step.from);
        inside(step.at);
        if (step.at.buffer == Buffer::kInput) wrong("input is only read");
        if (step.rank == rank && step.from.buffer == step.at.buffer &&
            step.from.chunk < step.at.chunk + step.count &&
            step.at.chunk < step.from.chunk + step.count)
          wrong("the two places overlap");
        break;
      case Step::kSignal:
        if (step.rank == rank) wrong("a signal to the own rank");
        break;
      case Step::kWait:
        if (step.stream >= schedule_.streams[step.rank].size())
          wrong(fmt::format("rank {} has no stream {}", step.rank, step.stream));
        if (step.rank == rank) wrong("a put to the own rank is not waited for");
        break;
      case Step::kFlush:
        break;
      case Step::kAfter:
        if (step.stream >= schedule_.streams[rank].size() || step.stream == stream)
          wrong(fmt::format("stream {} is not another one of this rank", step.stream));
        if (step.count >= schedule_.streams[rank][step.stream].size())
          wrong(fmt::format("stream {} has no step {}", step.stream, step.count));
        break;
    }
  }

  const Schedule& schedule_;
};

class Walker {
 public:
  Walker(const Schedule& schedule, Visitor* visitor)
      : schedule_(schedule),
        visitor_(visitor),
        first_(first_streams(schedule)),
        next_(first_.back()),
        put_(first_.back()),
        consumed_(first_.back()),
        queued_(first_.back(), true) {
    for (unsigned rank = 0; rank < schedule.streams.size(); ++rank) {
      for (unsigned stream = 0; stream < schedule.streams[rank].size(); ++stream)
        ready_.push_back({rank, stream, 0, first_[rank] + stream});
    }
  }

  void run() {
    while (!ready_.empty()) {
      Visitor::At at = ready_.front();
      ready_.pop_front();
      queued_[at.number] = false;
      advance(at);
    }
    report_deadlock();
    report_unwaited();
  }

 private:
  const Stream& stream_of(const Visitor::At& at) const {
    return schedule_.streams[at.rank][at.stream];
  }

  void advance(Visitor::At at) {
    for (at.step = next_[at.number]; at.step < stream_of(at).size(); at.step = next_[at.number]) {
      if (!take(at, stream_of(at)[at.step])) return;
      visitor_->ended(at);
      ++next_[at.number];
      wake(at.rank, at.number);  // those after this step
    }
  }

  bool take(const Visitor::At& at, const Step& step) {
    switch (step.kind) {
      case Step::kPut:
      case Step::kSignal:
        if (step.kind == Step::kPut) {
          visitor_->put(at, step);
        } else {
          visitor_->signal(at, step);
        }
        if (step.rank != at.rank) {
          ++put_[at.number][step.rank];
          wake(step.rank, at.number);
        }
        return true;
      case Step::kWait: {
        const unsigned source = first_[step.rank] + step.stream;
        const auto waiter = waiters_.emplace(std::pair(source, at.rank), at.stream).first->second;
        if (waiter != at.stream)
          throw UserError(fmt::format("{}stream {} of this rank waits for the same puts",
                                      schedule_.where(at.rank, at.stream, at.step), waiter));
        std::uint64_t& consumed = consumed_[source][at.rank];
        const auto found = put_[source].find(at.rank);
        if (found == put_[source].end() || found->second < consumed + step.count) return false;
        consumed += step.count;
        visitor_->wait(at, source, consumed);
        return true;
      }
      case Step::kFlush:
        visitor_->flush(at);
        return true;
      case Step::kAfter:
        if (next_[first_[at.rank] + step.stream] <= step.count) return false;
        visitor_->after(at, step);
        return true;
    }
    return true;
  }

  // The streams of a rank that stand somewhere, but for the one that acts.
  void wake(unsigned rank, unsigned acting) {
    for (unsigned stream = 0; stream < schedule_.streams[rank].size(); ++stream) {
      const unsigned number = first_[rank] + stream;
      if (number == acting || queued_[number] ||
          next_[number] >= schedule_.streams[rank][stream].size())
        continue;
      queued_[number] = true;
      ready_.push_back({rank, stream, 0, number});
    }
  }

  void report_deadlock() const {
    std::size_t stuck = 0;
    std::string first;
    for (unsigned rank = 0; rank < schedule_.streams.size(); ++rank) {
      for (unsigned stream = 0; stream < schedule_.streams[rank].size(); ++stream) {
        const std::size_t index = next_[first_[rank] + stream];
        if (index >= schedule_.streams[rank][stream].size()) continue;
        if (stuck++ == 0) first = reason(rank, stream, index);
      }
    }
    if (stuck == 0) return;
    throw UserError(first + (stuck == 1 ? std::string()
                             : stuck == 2
                                 ? " (another stream waits, too)"
                                 : fmt::format(" ({} other streams wait, too)", stuck - 1)));
  }

  // A put that nobody waits for may come when its place is in use for something else.
  void report_unwaited() const {
    for (unsigned rank = 0; rank < schedule_.streams.size(); ++rank) {
      for (unsigned stream = 0; stream < schedule_.streams[rank].size(); ++stream) {
        for (const auto& [target, puts] : put_[first_[rank] + stream]) {
          const auto& consumed = consumed_[first_[rank] + stream];
          const auto found = consumed.find(target);
          const std::uint64_t waited = found == consumed.end() ? 0 : found->second;
          if (waited < puts)
            throw UserError(fmt::format("{}rank {} waits for {} of {} puts of this stream",
                                        put_to(rank, stream, target, waited), target, waited,
                                        puts));
        }
      }
    }
  }

  // Where the next put to a rank is, with that many before it.
  std::string put_to(unsigned rank, unsigned stream, unsigned target, std::uint64_t before) const {
    return schedule_.where(rank, stream,
                           step_of_put(schedule_.streams[rank][stream], target, before + 1));
  }

  std::string reason(unsigned rank, unsigned stream, std::size_t index) const {
    const Step& step = schedule_.streams[rank][stream][index];
    const std::string where = schedule_.where(rank, stream, index);
    if (step.kind == Step::kAfter)
      return fmt::format("{}waits forever for step {} of stream {}", where, step.count,
                         step.stream);
    const unsigned source = first_[step.rank] + step.stream;
    const auto found = put_[source].find(rank);
    const std::uint64_t come = found == put_[source].end() ? 0 : found->second;
    const auto had = consumed_[source].find(rank);
    const std::uint64_t wanted = (had == consumed_[source].end() ? 0 : had->second) + step.count;
    const bool ended = next_[source] >= schedule_.streams[step.rank][step.stream].size();
    return fmt::format("{}waits forever for put {} of rank {}, stream {}, which {} after {}", where,
                       wanted, step.rank, step.stream, ended ? "has ended" : "waits itself", come);
  }

  const Schedule& schedule_;
  Visitor* visitor_;
  std::vector<unsigned> first_;
  std::vector<std::size_t> next_;                            // step of each stream
  std::vector<std::map<unsigned, std::uint64_t>> put_;       // [stream]: to each rank
  std::vector<std::map<unsigned, std::uint64_t>> consumed_;  // of them
  // Which stream of a rank waits for the puts of a stream: one, or it were open who gets them.
  std::map<std::pair<unsigned, unsigned>, unsigned> waiters_;
  std::deque<Visitor::At> ready_;
  std::vector<bool> queued_;
};

}  // namespace

std::vector<unsigned> first_streams(const Schedule& schedule) {
  std::vector<unsigned> first = {0};
  for (const auto& streams : schedule.streams)
    first.push_back(first.back() + static_cast<unsigned>(streams.size()));
  return first;
}

std::size_t step_of_put(const Stream& stream, unsigned target, std::uint64_t number) {
  for (std::size_t i = 0; i < stream.size(); ++i) {
    const bool comes = stream[i].kind == Step::kPut || stream[i].kind == Step::kSignal;
    if (comes && stream[i].rank == target && --number == 0) return i;
  }
  throw std::out_of_range("no such put");
}

void walk(const Schedule& schedule, Visitor* visitor) {
  Checks(schedule).run();
  Walker(schedule, visitor).run();
}

}  // namespace tern::collectives
