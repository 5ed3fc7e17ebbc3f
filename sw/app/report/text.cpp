// SPDX-License-Identifier: Apache-2.0
#include "sw/app/report/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace tern::app {
namespace {

constexpr const char* kReplacement = "\xEF\xBF\xBD";

// Length of the UTF-8 character at `at`; 0 if there is none that XML allows.
std::size_t character_length(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0;
  };
  const unsigned first = byte(0);
  if (first < 0x80) {
    const bool blank = first == '\t' || first == '\n' || first == '\r';
    return (first >= 0x20 && first != 0x7F) || blank ? 1 : 0;
  }
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  unsigned code = first & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3F);
  }
  static constexpr unsigned kMin[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool good = first >= 0xC2 && first <= 0xF4 && code >= kMin[length] && code <= 0x10FFFF &&
                    (code < 0xD800 || code > 0xDFFF) && code != 0xFFFE && code != 0xFFFF &&
                    code > 0x9F;
  return good ? length : 0;
}

}  // namespace

bool turns_direction(const std::string& text, std::size_t at) {
  const std::string character = text.substr(at, 3);
  return character == "\u200E" || character == "\u200F" ||
         (character >= "\u202A" && character <= "\u202E") ||
         (character >= "\u2066" && character <= "\u2069");
}

std::string grouped(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (int i = static_cast<int>(digits.size()) - 3; i > 0; i -= 3)
    digits.insert(static_cast<std::size_t>(i), ",");
  return digits;
}

std::string time_text(double us) {
  if (us >= 1e6) return fmt::format("{:.3f} s", us * 1e-6);
  if (us >= 1e3) return fmt::format("{:.3f} ms", us * 1e-3);
  return fmt::format("{:.3f} us", us);
}

std::string bytes_text(double bytes) {
  if (bytes >= 1e9) return fmt::format("{:.2f} GB", bytes * 1e-9);
  if (bytes >= 1e6) return fmt::format("{:.2f} MB", bytes * 1e-6);
  if (bytes >= 1e3) return fmt::format("{:.1f} KB", bytes * 1e-3);
  return fmt::format("{:.0f} B", bytes);
}

std::string percent_text(double share, int digits) {
  return fmt::format("{:.{}f} %", share * 100, digits);
}

std::string small_percent_text(double share) {
  return share < 0.01 ? fmt::format("{:.2g} %", share * 100) : percent_text(share);
}

std::string printable(const std::string& text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_length(text, i);
    if (text[i] == '\t' || text[i] == '\n' || text[i] == '\r') {
      out += ' ';
    } else if (length == 0 || turns_direction(text, i)) {
      out += kReplacement;
    } else {
      out.append(text, i, length);
    }
    i += length == 0 ? 1 : length;
  }
  return out;
}

std::string printable_lines(const std::string& text) {
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (begin > 0) out += '\n';
    out += printable(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;  // the first byte of a character
  }));
}

std::string xml_escaped(const std::string& text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_length(text, i);
    switch (text[i]) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        if (length == 0) {
          out += kReplacement;
        } else {
          out.append(text, i, length);
        }
    }
    i += length == 0 ? 1 : length;
  }
  return out;
}

}  // namespace tern::app
