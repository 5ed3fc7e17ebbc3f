// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace tern::app {

// 1234567 -> "1,234,567"
std::string grouped(std::uint64_t value);

// 12.345 us, 1.234 ms, 2.000 s
std::string time_text(double us);

// 640 B, 12.3 KB, 4.50 MB: powers of ten
std::string bytes_text(double bytes);

// 0.5 -> "50.0 %"
std::string percent_text(double share, int digits = 1);
// Two digits of what is less than a percent, too.
std::string small_percent_text(double share);

// For one line of a terminal or of Markdown. Tabs and ends of lines become blanks; invalid UTF-8,
// control characters and those that change the direction of writing become U+FFFD.
std::string printable(const std::string& text);

// The same for a message of several lines: it keeps their ends.
std::string printable_lines(const std::string& text);

// With such a character the visible text differs from the bytes: U+200E, U+200F, U+202A to U+202E,
// U+2066 to U+2069.
bool turns_direction(const std::string& text, std::size_t at);

// Columns of a printable text.
std::size_t display_width(const std::string& text);

// For text and quoted attributes of SVG and HTML, which are UTF-8 without control characters: all
// other bytes (file names may contain any) become U+FFFD.
std::string xml_escaped(const std::string& text);

}  // namespace tern::app
