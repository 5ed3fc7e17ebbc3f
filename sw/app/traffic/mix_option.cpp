// SPDX-License-Identifier: Apache-2.0
#include "sw/app/traffic/mix_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "sw/app/host/size_option.h"
#include "sw/app/system/chip_name.h"
#include "sw/base/user_error.h"

namespace tern::app {

namespace {

constexpr double kMaxUs = 1e6;
constexpr double kFsPerUs = 1e9;
constexpr std::size_t kMaxPatterns = 64;

[[noreturn]] void refuse(const std::string& option, const std::string& expected,
                         const std::string& value) {
  throw UserError(fmt::format("{}: expected {}, got '{}'", option, expected, value));
}

std::uint64_t number_of(const std::string& option, const std::string& text, std::uint64_t min,
                        std::uint64_t max) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stopped != end || value < min || value > max)
    refuse(option, fmt::format("a whole number from {} to {}", min, max), text);
  return value;
}

fabric::Time time_of(const std::string& option, const std::string& text) {
  double us = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, us);
  if (error != std::errc() || stopped != end || !(us >= 0 && us <= kMaxUs))
    refuse(option, fmt::format("a time in us, at most {:g}", kMaxUs), text);
  return static_cast<fabric::Time>(std::llround(us * kFsPerUs));
}

// Some patterns have no use for a value: said rather than ignored.
void check_use(const std::string& option, std::string_view key, const std::string& pattern) {
  static const std::map<std::string_view, std::vector<std::string>> users = {
      {"from", {"pair"}}, {"to", {"pair", "incast"}}, {"targets", {"uniform"}}};
  const std::vector<std::string>& patterns = users.at(key);
  if (std::find(patterns.begin(), patterns.end(), pattern) == patterns.end())
    throw UserError(fmt::format("{}: only of the pattern {}, not {}", option,
                                fmt::join(patterns, " or "), pattern));
}

// The values of one --also, by key.
class AlsoOption {
 public:
  AlsoOption(const std::string& text, const system::Fabric& fabric)
      : name_(fmt::format("--also '{}'", text)), fabric_(fabric) {
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find(',', at), text.size());
      add(text.substr(at, end - at));
      at = end + 1;
    }
  }

  fabric::Traffic traffic(std::uint64_t seed) {
    fabric::Traffic traffic;
    traffic.seed = seed;
    const auto number = [&](const char* key, std::uint64_t min, std::uint64_t max, auto* value) {
      if (const auto text = take(key))
        *value =
            static_cast<std::decay_t<decltype(*value)>>(number_of(place(key), *text, min, max));
    };
    const auto time = [&](const char* key, fabric::Time* value) {
      if (const auto text = take(key)) *value = time_of(place(key), *text);
    };
    const std::vector<std::string> known = fabric::pattern_names();
    const auto pattern = take("pattern");
    if (!pattern) throw UserError(fmt::format("{}: no key 'pattern'", name_));
    if (std::find(known.begin(), known.end(), *pattern) == known.end())
      refuse(place("pattern"), fmt::format("{}", fmt::join(known, ", ")), *pattern);
    traffic.pattern = *pattern;
    if (const auto text = take("bytes")) traffic.bytes = size_option(place("bytes"), *text);
    number("class", 0, 3, &traffic.traffic_class);
    number("streams", 1, 1024, &traffic.streams);
    for (const char* key : {"from", "to", "targets"})
      if (find(key) != values_.end()) check_use(place(key), key, traffic.pattern);
    number("targets", 1, 4096, &traffic.targets);
    number("seed", 0, UINT64_MAX, &traffic.seed);
    number("rounds", 1, 1'000'000, &traffic.rounds);
    time("at_us", &traffic.at);
    time("every_us", &traffic.every);
    traffic.to = traffic.pattern == "pair" ? 1 : 0;
    if (const auto text = take("from")) traffic.from = chip_named(fabric_, *text);
    if (const auto text = take("to")) traffic.to = chip_named(fabric_, *text);
    if (!values_.empty()) {
      throw UserError(fmt::format(
          "{}: unknown key '{}': expected pattern, bytes, class, streams, from, to, targets, seed, "
          "rounds, at_us, every_us",
          name_, values_.front().first));
    }
    check(traffic);
    return traffic;
  }

 private:
  void add(const std::string& item) {
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == item.size())
      refuse(name_, "KEY=VALUE,...", item);
    const std::string key = item.substr(0, equals);
    if (find(key) != values_.end())
      throw UserError(fmt::format("{}: key '{}' is there twice", name_, key));
    values_.emplace_back(key, item.substr(equals + 1));
  }

  void check(const fabric::Traffic& traffic) const {
    if (traffic.pattern == "pair" && traffic.from == traffic.to)
      throw UserError(fmt::format("{}: expected two different chips", name_));
    if (traffic.rounds > 1 && traffic.every == 0)
      throw UserError(fmt::format("{}: rounds need every_us, the time between two", name_));
    const double last = static_cast<double>(traffic.at) +
                        (traffic.rounds - 1.0) * static_cast<double>(traffic.every);
    if (last > kMaxUs * kFsPerUs)
      throw UserError(fmt::format("{}: the last round starts after {:g} us", name_, kMaxUs));
  }

  using Values = std::vector<std::pair<std::string, std::string>>;
  Values::iterator find(const std::string& key) {
    return std::find_if(values_.begin(), values_.end(),
                        [&](const auto& value) { return value.first == key; });
  }
  std::optional<std::string> take(const char* key) {
    const auto found = find(key);
    if (found == values_.end()) return {};
    std::string text = std::move(found->second);
    values_.erase(found);
    return text;
  }
  std::string place(const char* key) const { return fmt::format("{}: {}", name_, key); }

  const std::string name_;
  const system::Fabric& fabric_;
  Values values_;
};

fabric::Traffic first_of(const TrafficOptions& options, const system::Fabric& fabric) {
  fabric::Traffic traffic;
  traffic.pattern = options.pattern;
  traffic.bytes = size_option("--bytes", options.bytes);
  traffic.streams = options.streams;
  traffic.traffic_class = options.traffic_class;
  if (!options.from.empty()) check_use("--from", "from", options.pattern);
  if (!options.to.empty()) check_use("--to", "to", options.pattern);
  if (options.targets) check_use("--targets", "targets", options.pattern);
  traffic.targets = options.targets.value_or(traffic.targets);
  traffic.seed = options.seed;
  if (!options.from.empty()) traffic.from = chip_named(fabric, options.from);
  traffic.to =
      options.to.empty() ? (options.pattern == "pair" ? 1 : 0) : chip_named(fabric, options.to);
  if (options.pattern == "pair" && traffic.from == traffic.to)
    throw UserError("--to: expected another chip than --from");
  return traffic;
}

}  // namespace

std::vector<fabric::Traffic> patterns_of(const TrafficOptions& options,
                                         const system::Fabric& fabric) {
  if (options.also.size() >= kMaxPatterns)
    throw UserError(fmt::format("--also: at most {} patterns in all", kMaxPatterns));
  std::vector<fabric::Traffic> patterns = {first_of(options, fabric)};
  for (const std::string& text : options.also)
    patterns.push_back(AlsoOption(text, fabric).traffic(options.seed));
  return patterns;
}

std::string describe(const fabric::Traffic& traffic) {
  std::string text = fmt::format("{} of {}", traffic.pattern, size_text(traffic.bytes));
  if (traffic.rounds > 1)
    text += fmt::format(", {} rounds every {:g} us", traffic.rounds,
                        static_cast<double>(traffic.every) / kFsPerUs);
  if (traffic.at > 0)
    text += fmt::format(", from {:g} us", static_cast<double>(traffic.at) / kFsPerUs);
  return text;
}

}  // namespace tern::app
