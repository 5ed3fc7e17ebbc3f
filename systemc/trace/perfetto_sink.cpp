// SPDX-License-Identifier: Apache-2.0
#include "systemc/trace/perfetto_sink.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace tern::trace {

namespace {
constexpr std::size_t kBufferBytes = 1 << 16;
constexpr std::uint64_t kFsPerUs = 1'000'000'000;
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
  places_[id] = {&owner, id + 1};
  owner.threads.emplace_back(id + 1, thread);
}

const PerfettoSink::Place& PerfettoSink::place_of(TrackId track) {
  const Place& place = places_.at(track);
  Process& process = *place.process;
  if (!process.named) append_name("process_name", process.id, 0, process.name);
  process.named = true;
  for (const auto& [thread, name] : process.threads)
    append_name("thread_name", process.id, thread, name);
  process.threads.clear();
  return place;
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
  const Place& place = place_of(span.track);
  begin_event();
  ++events_;
  buffer_ += "\"name\":";
  append_string(span.name);
  fmt::format_to(std::back_inserter(buffer_), R"(,"ph":"X","pid":{},"tid":{},"ts":)",
                 place.process->id, place.thread);
  append_time(span.begin_fs);
  buffer_ += ",\"dur\":";
  append_time(span.end_fs - span.begin_fs);
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
  buffer_ += "\"name\":";
  append_string(name);
  fmt::format_to(std::back_inserter(buffer_), R"(,"ph":"C","pid":{},"tid":{},"ts":)",
                 place.process->id, place.thread);
  append_time(time_fs);
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

// Microseconds with all nine digits that femtoseconds need.
void PerfettoSink::append_time(std::uint64_t fs) {
  fmt::format_to(std::back_inserter(buffer_), "{}.{:09}", fs / kFsPerUs, fs % kFsPerUs);
}

}  // namespace tern::trace
