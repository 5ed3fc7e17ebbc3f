// SPDX-License-Identifier: Apache-2.0
#include "sw/app/nki/source_text.h"

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

std::string SourceText::at(const nki::SourcePlace& place) {
  auto found = files_.find(place.file);
  if (found == files_.end()) found = files_.emplace(place.file, lines_of(place.file)).first;
  return place.line == 0 || place.line > found->second.size() ? "" : found->second[place.line - 1];
}

}  // namespace tern::app
