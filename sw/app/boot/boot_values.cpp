// SPDX-License-Identifier: Apache-2.0
#include "sw/app/boot/boot_values.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

#include "sw/base/user_error.h"

namespace tern::app {

namespace {

struct Unit {
  const char* name;
  double factor;
};

// The number before one of these units.
template <std::size_t N>
std::optional<double> value_of(const std::string& text, const Unit (&units)[N]) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (error != std::errc() || !std::isfinite(number)) return std::nullopt;
  for (const Unit& unit : units) {
    if (std::string(rest, end) == unit.name) return number * unit.factor;
  }
  return std::nullopt;
}

}  // namespace

std::uint64_t parse_memory(const std::string& option, const std::string& text) {
  constexpr double kMost = 1 << 20;
  constexpr Unit kUnits[] = {{"MiB", 1}, {"GiB", 1024}};
  const std::optional<double> mib = value_of(text, kUnits);
  if (!mib || *mib < 1 || *mib > kMost || *mib != std::floor(*mib)) {
    throw UserError(
        fmt::format("{}: expected a size such as 256MiB or 1GiB, got '{}'", option, text));
  }
  return static_cast<std::uint64_t>(*mib) << 20;
}

std::uint64_t parse_time_fs(const std::string& option, const std::string& text) {
  constexpr double kHourFs = 3.6e18;
  constexpr Unit kUnits[] = {{"s", 1e15}, {"ms", 1e12}, {"us", 1e9}, {"ns", 1e6}};
  const std::optional<double> fs = value_of(text, kUnits);
  if (!fs || *fs < 1 || *fs > kHourFs) {
    throw UserError(fmt::format("{}: expected a time up to 3600s such as 10s or 1.5ms, got '{}'",
                                option, text));
  }
  return static_cast<std::uint64_t>(std::llround(*fs));
}

}  // namespace tern::app
