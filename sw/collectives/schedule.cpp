// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/schedule.h"

#include <fmt/format.h>

#include <algorithm>

namespace tern::collectives {

const std::string& name_of(Buffer buffer) {
  static const std::vector<std::string> names = {"data", "input", "output", "scratch"};
  return names.at(static_cast<std::size_t>(buffer));
}

unsigned Schedule::chunks_of(Buffer buffer) const {
  if (buffer == Buffer::kScratch) return scratch;
  return (buffer == Buffer::kData) == problem.in_place() ? chunks : 0;
}

bool Schedule::adds() const {
  const auto of_stream = [](const Stream& stream) {
    return std::any_of(stream.begin(), stream.end(), [](const Step& step) { return step.add; });
  };
  return std::any_of(streams.begin(), streams.end(), [&](const std::vector<Stream>& of_rank) {
    return std::any_of(of_rank.begin(), of_rank.end(), of_stream);
  });
}

std::string Schedule::where(unsigned rank, unsigned stream, std::size_t step) const {
  const unsigned line = streams.at(rank).at(stream).at(step).line;
  if (line > 0) return fmt::format("{}:{}: ", name, line);
  return fmt::format("{}: rank {}, stream {}, step {}: ", name, rank, stream, step);
}

}  // namespace tern::collectives
