// SPDX-License-Identifier: Apache-2.0
#include "sw/app/report/json_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sw/app/report/text.h"

namespace tern::app {

namespace {

std::string harmless(const nlohmann::ordered_json& value, int indent) {
  const std::string raw =
      value.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  std::string out;
  out.reserve(raw.size());
  const auto byte = [&](std::size_t i) {
    return i < raw.size() ? static_cast<unsigned char>(raw[i]) : 0u;
  };
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (byte(i) == 0x7F) {
      out += "\\u007f";
    } else if (byte(i) == 0xC2 && byte(i + 1) < 0xA0) {
      out += fmt::format("\\u{:04x}", byte(++i));
    } else if (byte(i) == 0xE2 && turns_direction(raw, i)) {
      out += fmt::format(
          "\\u{:04x}", (byte(i) & 0xFu) << 12 | (byte(i + 1) & 0x3Fu) << 6 | (byte(i + 2) & 0x3Fu));
      i += 2;
    } else {
      out += raw[i];
    }
  }
  return out;
}

}  // namespace

std::string json_text(const nlohmann::ordered_json& value) {
  return harmless(value, 2);
}

std::string json_line(const nlohmann::ordered_json& value) {
  return harmless(value, -1);
}

}  // namespace tern::app
