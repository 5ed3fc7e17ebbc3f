// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/run/line_track.h"

#include <fstream>

#include "sw/nki/run/span_source.h"

namespace tern::nki {

namespace {

constexpr const char* kQueues[] = {"tensor", "vector", "scalar", "gpsimd", "sync"};

std::vector<std::string> lines_of(const std::string& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace

LineTrack::LineTrack(std::shared_ptr<trace::Sink> next, trace::Bus& bus, std::string core,
                     const std::string& kernel)
    : next_(std::move(next)), core_(std::move(core)) {
  for (const char* queue : kQueues) lines_[queue] = bus.add_track(kernel, queue);
}

void LineTrack::track(trace::TrackId id, const std::string& process, const std::string& thread) {
  const auto line = lines_.find(thread);
  if (process == core_ && line != lines_.end()) line_of_[id] = line->second;
  next_->track(id, process, thread);
}

// "softmax.py:12: nisa.activation(dst=t, ...)" of "/some/folder/softmax.py:12: activation".
const std::string& LineTrack::label(const std::string& source) {
  const SourcePlace place = place_of(source);
  std::string& label = labels_[place.file + ":" + std::to_string(place.line)];
  if (!label.empty()) return label;
  constexpr std::size_t kMostColumns = 90;
  auto found = sources_.find(place.file);
  if (found == sources_.end()) found = sources_.emplace(place.file, lines_of(place.file)).first;
  const std::vector<std::string>& lines = found->second;
  label = place.file.substr(place.file.find_last_of('/') + 1) + ":" + std::to_string(place.line);
  if (place.line >= 1 && place.line <= lines.size()) {
    const std::string& line = lines[place.line - 1];
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin != std::string::npos) label += ": " + line.substr(begin, kMostColumns);
  }
  return label;
}

void LineTrack::span(const trace::Span& span) {
  next_->span(span);
  const auto line = line_of_.find(span.track);
  if (line == line_of_.end() || span.name == "halt" || span.name == "nop") return;
  const std::string source = span_source(span);
  if (!source.empty()) {
    next_->span({line->second, label(source), span.begin_fs, span.end_fs, {}});
  }
}

}  // namespace tern::nki
