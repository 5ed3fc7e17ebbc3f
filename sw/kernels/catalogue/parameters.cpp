// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/catalogue/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "sw/base/user_error.h"

namespace tern::kernels {

void Parameters::set(const std::string& name, const std::string& value, const std::string& source) {
  const bool known = std::any_of(defaults_.begin(), defaults_.end(),
                                 [&](const Parameter& p) { return p.name == name; });
  if (!known) {
    std::string names;
    for (const Parameter& p : defaults_) names += (names.empty() ? "" : ", ") + p.name;
    throw UserError(fmt::format("{}unknown parameter '{}': expected one of {}",
                                source.empty() ? "" : source + ": ", name, names));
  }
  set_.push_back({name, value, source});
}

const Parameters::Set* Parameters::find(const std::string& name) const {
  for (auto it = set_.rbegin(); it != set_.rend(); ++it) {
    if (it->name == name) return &*it;
  }
  return nullptr;
}

std::string Parameters::text(const std::string& name) const {
  if (const Set* set = find(name)) return set->value;
  for (const Parameter& p : defaults_) {
    if (p.name == name) return p.value;
  }
  throw std::logic_error("a kernel reads parameter '" + name + "', which it does not list");
}

void Parameters::fail(const std::string& name, const std::string& expected) const {
  const Set* set = find(name);
  const std::string source = set != nullptr && !set->source.empty() ? set->source + ": " : "";
  throw UserError(
      fmt::format("{}parameter '{}': expected {}, got '{}'", source, name, expected, text(name)));
}

std::int64_t Parameters::integer(const std::string& name, std::int64_t minimum,
                                 std::int64_t maximum) const {
  const std::string value = text(name);
  char* end = nullptr;
  errno = 0;
  const long long number = std::strtoll(value.c_str(), &end, 10);
  if (value.empty() || *end != '\0' || errno != 0 || number < minimum || number > maximum)
    fail(name, fmt::format("a whole number {} .. {}", minimum, maximum));
  return number;
}

double Parameters::number(const std::string& name, double minimum, double maximum) const {
  const std::string value = text(name);
  char* end = nullptr;
  const double number = std::strtod(value.c_str(), &end);
  if (value.empty() || *end != '\0' || !(number >= minimum && number <= maximum))
    fail(name, fmt::format("a number {} .. {}", minimum, maximum));
  return number;
}

bool Parameters::flag(const std::string& name) const {
  return choice(name, {"true", "false"}) == "true";
}

std::string Parameters::choice(const std::string& name,
                               const std::vector<std::string>& choices) const {
  const std::string value = text(name);
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) return value;
  std::string names;
  for (const std::string& choice : choices) names += (names.empty() ? "" : ", ") + choice;
  fail(name, "one of " + names);
}

}  // namespace tern::kernels
