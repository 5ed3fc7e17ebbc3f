// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/variants.h"

#include <fmt/format.h>

#include <algorithm>

#include "sw/base/user_error.h"

namespace tern::app {
namespace {

// "1,2,4" -> three; "[0.6, 0, 0.2],[1, 0, 0]" -> two.
std::vector<std::string> values_of(const ConfigOverride& setting) {
  std::vector<std::string> values(1);
  int depth = 0;
  for (const char c : setting.value) {
    depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    if (c == ',' && depth == 0) {
      values.emplace_back();
    } else {
      values.back() += c;
    }
  }
  for (auto value = values.begin(); values.size() > 1 && value != values.end(); ++value) {
    if (value->empty()) {
      throw UserError(fmt::format("--set {}={}: a value between commas is missing", setting.key,
                                  setting.value));
    }
    if (std::find(values.begin(), value, *value) != value)
      throw UserError(fmt::format("--set {}: value {} is given twice", setting.key, *value));
  }
  return values;
}

}  // namespace

std::string Variant::label() const {
  std::string text = chip;
  for (const ConfigOverride& setting : settings)
    text += fmt::format(", {}={}", setting.key, setting.value);
  return text;
}

std::vector<Variant> variants_of(const std::vector<std::string>& chips,
                                 const std::vector<ConfigOverride>& overrides) {
  std::vector<Variant> variants;
  for (auto chip = chips.begin(); chip != chips.end(); ++chip) {
    if (std::find(chips.begin(), chip, *chip) != chip)
      throw UserError(fmt::format("--chip {}: given twice", *chip));
    variants.push_back({*chip, {}});
  }
  for (auto setting = overrides.begin(); setting != overrides.end(); ++setting) {
    if (std::any_of(overrides.begin(), setting,
                    [&](const ConfigOverride& other) { return other.key == setting->key; }))
      throw UserError(fmt::format("--set {}: given twice", setting->key));
  }
  for (const ConfigOverride& setting : overrides) {
    const std::vector<std::string> values = values_of(setting);
    if (values.size() == 1) continue;
    std::vector<Variant> more;
    for (const Variant& variant : variants) {
      for (const std::string& value : values) {
        more.push_back(variant);
        more.back().settings.push_back({setting.key, value, setting.source});
      }
      if (more.size() > kMaxVariants) {
        throw UserError(fmt::format("--chip and --set: more than {} runs together", kMaxVariants));
      }
    }
    variants = std::move(more);
  }
  return variants;
}

}  // namespace tern::app
