// SPDX-License-Identifier: Apache-2.0
#include "systemc/collectives/schedule_run.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <set>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "sw/collectives/evaluate.h"
#include "sw/collectives/walk.h"

namespace tern::collectives {

namespace {

constexpr double kFsPerNs = 1e6;
// Bytes of a part, at least; of one of a stream with a great many targets, whose puts take more
// planes as they grow.
constexpr std::uint64_t kLeastPart = 1 << 11, kPartOfMany = 1 << 18;
// From this size on a put of any other stream takes as many planes as it has parts, however many
// targets there are. Not in steps: three of eight are no faster than two, as some of them carry two
// parts, and the fastest algorithm would change with every size.
constexpr std::uint64_t kLargePut = 1 << 14;

std::uint64_t bytes_of(const Schedule& schedule, std::uint64_t bytes, const Step& put) {
  // Chunks of scratch have the size of those that are put there; it is not known of which.
  const Place& place = put.from.buffer == Buffer::kScratch ? put.at : put.from;
  if (place.buffer == Buffer::kScratch || place.chunk + put.count > schedule.chunks)
    return bytes / schedule.chunks * put.count +
           (bytes % schedule.chunks * put.count + schedule.chunks - 1) / schedule.chunks;
  return first_element(bytes, schedule.chunks, place.chunk + put.count) -
         first_element(bytes, schedule.chunks, place.chunk);
}

// How many parts a put of each stream may be divided into. 0: the stream has so many targets that
// the network chooses the paths.
std::vector<unsigned> most_parts(const Schedule& schedule, const Placed& placed) {
  std::vector<unsigned> parts;
  for (const auto& streams : schedule.streams) {
    for (const Stream& stream : streams) {
      std::set<unsigned> targets;
      for (const Step& step : stream) {
        if (step.kind == Step::kPut) targets.insert(step.rank);
      }
      const auto count = static_cast<unsigned>(std::max<std::size_t>(targets.size(), 1));
      parts.push_back(count > 3 * placed.planes ? 0 : (placed.planes + count - 1) / count);
    }
  }
  return parts;
}

// Of a put of a stream, with its number among all; `before`: the stream's puts and signals.
template <class Send>
unsigned for_each_part(const Placed& placed, unsigned most, unsigned stream, std::uint64_t before,
                       unsigned from, unsigned to, std::uint64_t bytes, const Send& send) {
  unsigned limit = most;
  if (most == 0) {
    limit = static_cast<unsigned>(std::clamp<std::uint64_t>(bytes / kPartOfMany, 1, placed.planes));
  } else if (bytes >= kLargePut) {
    limit = placed.planes;
  }
  Placed::Ways ways;
  if (placed.ways && placed.planes > 1) ways = placed.ways(placed.chips[from], placed.chips[to]);
  const unsigned used = std::min(ways.used, placed.planes);
  if (used > 0) limit = std::min(limit, used);
  const auto parts = static_cast<unsigned>(std::clamp<std::uint64_t>(bytes / kLeastPart, 1, limit));
  for (unsigned part = 0; part < parts; ++part) {
    fabric::Transfer transfer;
    transfer.source = placed.chips[from];
    transfer.target = placed.chips[to];
    transfer.bytes = first_element(bytes, parts, part + 1) - first_element(bytes, parts, part);
    transfer.traffic_class = placed.traffic_class;
    unsigned lane = part;
    if (most > 0 && used > 1 && ways.all <= placed.planes) {
      // Over one tier of switches: one after the other, so that the links of a chip and those to it
      // are used evenly: a stream puts to ranks at distances of 1, 2, 3 ... from its own.
      lane = static_cast<unsigned>((std::uint64_t{part} * used / parts + before * parts + stream) %
                                   used);
      transfer.ways = used * ways.all / ways.used;
      transfer.way = lane;
    }
    transfer.stream = stream * placed.planes + lane;
    send(transfer);
  }
  return parts;
}

class Run {
 public:
  Run(const Schedule& schedule, const Placed& placed, const CoreTimes& times,
      fabric::Transport& transport)
      : schedule_(schedule),
        placed_(placed),
        times_(times),
        transport_(transport),
        first_(first_streams(schedule)),
        most_parts_(most_parts(schedule, placed)),
        state_(first_.back()),
        local_free_(schedule.streams.size()) {
    for (unsigned rank = 0; rank < schedule.streams.size(); ++rank) {
      for (unsigned stream = 0; stream < schedule.streams[rank].size(); ++stream) {
        State& state = state_[first_[rank] + stream];
        state.rank = rank;
        state.steps = &schedule.streams[rank][stream];
        steps_ += state.steps->size();
        ready_.push({times.wake, first_[rank] + stream});
      }
    }
  }

  RunResult run(const std::function<void(double)>& progress) {
    std::uint64_t events = 0;
    std::vector<fabric::Delivery> arrived;
    for (;;) {
      const Time network = under_way_ == 0 ? fabric::kNever : transport_.next_time();
      const Time own = ready_.empty() ? fabric::kNever : ready_.top().first;
      const Time local = local_.empty() ? fabric::kNever : local_.top().first;
      if (std::min({own, network, local}) == fabric::kNever) break;
      if (local <= std::min(own, network)) {
        const std::size_t tag = local_.top().second;
        local_.pop();
        arrive(tag, local);
      } else if (own <= network) {
        const unsigned number = ready_.top().second;
        ready_.pop();
        advance(number, own);
      } else {
        arrived.clear();
        transport_.advance(network, arrived);
        for (const fabric::Delivery& delivery : arrived) {
          --under_way_;
          if (delivery.lost) {
            ++result_.lost;
          } else {
            arrive(delivery.transfer.tag, delivery.arrived);
          }
        }
      }
      if (progress && ++events % 4096 == 0)
        progress(static_cast<double>(done_) / static_cast<double>(steps_));
    }
    if (done_ < steps_ && result_.lost == 0)
      throw std::logic_error("a verified schedule has stopped before its end");
    for (const State& state : state_) {
      // A stream without steps has not begun.
      result_.time = std::max(result_.time, state.ended);
    }
    result_.first = result_.time;
    for (unsigned rank = 0; rank < schedule_.streams.size(); ++rank) {
      Time last = 0;
      for (unsigned number = first_[rank]; number < first_[rank + 1]; ++number)
        last = std::max(last, state_[number].ended);
      result_.first = std::min(result_.first, last);
    }
    return result_;
  }

 private:
  struct State {
    const Stream* steps = nullptr;
    unsigned rank = 0;
    std::size_t next = 0;
    bool waits = false;
    std::uint64_t sent = 0;    // puts and signals to other chips
    std::uint64_t flying = 0;  // own transfers that have not come
    Time ended = 0;
  };
  struct Flow {
    std::vector<unsigned> left;  // parts of each put that have not come, in order
    std::uint64_t come = 0;      // puts, all before them included
    std::uint64_t consumed = 0;
    unsigned waiter = UINT32_MAX;  // the stream that waits, until `wanted` puts have come
    std::uint64_t wanted = 0;
  };

  Flow& flow_of(unsigned source, unsigned target_rank) {
    return flows_[std::uint64_t{source} << 32 | target_rank];
  }

  void advance(unsigned number, Time now) {
    State& state = state_[number];
    state.waits = false;
    while (state.next < state.steps->size()) {
      const Step& step = (*state.steps)[state.next];
      if (!may_start(number, step, now)) {
        state.waits = true;
        if (step.kind == Step::kAfter && end_of(state.rank, step) != fabric::kNever)
          wake(number, end_of(state.rank, step));
        return;
      }
      now += times_.step;
      if (step.kind == Step::kPut && step.rank == state.rank) {
        Time& free = local_free_[state.rank];
        now = free = std::max(free, now) + local_time(bytes_of(schedule_, placed_.bytes, step));
      }
      if (step.kind == Step::kSignal || (step.kind == Step::kPut && step.rank != state.rank))
        put(number, step, now);
      ++state.next;
      ++done_;
      state.ended = now;
      wake_siblings(number, state.next - 1, now);
      // Others may act before this stream's next step.
      if (state.next < state.steps->size()) {
        ready_.push({now, number});
        return;
      }
    }
  }

  bool may_start(unsigned number, const Step& step, Time now) {
    const State& state = state_[number];
    switch (step.kind) {
      case Step::kWait: {
        Flow& flow = flow_of(first_[step.rank] + step.stream, state.rank);
        if (flow.come < flow.consumed + step.count) {
          flow.waiter = number;
          flow.wanted = flow.consumed + step.count;
          return false;
        }
        flow.consumed += step.count;
        return true;
      }
      case Step::kFlush:
        return state.flying == 0;
      case Step::kAfter:
        return end_of(state.rank, step) <= now;
      case Step::kPut:
      case Step::kSignal:
        break;
    }
    return true;
  }

  // Of the step that `after` waits for; kNever: it has not begun.
  Time end_of(unsigned rank, const Step& after) const {
    const State& other = state_[first_[rank] + after.stream];
    if (other.next <= after.count) return fabric::kNever;
    return other.next == after.count + 1 ? other.ended : 0;
  }

  void put(unsigned number, const Step& step, Time now) {
    State& state = state_[number];
    const std::uint64_t bytes =
        step.kind == Step::kPut ? bytes_of(schedule_, placed_.bytes, step) : 0;
    Flow& flow = flow_of(number, step.rank);
    if (placed_.chips[state.rank] != placed_.chips[step.rank]) {
      ++result_.puts;
      result_.bytes += bytes;
    }
    const std::size_t put = flow.left.size();
    if (placed_.chips[state.rank] == placed_.chips[step.rank]) {
      // Between cores of a chip: one after the other, at the rate of a core.
      Time& free = local_free_[state.rank];
      free = std::max(free, now) + local_time(bytes);
      flow.left.push_back(1);
      local_.push({free, sent_.size()});
      sent_.push_back({number, step.rank, put});
      ++state.flying;
      return;
    }
    flow.left.push_back(for_each_part(placed_, most_parts_[number], number, state.sent++,
                                      state.rank, step.rank, bytes, [&](fabric::Transfer transfer) {
                                        transfer.tag = sent_.size();
                                        sent_.push_back({number, step.rank, put});
                                        ++state.flying;
                                        ++under_way_;
                                        transport_.send(transfer, now);
                                      }));
  }

  Time local_time(std::uint64_t bytes) const {
    return static_cast<Time>(std::llround(times_.local_byte * static_cast<double>(bytes)));
  }

  void arrive(std::size_t tag, Time now) {
    const Sent& sent = sent_[tag];
    State& source = state_[sent.stream];
    if (--source.flying == 0) {
      source.ended = std::max(source.ended, now);
      if (waits_in(sent.stream, Step::kFlush)) wake(sent.stream, now);
    }
    Flow& flow = flow_of(sent.stream, sent.rank);
    --flow.left[sent.put];
    while (flow.come < flow.left.size() && flow.left[flow.come] == 0) ++flow.come;
    if (flow.waiter != UINT32_MAX && flow.come >= flow.wanted)
      wake(std::exchange(flow.waiter, UINT32_MAX), now);
  }

  bool waits_in(unsigned number, Step::Kind kind) const {
    const State& state = state_[number];
    return state.waits && (*state.steps)[state.next].kind == kind;
  }

  // What it waits for has come: not before, since others may come meanwhile.
  void wake(unsigned number, Time now) {
    state_[number].waits = false;
    ready_.push({now + times_.wake, number});
  }
  void wake_siblings(unsigned number, std::size_t ended, Time now) {
    const unsigned rank = state_[number].rank;
    if (first_[rank + 1] - first_[rank] == 1) return;
    for (unsigned other = first_[rank]; other < first_[rank + 1]; ++other) {
      if (!waits_in(other, Step::kAfter)) continue;
      const Step& step = (*state_[other].steps)[state_[other].next];
      if (first_[rank] + step.stream == number && step.count == ended) wake(other, now);
    }
  }

  struct Sent {
    unsigned stream, rank;
    std::size_t put;  // of the flow
  };
  using Ready = std::pair<Time, unsigned>;

  const Schedule& schedule_;
  const Placed& placed_;
  const CoreTimes& times_;
  fabric::Transport& transport_;
  std::vector<unsigned> first_, most_parts_;
  std::vector<State> state_;
  std::unordered_map<std::uint64_t, Flow> flows_;
  std::vector<Sent> sent_;  // by tag
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready_;
  using Arrival = std::pair<Time, std::size_t>;  // by tag
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> local_;
  std::vector<Time> local_free_;  // [rank]: from when on its core moves further bytes on the chip
  std::uint64_t steps_ = 0, done_ = 0, under_way_ = 0;
  RunResult result_;
};

}  // namespace

CoreTimes core_times_of(const system::CollectivesConfig& config) {
  CoreTimes times;
  times.step = static_cast<Time>(std::llround(config.step_ns * kFsPerNs));
  times.wake = static_cast<Time>(std::llround(config.wake_ns * kFsPerNs));
  times.local_byte = kFsPerNs / config.local_gb_per_s;
  return times;
}

std::vector<fabric::Transfer> transfers_of(const Schedule& schedule, const Placed& placed) {
  const std::vector<unsigned> first = first_streams(schedule), most = most_parts(schedule, placed);
  std::vector<fabric::Transfer> transfers;
  for (unsigned rank = 0; rank < schedule.streams.size(); ++rank) {
    for (unsigned stream = 0; stream < schedule.streams[rank].size(); ++stream) {
      std::uint64_t before = 0;  // puts and signals
      for (const Step& step : schedule.streams[rank][stream]) {
        if (step.kind == Step::kSignal) ++before;
        if (step.kind != Step::kPut || placed.chips[step.rank] == placed.chips[rank]) continue;
        for_each_part(placed, most[first[rank] + stream], first[rank] + stream, before++, rank,
                      step.rank, bytes_of(schedule, placed.bytes, step),
                      [&](const fabric::Transfer& transfer) { transfers.push_back(transfer); });
      }
    }
  }
  return transfers;
}

double longest_run(const Schedule& schedule, const Placed& placed, const CoreTimes& times,
                   double gb_per_s) {
  double local = 0, sent = 0, steps = 0;
  for (unsigned rank = 0; rank < schedule.streams.size(); ++rank) {
    for (const Stream& stream : schedule.streams[rank]) {
      steps += static_cast<double>(stream.size());
      for (const Step& step : stream) {
        if (step.kind != Step::kPut) continue;
        const bool own = placed.chips[step.rank] == placed.chips[rank];
        (own ? local : sent) += static_cast<double>(bytes_of(schedule, placed.bytes, step));
      }
    }
  }
  return (local * times.local_byte + steps * static_cast<double>(times.step + times.wake)) * 1e-15 +
         sent * 1e-9 / gb_per_s;
}

RunResult run_schedule(const Schedule& schedule, const Placed& placed, const CoreTimes& times,
                       fabric::Transport& transport, const std::function<void(double)>& progress) {
  return Run(schedule, placed, times, transport).run(progress);
}

}  // namespace tern::collectives
