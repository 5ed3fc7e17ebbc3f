// SPDX-License-Identifier: Apache-2.0
#include "tb/common/failure_text.h"

#include <fmt/format.h>

#include <cctype>
#include <regex>
#include <string_view>

namespace tern::tb {

std::string in_tree(const std::string& file, const std::string& here) {
  const std::size_t root = here.rfind("tb/common/");
  return root != std::string::npos && file.compare(0, root, here, 0, root) == 0 ? file.substr(root)
                                                                                : file;
}

std::string comparison(const std::string& expansion) {
  static const std::regex kNumbers(
      R"((\d{1,19})(?: \(0x[0-9a-f]+\))? (==|!=|<=|>=|<|>) (\d{1,19})(?: \(0x[0-9a-f]+\))?)");
  std::smatch found;
  if (!std::regex_match(expansion, found, kNumbers)) return expansion;
  return fmt::format("{0} {1} {2}, in hex 0x{3:X} {1} 0x{4:X}", found.str(1), found.str(2),
                     found.str(3), std::stoull(found.str(1)), std::stoull(found.str(3)));
}

std::string indented(const std::string& text, unsigned spaces) {
  std::string result(spaces, ' ');
  for (const char c : text) {
    result += c;
    if (c == '\n') result.append(spaces, ' ');
  }
  return result + '\n';
}

// A dot stands for what is special to CTest's regular expressions or to the shell.
std::string rerun_command(const std::string& name, std::uint64_t seed) {
  std::string pattern;
  for (const char c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                       std::string_view(" _:,/=-").find(c) != std::string_view::npos;
    pattern += plain ? c : '.';
  }
  return fmt::format("TERN_SEED={} scripts/test -R '^{}$'", seed, pattern);
}

std::string wave_command(const std::string& name, std::uint64_t seed) {
  std::string quoted;
  for (const char c : name) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return fmt::format("TERN_SEED={} scripts/wave '{}'", seed, quoted);
}

}  // namespace tern::tb
