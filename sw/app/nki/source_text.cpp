// SPDX-License-Identifier: Apache-2.0
#include "sw/app/nki/source_text.h"

#include <charconv>
#include <fstream>

namespace tern::app {

namespace {

constexpr std::size_t kMostLines = 1'000'000, kLongest = 120;

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; lines.size() < kMostLines && std::getline(file, line);) {
    const std::size_t first = line.find_first_not_of(" \t");
    lines.push_back(first == std::string::npos ? "" : line.substr(first, kLongest));
  }
  return lines;
}

}  // namespace

SourcePlace place_of(const std::string& source) {
  const std::string place = source.substr(0, source.find(": "));
  const std::size_t colon = place.rfind(':');
  if (colon == std::string::npos) return {place, 0};
  unsigned line = 0;
  const char* const end = place.data() + place.size();
  const auto [stopped, error] = std::from_chars(place.data() + colon + 1, end, line);
  if (error != std::errc() || stopped != end) return {place, 0};
  return {place.substr(0, colon), line};
}

std::string SourceText::at(const SourcePlace& place) {
  auto found = files_.find(place.file);
  if (found == files_.end()) found = files_.emplace(place.file, lines_of(place.file)).first;
  return place.line == 0 || place.line > found->second.size() ? "" : found->second[place.line - 1];
}

}  // namespace tern::app
