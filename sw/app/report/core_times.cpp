// SPDX-License-Identifier: Apache-2.0
#include "sw/app/report/core_times.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

namespace tern::app {
namespace {

// Of {"key":12,...}; -1: not there.
long number_of(std::string_view args, std::string_view key) {
  const std::size_t at = args.find(key);
  if (at == std::string_view::npos) return -1;
  return std::strtol(std::string(args.substr(at + key.size(), 12)).c_str(), nullptr, 10);
}

using Interval = std::pair<std::uint64_t, std::uint64_t>;

std::uint64_t covered(std::vector<Interval> all, std::uint64_t begin, std::uint64_t end) {
  std::sort(all.begin(), all.end());
  std::uint64_t sum = 0, done = begin;
  for (const auto& [from, to] : all) {
    const std::uint64_t a = std::max(from, done), b = std::min(to, end);
    if (a >= b) continue;
    sum += b - a;
    done = b;
  }
  return sum;
}

}  // namespace

void CoreLog::track(trace::TrackId id, const std::string& process, const std::string& thread) {
  if (tracks_.size() <= id) tracks_.resize(id + 1);
  if (process.rfind("core", 0) != 0) return;
  Track& track = tracks_[id];
  track.core = static_cast<unsigned>(std::strtoul(process.c_str() + 4, nullptr, 10));
  const auto engine = std::find(kQueueNames, kQueueNames + kEngines, thread);
  if (engine != kQueueNames + kEngines) {
    track.kind = Track::kEngine;
    track.engine = static_cast<unsigned>(engine - kQueueNames);
  } else if (thread == "sync") {
    track.kind = Track::kSync;
  } else if (thread.rfind("dma", 0) == 0) {
    track.kind = Track::kDma;
  }
}

void CoreLog::span(const trace::Span& span) {
  const Track& track = tracks_.at(span.track);
  if (track.kind == Track::kOther || track.core >= cores_.size()) return;
  if (track.kind == Track::kDma) {
    if (number_of(span.args, "\"class\":") != 0) return;
    urgent_rings_.insert(static_cast<unsigned>(number_of(span.name, "ring ")));
    urgent_end_ = std::max(urgent_end_, span.end_fs);
    return;
  }
  begin_ = std::min(begin_, span.begin_fs);
  end_ = std::max(end_, span.end_fs);
  Core& core = cores_[track.core];
  const bool triggers = span.name == "dma_trigger";
  if (track.kind == Track::kSync && triggers)
    core.triggers.emplace_back(number_of(span.args, "\"ring\":"), span.end_fs);
  if (track.kind == Track::kEngine && !triggers && span.name != "nop" && span.name != "halt")
    core.busy[track.engine].emplace_back(span.begin_fs, span.end_fs);
}

CoreTimes CoreLog::times() const {
  CoreTimes times;
  if (begin_ >= end_) return times;
  const auto microseconds = [&](double fs) {
    return fs * 1e-9 / static_cast<double>(cores_.size());
  };
  double computing = 0, reduction = 0;
  std::array<double, kEngines> busy{};
  for (const Core& core : cores_) {
    std::vector<Interval> all;
    for (unsigned e = 0; e < kEngines; ++e) {
      all.insert(all.end(), core.busy[e].begin(), core.busy[e].end());
      busy[e] += static_cast<double>(covered(core.busy[e], begin_, end_));
    }
    computing += static_cast<double>(covered(all, begin_, end_));
    // From the last flag that this core raises: its last gradients are complete.
    std::uint64_t from = 0;
    for (const auto& [ring, when] : core.triggers) {
      if (urgent_rings_.count(ring) != 0) from = std::max(from, when);
    }
    if (from == 0 || from >= urgent_end_) continue;
    reduction += static_cast<double>(urgent_end_ - from - covered(all, from, urgent_end_));
  }
  times.us = static_cast<double>(end_ - begin_) * 1e-9;
  times.computing_us = microseconds(computing);
  times.reduction_us = microseconds(reduction);
  const auto most = std::max_element(busy.begin(), busy.end());
  times.busiest = kQueueNames[most - busy.begin()];
  times.busiest_us = microseconds(*most);
  return times;
}

void CoreLog::begin(unsigned cores) {
  cores_.assign(cores, {});
  begin_ = UINT64_MAX;
  end_ = 0;
  urgent_rings_.clear();
  urgent_end_ = 0;
}

}  // namespace tern::app
