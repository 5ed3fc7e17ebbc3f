// SPDX-License-Identifier: Apache-2.0
#include "sw/app/report/bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "sw/config/dma_rates.h"
#include "sw/runtime/executable.h"
#include "sw/spec/generated/dma.h"
#include "systemc/trace/load_interval.h"

namespace tern::app {
namespace {

// {"bytes":4096,...}
double bytes_of(std::string_view args) {
  constexpr std::string_view kKey = "\"bytes\":";
  const std::size_t at = args.find(kKey);
  if (at == std::string_view::npos) return 0;
  return std::strtod(std::string(args.substr(at + kKey.size(), 20)).c_str(), nullptr);
}

double part_inside(std::uint64_t begin, std::uint64_t end, std::uint64_t from, std::uint64_t to) {
  const std::uint64_t a = std::max(begin, from), b = std::min(end, to);
  return a < b && end > begin ? static_cast<double>(b - a) / static_cast<double>(end - begin) : 0;
}

}  // namespace

BoundLog::BoundLog(const ChipConfig& chip, unsigned core)
    : core_(fmt::format("core{}", core)),
      dma_gb_per_s_(practical_gb_per_s(chip)),
      stack_(core / std::max(1u, chip.cores / std::max(1u, chip.hbm.stacks))) {}

void BoundLog::track(trace::TrackId id, const std::string& process, const std::string& thread) {
  if (tracks_.size() <= id) tracks_.resize(id + 1);
  if (process == core_) {
    const auto engine = std::find(kQueueNames, kQueueNames + kEngines, thread);
    if (engine != kQueueNames + kEngines) {
      tracks_[id] = {Kind::kEngine, static_cast<unsigned>(engine - kQueueNames)};
    } else if (thread.rfind("dma", 0) == 0) {
      tracks_[id] = {Kind::kDma, 0};
    }
    return;
  }
  if (process != "noc") return;
  std::string name;
  if (thread == core_) name = "network port of the core";
  if (thread == fmt::format("hbm{} read", stack_)) name = "HBM stack, reads";
  if (thread == fmt::format("hbm{} write", stack_)) name = "HBM stack, writes";
  if (name.empty()) return;
  tracks_[id] = {Kind::kLoad, static_cast<unsigned>(loads_.size())};
  loads_.push_back({name, {}});
}

void BoundLog::span(const trace::Span& span) {
  const Track& track = tracks_.at(span.track);
  if (track.kind == Kind::kDma)
    packets_.push_back({span.begin_fs, span.end_fs, bytes_of(span.args)});
  if (track.kind != Kind::kEngine) return;
  // In order, and rarely overlapping.
  const auto add = [&span](Intervals* lane) {
    if (!lane->empty() && span.begin_fs <= lane->back().second) {
      lane->back().second = std::max(lane->back().second, span.end_fs);
    } else {
      lane->emplace_back(span.begin_fs, span.end_fs);
    }
  };
  add(&busy_[track.index]);
  if (span.name != "dma_trigger" && span.name != "nop" && span.name != "halt")
    add(&engines_[track.index]);
}

void BoundLog::counter(trace::TrackId track, std::string_view name, std::uint64_t time_fs,
                       double value) {
  const Track& place = tracks_.at(track);
  if (place.kind == Kind::kLoad && name == "busy")
    loads_[place.index].busy.emplace_back(time_fs, value);
}

double BoundLog::covered(const Intervals& intervals, std::uint64_t begin, std::uint64_t end) {
  double fs = 0;
  for (const auto& [from, to] : intervals) {
    const std::uint64_t a = std::max(from, begin), b = std::min(to, end);
    if (a < b) fs += static_cast<double>(b - a);
  }
  return fs / static_cast<double>(end - begin);
}

PhaseBound BoundLog::phase(const std::string& name, std::uint64_t begin, std::uint64_t end) const {
  PhaseBound phase;
  phase.name = name;
  const auto length = static_cast<double>(end - begin);
  phase.us = length * 1e-9;
  const auto add = [&](const std::string& resource, double share) {
    if (share > 0.0005) phase.uses.push_back({resource, share});
  };
  Intervals computing, moving;
  const auto keep = [&](Intervals* all, std::uint64_t from, std::uint64_t to) {
    const std::uint64_t a = std::max(from, begin), b = std::min(to, end);
    if (a < b) all->emplace_back(a, b);
  };
  for (unsigned e = 0; e < kEngines; ++e) {
    add(kQueueNames[e], covered(busy_[e], begin, end));
    for (const auto& [from, to] : engines_[e]) keep(&computing, from, to);
  }
  double bytes = 0;
  for (const Packet& packet : packets_) {
    bytes += packet.bytes * part_inside(packet.begin, packet.end, begin, end);
    keep(&moving, packet.begin, packet.end);
  }
  add("DMA engines", bytes / (length * 1e-6 * dma_gb_per_s_));
  for (const Load& load : loads_) {
    double busy = 0;
    for (const auto& [from, share] : load.busy)
      busy += share * trace::kLoadIntervalFs *
              part_inside(from, from + trace::kLoadIntervalFs, begin, end);
    add(load.name, busy / length);
  }
  std::sort(phase.uses.begin(), phase.uses.end(),
            [](const ResourceUse& a, const ResourceUse& b) { return a.share > b.share; });

  // Time covered by either list.
  const auto merged = [](Intervals all) {
    std::sort(all.begin(), all.end());
    Intervals apart;
    for (const Interval& i : all) {
      if (!apart.empty() && i.first <= apart.back().second) {
        apart.back().second = std::max(apart.back().second, i.second);
      } else {
        apart.push_back(i);
      }
    }
    return apart;
  };
  const double working = covered(merged(computing), begin, end);
  computing.insert(computing.end(), moving.begin(), moving.end());
  const double either = covered(merged(computing), begin, end);
  phase.only_transfers = either - working;
  phase.nothing = 1 - either;

  if (!phase.uses.empty() && phase.uses.front().share >= kBoundShare) {
    phase.bound = phase.uses.front().name;
  } else if (phase.nothing >= 0.5) {
    phase.bound = "latency: transfers that start, semaphores";
  } else if (phase.only_transfers >= 0.5) {
    phase.bound = "latency: data on the way";
  } else {
    phase.bound = "latency: engines wait for one another";
  }
  return phase;
}

std::vector<PhaseBound> BoundLog::phases(std::uint64_t begin_fs, std::uint64_t end_fs) const {
  std::uint64_t first = end_fs, last = begin_fs;
  for (const Intervals& lane : engines_) {
    for (const auto& [from, to] : lane) {
      if (to <= begin_fs || from >= end_fs) continue;
      first = std::min(first, std::max(from, begin_fs));
      last = std::max(last, std::min(to, end_fs));
    }
  }
  std::vector<PhaseBound> phases;
  if (first >= last) {
    if (begin_fs < end_fs) phases.push_back(phase("transfers", begin_fs, end_fs));
    return phases;
  }
  if (begin_fs < first) phases.push_back(phase("fill", begin_fs, first));
  phases.push_back(phase("work", first, last));
  if (last < end_fs) phases.push_back(phase("drain", last, end_fs));
  return phases;
}

std::string share_name(const std::string& resource) {
  if (std::find(kQueueNames, kQueueNames + kComputeQueues, resource) !=
      kQueueNames + kComputeQueues)
    return resource + " busy";
  return resource + (resource == "DMA engines" ? ", of their rate" : ", of its rate");
}

std::string bound_text(const PhaseBound& phase) {
  static constexpr const char* kShort[][2] = {
      {"network port of the core", "network port"},
      {"HBM stack, reads", "HBM reads"},
      {"HBM stack, writes", "HBM writes"},
      {"latency: transfers that start, semaphores", "latency: starts, semaphores"},
      {"latency: data on the way", "latency: data in flight"}};
  const auto shortened = [](const std::string& text) -> std::string {
    for (const auto& pair : kShort) {
      if (text == pair[0]) return pair[1];
    }
    return text;
  };
  std::string text = fmt::format("{} {:.2f} us: ", phase.name, phase.us);
  if (phase.uses.empty()) return text + shortened(phase.bound);
  const ResourceUse& most = phase.uses.front();
  const bool engine = share_name(most.name) == most.name + " busy";
  const std::string share =
      fmt::format("{} {} {:.0f} %", shortened(most.name), engine ? "busy" : "at", most.share * 100);
  return text + (most.share >= kBoundShare ? share : shortened(phase.bound) + "; " + share);
}

}  // namespace tern::app
