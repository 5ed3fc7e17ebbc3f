// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/schedule_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "sw/base/user_error.h"
#include "sw/config/yaml_reader.h"

namespace tern::collectives {

namespace {

using config::YamlMap;
using config::YamlValue;

const std::vector<std::string> kBuffers = {"data", "input", "output", "scratch"};

unsigned number_of(const YamlValue& value, unsigned most) {
  return static_cast<unsigned>(value.as_integer(0, most));
}

// "data 3".
Place place_of(const YamlValue& value) {
  const std::string text = value.as_string();
  const std::size_t blank = text.find(' ');
  const auto buffer = std::find(kBuffers.begin(), kBuffers.end(), text.substr(0, blank));
  const std::string chunk = blank == std::string::npos ? "" : text.substr(blank + 1);
  const bool digits =
      !chunk.empty() && chunk.size() < 8 &&
      std::all_of(chunk.begin(), chunk.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (buffer == kBuffers.end() || !digits)
    value.fail("a place such as data 0: data, input, output or scratch, and a chunk");
  return {static_cast<Buffer>(buffer - kBuffers.begin()), static_cast<unsigned>(std::stoul(chunk))};
}

unsigned line_of(const std::string& source) {
  return static_cast<unsigned>(std::stoul(source.substr(source.rfind(':') + 1)));
}

Step step_of(const YamlValue& value) {
  const YamlMap map = value.as_map();
  Step step;
  step.line = line_of(value.source());
  constexpr unsigned kMostRank = Problem::kMostRanks - 1, kMostStream = Schedule::kMostStreams - 1;
  const auto optional = [&](const char* key, unsigned* field, unsigned least, unsigned most) {
    if (const auto found = map.find(key))
      *field = static_cast<unsigned>(found->as_integer(least, most));
  };
  if (const auto put = map.find("put")) {
    step.kind = Step::kPut;
    step.from = place_of(*put);
    step.rank = number_of(map.get("to"), kMostRank);
    step.at = place_of(map.get("at"));
    optional("count", &step.count, 1, Schedule::kMostChunks);
    if (const auto add = map.find("add")) step.add = add->as_bool();
  } else if (const auto signal = map.find("signal")) {
    step.kind = Step::kSignal;
    step.rank = number_of(*signal, kMostRank);
  } else if (const auto wait = map.find("wait")) {
    step.kind = Step::kWait;
    step.rank = number_of(*wait, kMostRank);
    optional("stream", &step.stream, 0, kMostStream);
    optional("count", &step.count, 1, Schedule::kMostSteps);
  } else if (const auto after = map.find("after")) {
    step.kind = Step::kAfter;
    step.stream = number_of(*after, kMostStream);
    step.count = number_of(map.get("step"), Schedule::kMostSteps);
  } else if (const auto flush = map.find("flush")) {
    step.kind = Step::kFlush;
    if (!flush->as_bool()) flush->fail("true");
  } else {
    value.fail("a step: put, signal, wait, after or flush");
  }
  return step;
}

std::vector<std::vector<unsigned>> counts_of(const YamlValue& value) {
  std::vector<std::vector<unsigned>> counts;
  for (const YamlValue& row : value.as_list()) {
    auto& to = counts.emplace_back();
    for (const YamlValue& count : row.as_list())
      to.push_back(number_of(count, Problem::kMostCount));
    if (counts.size() > Problem::kMostRanks || to.size() > Problem::kMostRanks)
      row.fail(fmt::format("at most {} ranks", Problem::kMostRanks));
  }
  return counts;
}

Schedule schedule_of(const YamlMap& top, const std::string& shown) {
  Schedule schedule;
  schedule.name = shown;
  Problem& problem = schedule.problem;
  problem.operation = static_cast<Operation>(top.get("operation").as_index(operation_names()));
  const YamlValue ranks = top.get("ranks");
  problem.ranks = static_cast<unsigned>(ranks.as_integer(2, Problem::kMostRanks));
  if (const auto root = top.find("root")) {
    if (problem.operation != Operation::kBroadcast)
      throw UserError(root->source() + ": root: of a broadcast");
    problem.root = number_of(*root, problem.ranks - 1);
  }
  if (problem.operation == Operation::kPermute) {
    for (const YamlValue& target : top.get("targets").as_list()) {
      problem.to.push_back(target.text() == "none" ? Problem::kNobody
                                                   : number_of(target, problem.ranks - 1));
    }
  }
  if (problem.operation == Operation::kAllToAllV) problem.counts = counts_of(top.get("counts"));
  schedule.chunks = static_cast<unsigned>(top.get("chunks").as_integer(1, Schedule::kMostChunks));
  if (const auto scratch = top.find("scratch"))
    schedule.scratch = number_of(*scratch, Schedule::kMostChunks);
  try {
    problem.check();
  } catch (const UserError& error) {
    throw UserError(fmt::format("{}: {}", shown, error.what()));
  }
  schedule.streams.resize(problem.ranks);
  unsigned steps = 0;
  for (const YamlValue& item : top.get("streams").as_list()) {
    const YamlMap map = item.as_map();
    auto& streams = schedule.streams[number_of(map.get("rank"), problem.ranks - 1)];
    if (streams.size() >= Schedule::kMostStreams)
      item.fail(fmt::format("at most {} streams of a rank", Schedule::kMostStreams));
    Stream& stream = streams.emplace_back();
    for (const YamlValue& step : map.get("steps").as_list()) {
      if (++steps > Schedule::kMostStepsOfFile)
        step.fail(fmt::format("at most {} steps in a file", Schedule::kMostStepsOfFile));
      stream.push_back(step_of(step));
    }
  }
  top.finish();
  return schedule;
}

std::string text_of(const Place& place) {
  return fmt::format("{} {}", name_of(place.buffer), place.chunk);
}

std::string text_of(const Step& step) {
  const std::string count = step.count > 1 ? fmt::format(", count: {}", step.count) : "";
  switch (step.kind) {
    case Step::kPut:
      return fmt::format("{{put: {}, to: {}, at: {}{}{}}}", text_of(step.from), step.rank,
                         text_of(step.at), count, step.add ? ", add: true" : "");
    case Step::kSignal:
      return fmt::format("{{signal: {}}}", step.rank);
    case Step::kWait:
      return fmt::format("{{wait: {}{}{}}}", step.rank,
                         step.stream > 0 ? fmt::format(", stream: {}", step.stream) : "", count);
    case Step::kAfter:
      return fmt::format("{{after: {}, step: {}}}", step.stream, step.count);
    case Step::kFlush:
      break;
  }
  return "{flush: true}";
}

}  // namespace

Schedule load_schedule(const std::string& path) {
  return schedule_of(YamlMap::from_file(path), path);
}

std::vector<std::vector<unsigned>> load_counts(const std::string& path) {
  const YamlMap top = YamlMap::from_file(path);
  auto counts = counts_of(top.get("counts"));
  top.finish();
  return counts;
}

Schedule parse_schedule(const std::string& text, const std::string& shown) {
  return schedule_of(YamlMap::from_text(text, shown), shown);
}

std::string text_of(const Schedule& schedule) {
  const Problem& problem = schedule.problem;
  std::string text = fmt::format("# {}\noperation: {}\nranks: {}\nchunks: {}\n", schedule.name,
                                 name_of(problem.operation), problem.ranks, schedule.chunks);
  if (problem.operation == Operation::kBroadcast && problem.root > 0)
    text += fmt::format("root: {}\n", problem.root);
  if (problem.operation == Operation::kPermute) {
    std::vector<std::string> targets;
    for (const unsigned target : problem.to)
      targets.push_back(target == Problem::kNobody ? "none" : std::to_string(target));
    text += fmt::format("targets: [{}]\n", fmt::join(targets, ", "));
  }
  if (problem.operation == Operation::kAllToAllV) {
    text += "counts:\n";
    for (const auto& row : problem.counts) text += fmt::format("- [{}]\n", fmt::join(row, ", "));
  }
  if (schedule.scratch > 0) text += fmt::format("scratch: {}\n", schedule.scratch);
  text += "streams:\n";
  for (unsigned rank = 0; rank < problem.ranks; ++rank) {
    for (const Stream& stream : schedule.streams[rank]) {
      text += fmt::format("- rank: {}\n  steps:\n", rank);
      for (const Step& step : stream) text += "  - " + text_of(step) + "\n";
    }
  }
  return text;
}

}  // namespace tern::collectives
