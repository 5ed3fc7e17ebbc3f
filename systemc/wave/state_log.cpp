// SPDX-License-Identifier: Apache-2.0
#include "systemc/wave/state_log.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <string>

#include "sw/spec/queues.h"

namespace tern::wave {

namespace {

constexpr std::uint64_t kFsPerPs = 1000;

// A name of one level: without spaces and dots, which a viewer takes for something else.
std::string level_name(std::string_view name) {
  std::string text(name);
  for (char& c : text) {
    const bool fine = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    if (!fine) c = '_';
  }
  return text;
}

bool is_core(const std::string& process) {
  return process.size() > 4 && process.compare(0, 4, "core") == 0 &&
         std::all_of(process.begin() + 4, process.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

bool is_queue(const std::string& thread) {
  return std::any_of(std::begin(kQueueNames), std::end(kQueueNames),
                     [&](const char* name) { return thread == name; });
}

std::string path_of(const std::string& process, const std::string& thread) {
  const std::string name = level_name(thread);
  if (!is_core(process)) return level_name(process) + "." + name;
  if (is_queue(thread)) return process + ".queues." + name;
  const bool dma = name.compare(0, 3, "dma") == 0;
  return process + (dma ? ".dma_packets." : ".") + name;
}

// The value of a member of a span's arguments, a JSON object, without its quotes; or empty.
std::string_view member(std::string_view args, std::string_view name) {
  const std::string key = "\"" + std::string(name) + "\":";
  std::size_t at = args.find(key);
  if (at == std::string_view::npos) return {};
  at += key.size();
  if (at < args.size() && args[at] == '"') {
    const std::size_t end = args.find('"', at + 1);
    return args.substr(at + 1, end == std::string_view::npos ? end : end - at - 1);
  }
  return args.substr(at, args.find_first_of(",}", at) - at);
}

// "nc_matmul #37"; "ring 2, bytes 4096, descriptors 8, class 3"
std::string text_of(const trace::Span& span) {
  std::string text(span.name);
  if (const std::string_view index = member(span.args, "index"); !index.empty())
    return text + " #" + std::string(index);
  bool quoted = false;
  std::string rest;
  for (const char c : span.args) {
    if (c == '"') {
      quoted = !quoted;
    } else if (quoted || (c != '{' && c != '}')) {
      rest += !quoted && c == ':' ? " " : !quoted && c == ',' ? ", " : std::string(1, c);
    }
  }
  return rest.empty() ? text : text + ", " + rest;
}

}  // namespace

bool in_scope(const std::string& path, const std::string& scope) {
  const std::size_t common = std::min(path.size(), scope.size());
  if (path.compare(0, common, scope, 0, common) != 0) return false;
  const std::string& longer = path.size() > scope.size() ? path : scope;
  return common == 0 || longer.size() == common || longer[common] == '.';
}

void StateLog::track(trace::TrackId id, const std::string& process, const std::string& thread) {
  if (tracks_.size() <= id) tracks_.resize(id + 1);
  tracks_[id].path = path_of(process, thread);
}

bool StateLog::has_track_in_scope() const {
  return std::any_of(tracks_.begin(), tracks_.end(),
                     [this](const Track& track) { return in_scope(track.path, limits_.scope); });
}

std::uint32_t StateLog::add_signal(const std::string& path, Kind kind) {
  const auto [found, fresh] =
      by_path_.try_emplace(path, static_cast<std::uint32_t>(signals_.size()));
  if (fresh) signals_.push_back({path, kind, kind == Kind::kText ? number_of("") : 0});
  return found->second;
}

std::uint32_t StateLog::signal_of(Track& track, std::string_view name, Kind kind) {
  const auto found = track.signals.find(name);
  if (found != track.signals.end()) return found->second;
  const std::string path = track.path + "." + level_name(name);
  const std::uint32_t signal = in_scope(path, limits_.scope) ? add_signal(path, kind) : kNone;
  track.signals.emplace(name, signal);
  return signal;
}

std::uint64_t StateLog::number_of(std::string_view text) {
  const auto [found, fresh] = text_numbers_.try_emplace(std::string(text), texts_.size());
  if (fresh) texts_.push_back(&found->first);
  return found->second;
}

void StateLog::change(std::uint64_t time_fs, std::uint32_t signal, std::uint64_t value) {
  const std::uint64_t ps = time_fs / kFsPerPs;
  const Place place = limits_.place(ps);
  if (place == Place::kBefore) signals_[signal].before = value;
  if (place != Place::kRecorded) return;
  changes_.push_back({ps, signal, value});
  newest_ps_ = std::max(newest_ps_, ps);
  if (limits_.keeps_ps > 0 && newest_ps_ > 2 * limits_.keeps_ps)
    forget_before(newest_ps_ - 2 * limits_.keeps_ps);
}

// Changes come nearly in order: what stands in front for a while longer does no harm.
void StateLog::forget_before(std::uint64_t ps) {
  while (!changes_.empty() && changes_.front().ps < ps) {
    signals_[changes_.front().signal].before = changes_.front().value;
    changes_.pop_front();
  }
}

// Spans come in the order of their ends, and some late.
StateLog::Lane& StateLog::lane_of(Track& track, const trace::Span& span, bool queue) {
  constexpr std::size_t kRecent = 64;
  const std::uint64_t begin = span.begin_fs, end = std::max(span.end_fs, begin + 1);
  const auto fits = [&](const Lane& lane) {
    return begin >= lane.forgotten &&
           std::none_of(lane.recent.begin(), lane.recent.end(), [&](const auto& other) {
             return begin < other.second && other.first < end;
           });
  };
  auto lane = std::find_if(track.lanes.begin(), track.lanes.end(), fits);
  if (lane == track.lanes.end()) {
    std::string path = queue ? track.path + ".executes" : track.path;
    if (!track.lanes.empty()) path += "_" + std::to_string(track.lanes.size() + 1);
    lane = track.lanes.insert(track.lanes.end(), Lane());
    if (in_scope(path, limits_.scope)) lane->signal = add_signal(path, Kind::kText);
  }
  lane->recent.emplace_back(begin, end);
  if (lane->recent.size() > kRecent) {
    lane->forgotten = std::max(lane->forgotten, lane->recent.front().second);
    lane->recent.pop_front();
  }
  return *lane;
}

void StateLog::span(const trace::Span& span) {
  Track& track = tracks_.at(span.track);
  const bool queue = !member(span.args, "index").empty();
  const std::uint32_t signal = lane_of(track, span, queue).signal;
  const std::string source = track.path + ".source";
  if (queue && track.source_signal == kNone && in_scope(source, limits_.scope))
    track.source_signal = add_signal(source, Kind::kText);
  // A span without duration would show nothing.
  const std::uint64_t end = std::max(span.end_fs, span.begin_fs + kFsPerPs);
  const auto show = [&](std::uint32_t of, std::string_view text) {
    if (of == kNone || text.empty()) return;
    change(span.begin_fs, of, number_of(text));
    change(end, of, number_of(""));
  };
  show(signal, text_of(span));
  if (queue) show(track.source_signal, member(span.args, "source"));
}

void StateLog::counter(trace::TrackId track, std::string_view name, std::uint64_t time_fs,
                       double value) {
  const std::uint32_t signal = signal_of(tracks_.at(track), name, Kind::kReal);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  if (signal != kNone) change(time_fs, signal, bits);
}

void StateLog::report(const Track& track, std::string_view name, std::string_view value,
                      std::uint64_t time_fs) const {
  if (on_state_) on_state_(track.path + "." + std::string(name), value, time_fs / kFsPerPs);
}

void StateLog::state(trace::TrackId id, std::string_view name, std::uint64_t time_fs,
                     std::uint64_t value) {
  Track& track = tracks_.at(id);
  report(track, name, std::to_string(value), time_fs);
  const std::uint32_t signal = signal_of(track, name, Kind::kNumber);
  if (signal != kNone) change(time_fs, signal, value);
}

void StateLog::state(trace::TrackId id, std::string_view name, std::uint64_t time_fs,
                     std::string_view value) {
  Track& track = tracks_.at(id);
  report(track, name, value, time_fs);
  const std::uint32_t signal = signal_of(track, name, Kind::kText);
  if (signal != kNone) change(time_fs, signal, number_of(value));
}

}  // namespace tern::wave
