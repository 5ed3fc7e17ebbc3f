// SPDX-License-Identifier: Apache-2.0
#include "systemc/trace/perfetto_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace tern::trace {

namespace {
constexpr std::size_t kBufferBytes = 1 << 16;
constexpr std::uint64_t kFsPerNs = 1'000'000, kNsPerUs = 1000;
constexpr unsigned kMaxSortedLanes = 64;
constexpr unsigned kMaxTracks = 1u << 20;

unsigned thread_number(TrackId track, unsigned lane) {
  return lane * kMaxTracks + track + 1;
}
}  // namespace

PerfettoSink::PerfettoSink(const std::string& path) : file_(path) {
  buffer_ = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
}

void PerfettoSink::track(TrackId id, const std::string& process, const std::string& thread) {
  const auto [found, fresh] = processes_.try_emplace(process);
  Process& owner = found->second;
  if (fresh) {
    owner.id = static_cast<unsigned>(processes_.size());
    owner.name = process;
  }
  if (places_.size() <= id) places_.resize(id + 1);
  places_[id].process = &owner;
  places_[id].name = thread;
  owner.threads.push_back(id);
}

PerfettoSink::Place& PerfettoSink::place_of(TrackId track) {
  Place& place = places_.at(track);
  Process& process = *place.process;
  if (!process.named) append_name("process_name", process.id, 0, process.name);
  process.named = true;
  for (const TrackId id : process.threads) name_thread(id, places_[id], 0);
  process.threads.clear();
  return place;
}

unsigned PerfettoSink::thread_of(TrackId track, Place& place, unsigned lane) {
  for (; place.named_lanes <= lane; ++place.named_lanes)
    name_thread(track, place, place.named_lanes);
  return thread_number(track, lane);
}

void PerfettoSink::name_thread(TrackId track, const Place& place, unsigned lane) {
  const unsigned thread = thread_number(track, lane);
  append_name("thread_name", place.process->id, thread,
              lane == 0 ? place.name : fmt::format("{} ({})", place.name, lane + 1));
  // Lanes of a track stay together, in the order of the tracks.
  begin_event();
  fmt::format_to(
      std::back_inserter(buffer_),
      R"("name":"thread_sort_index","ph":"M","pid":{},"tid":{},"args":{{"sort_index":{}}}}})",
      place.process->id, thread, track * kMaxSortedLanes + std::min(lane, kMaxSortedLanes - 1));
}

void PerfettoSink::append_name(const char* kind, unsigned process, unsigned thread,
                               std::string_view name) {
  begin_event();
  fmt::format_to(std::back_inserter(buffer_),
                 R"("name":"{}","ph":"M","pid":{},"tid":{},"args":{{"name":)", kind, process,
                 thread);
  append_string(name);
  buffer_ += "}}";
}

void PerfettoSink::span(const Span& span) {
  Place& place = place_of(span.track);
  const std::uint64_t begin = span.begin_fs / kFsPerNs, end = span.end_fs / kFsPerNs;
  const unsigned thread = thread_of(span.track, place, place.lanes.place(begin, end));
  begin_event();
  ++events_;
  buffer_ += "\"name\":";
  append_string(span.name);
  fmt::format_to(std::back_inserter(buffer_), R"(,"ph":"X","pid":{},"tid":{},"ts":)",
                 place.process->id, thread);
  append_time(begin);
  buffer_ += ",\"dur\":";
  append_time(end - begin);
  if (!span.args.empty()) {
    buffer_ += ",\"args\":";
    buffer_ += span.args;
  }
  buffer_ += '}';
  flush_if_full();
}

void PerfettoSink::counter(TrackId track, std::string_view name, std::uint64_t time_fs,
                           double value) {
  if (!std::isfinite(value)) return;  // JSON has no representation for it
  const Place& place = place_of(track);
  begin_event();
  ++events_;
  // Counters of a process are distinguished by their names alone.
  buffer_ += "\"name\":";
  append_string(fmt::format("{}: {}", place.name, name));
  fmt::format_to(std::back_inserter(buffer_), R"(,"ph":"C","pid":{},"tid":{},"ts":)",
                 place.process->id, thread_number(track, 0));
  append_time(time_fs / kFsPerNs);
  fmt::format_to(std::back_inserter(buffer_), R"(,"args":{{"value":{}}}}})", value);
  flush_if_full();
}

void PerfettoSink::close() {
  if (closed_) return;
  buffer_ += "\n]}\n";
  write_buffer();
  file_.commit();
  closed_ = true;
}

void PerfettoSink::begin_event() {
  buffer_ += first_ ? "\n{" : ",\n{";
  first_ = false;
}

void PerfettoSink::flush_if_full() {
  if (buffer_.size() >= kBufferBytes) write_buffer();
}

void PerfettoSink::write_buffer() {
  file_.stream().write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  buffer_.clear();
}

void PerfettoSink::append_string(std::string_view text) {
  buffer_ += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      buffer_ += '\\';
      buffer_ += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(buffer_), "\\u{:04x}", static_cast<unsigned>(c));
    } else {
      buffer_ += c;
    }
  }
  buffer_ += '"';
}

// In microseconds.
void PerfettoSink::append_time(std::uint64_t ns) {
  fmt::format_to(std::back_inserter(buffer_), "{}.{:03}", ns / kNsPerUs, ns % kNsPerUs);
}

}  // namespace tern::trace
