// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/builder/cores/collective_plan.h"

#include <algorithm>
#include <numeric>

#include "sw/collectives/walk.h"
#include "sw/spec/queues.h"

namespace tern::kernels {

namespace {

using collectives::Step;

class Order : public collectives::Visitor {
 public:
  Order(unsigned rank, std::vector<RankSteps::Taken>* order) : rank_(rank), order_(*order) {}
  void put(const At&, const Step&) override {}
  void ended(const At& at) override {
    if (at.rank == rank_) order_.push_back({at.stream, at.step});
  }

 private:
  unsigned rank_;
  std::vector<RankSteps::Taken>& order_;
};

// Streams that wait for each other's steps are on one core, the others in turn.
std::vector<unsigned> cores_of(const std::vector<collectives::Stream>& streams) {
  std::vector<unsigned> first(streams.size());
  std::iota(first.begin(), first.end(), 0);
  for (unsigned stream = 0; stream < streams.size(); ++stream) {
    for (const Step& step : streams[stream]) {
      if (step.kind != Step::kAfter) continue;
      const unsigned a = first[stream], b = first[step.stream];
      std::replace(first.begin(), first.end(), std::max(a, b), std::min(a, b));
    }
  }
  std::vector<unsigned> cores(streams.size());
  unsigned next = 0;
  for (unsigned stream = 0; stream < streams.size(); ++stream)
    cores[stream] = first[stream] == stream ? next++ % kCollectiveCores : cores[first[stream]];
  return cores;
}

}  // namespace

RankSteps::RankSteps(const collectives::Schedule& schedule, unsigned rank)
    : core_of_stream(cores_of(schedule.streams.at(rank))) {
  Order visitor(rank, &order);
  collectives::walk(schedule, &visitor);
}

std::vector<Flow> flows_of(const collectives::Schedule& schedule) {
  std::map<std::tuple<unsigned, unsigned, unsigned>, Flow> flows;
  for (unsigned rank = 0; rank < schedule.streams.size(); ++rank) {
    for (unsigned stream = 0; stream < schedule.streams[rank].size(); ++stream) {
      for (const Step& step : schedule.streams[rank][stream]) {
        const bool leaves = step.kind == Step::kPut && step.rank != rank;
        if (!leaves && step.kind != Step::kSignal) continue;
        Flow& flow = flows[{step.rank, rank, stream}];
        flow.source = rank;
        flow.stream = stream;
        flow.target = step.rank;
        flow.puts.push_back(&step);
      }
    }
  }
  std::vector<Flow> all;
  all.reserve(flows.size());
  for (auto& flow : flows) all.push_back(std::move(flow.second));
  return all;
}

unsigned CollectiveFlags::number(unsigned at, unsigned source, unsigned stream, unsigned slot) {
  return numbers_.at({at, source, stream, slot});
}

unsigned CollectiveFlags::reserve(const std::vector<Flow>& flows,
                                  const std::vector<std::vector<unsigned>>& groups,
                                  unsigned first) {
  std::map<unsigned, unsigned> next;  // of a part
  unsigned end = first;
  const auto take = [&](const Key& key) {
    unsigned& number = next.emplace(std::get<0>(key), first).first->second;
    if (numbers_.emplace(key, number).second) end = std::max(end, ++number);
  };
  for (const std::vector<unsigned>& parts : groups) {
    for (const Flow& flow : flows) {
      const unsigned at = parts.at(flow.target), source = parts.at(flow.source);
      for (unsigned slot = 0; slot < std::min<std::size_t>(kSlots, flow.puts.size()); ++slot)
        take({at, source, flow.stream, slot});
      take({source, at, kReady, 0});
    }
  }
  return end;
}

}  // namespace tern::kernels
