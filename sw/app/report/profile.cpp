// SPDX-License-Identifier: Apache-2.0
#include "sw/app/report/profile.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "sw/spec/queues.h"

namespace tern::app {
namespace {

// {...,"source":"mlp.cpp:42: nc_matmul, layer 1"}: the last key of an instruction's arguments.
std::string_view source_of(std::string_view args) {
  constexpr std::string_view kKey = ",\"source\":\"";
  const std::size_t at = args.find(kKey);
  if (at == std::string_view::npos || args.size() < at + kKey.size() + 2) return {};
  return args.substr(at + kKey.size(), args.size() - at - kKey.size() - 2);
}

// The text inside a JSON string.
std::string unescaped(const std::string& text) {
  if (text.find('\\') == std::string::npos) return text;
  const auto json = nlohmann::json::parse('"' + text + '"', nullptr, false);
  return json.is_string() ? json.get<std::string>() : text;
}

// "file:line: function, part" in two, also with colons in file names and commas in parts.
void split(const std::string& origin, std::string* source, std::string* part) {
  const std::size_t function = origin.find(": ");
  const std::size_t comma =
      function == std::string::npos ? std::string::npos : origin.find(", ", function);
  *source = origin.substr(0, comma);
  *part = comma == std::string::npos ? "" : origin.substr(comma + 2);
}

double microseconds(std::uint64_t fs) {
  return static_cast<double>(fs) * 1e-9;
}

}  // namespace

std::string ProfilePart::busiest() const {
  const auto most =
      std::max_element(busy_us.begin(), busy_us.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == busy_us.end() || most->second <= 0 ? "-" : most->first;
}

void ProfileLog::track(trace::TrackId id, const std::string& process, const std::string& thread) {
  if (engines_.size() <= id) engines_.resize(id + 1);
  if (process == process_ &&
      std::find(std::begin(kQueueNames), std::end(kQueueNames), thread) != std::end(kQueueNames)) {
    engines_[id] = thread;
  }
}

void ProfileLog::span(const trace::Span& span) {
  const std::string& engine = engines_.at(span.track);
  if (engine.empty() || stopped_) return;
  const std::string_view source = source_of(span.args);
  if (source.empty()) return;
  auto& by_source = sums_[engine];
  auto found = by_source.find(source);
  if (found == by_source.end()) found = by_source.emplace(std::string(source), Sum()).first;
  Sum& sum = found->second;
  ++sum.instructions;
  sum.busy_fs += span.end_fs - span.begin_fs;
  sum.begin_fs = std::min(sum.begin_fs, span.begin_fs);
  sum.end_fs = std::max(sum.end_fs, span.end_fs);
}

std::vector<ProfileLine> ProfileLog::lines() const {
  std::vector<ProfileLine> lines;
  for (const auto& [engine, by_source] : sums_) {
    for (const auto& [origin, sum] : by_source) {
      ProfileLine line;
      split(unescaped(origin), &line.source, &line.part);
      line.engine = engine;
      line.instructions = sum.instructions;
      line.busy_us = microseconds(sum.busy_fs);
      lines.push_back(line);
    }
  }
  std::stable_sort(lines.begin(), lines.end(), [](const ProfileLine& a, const ProfileLine& b) {
    return a.busy_us > b.busy_us;
  });
  return lines;
}

std::vector<ProfilePart> ProfileLog::parts() const {
  std::map<std::string, ProfilePart> parts;
  std::uint64_t start = UINT64_MAX;
  for (const auto& [engine, by_source] : sums_) {
    for (const auto& [origin, sum] : by_source) start = std::min(start, sum.begin_fs);
  }
  for (const auto& [engine, by_source] : sums_) {
    for (const auto& [origin, sum] : by_source) {
      std::string source, name;
      split(unescaped(origin), &source, &name);
      if (name.empty()) continue;
      const double begin = microseconds(sum.begin_fs - start);
      const double end = microseconds(sum.end_fs - start);
      const auto [place, fresh] = parts.try_emplace(name);
      ProfilePart& part = place->second;
      part.name = name;
      part.begin_us = fresh ? begin : std::min(part.begin_us, begin);
      part.end_us = std::max(part.end_us, end);
      part.instructions += sum.instructions;
      part.busy_us[engine] += microseconds(sum.busy_fs);
    }
  }
  std::vector<ProfilePart> result;
  result.reserve(parts.size());
  for (auto& [name, part] : parts) result.push_back(std::move(part));
  std::stable_sort(result.begin(), result.end(), [](const ProfilePart& a, const ProfilePart& b) {
    return a.begin_us < b.begin_us;
  });
  return result;
}

}  // namespace tern::app
