// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace tern::tb {

// A source file as the tree names it; `here` is the path that the compiler knows of the file
// tb/common/reporter.h.
std::string in_tree(const std::string& file, const std::string& here);

// What Catch2 prints of a comparison, such as "574 (0x23e) == 0"; of two numbers in hex, too.
std::string comparison(const std::string& expansion);

// Every line after so many spaces, and a line feed at the end.
std::string indented(const std::string& text, unsigned spaces);

// What repeats a test of this full name (program:case) and seed, in the root of the tree; with a
// waveform.
std::string rerun_command(const std::string& name, std::uint64_t seed);
std::string wave_command(const std::string& name, std::uint64_t seed);

}  // namespace tern::tb
