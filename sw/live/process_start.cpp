// SPDX-License-Identifier: Apache-2.0
#include "sw/live/process_start.h"

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace tern::live {

std::optional<std::uint64_t> process_start(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  // proc(5): the name is in parentheses and may contain any character, then field 3 on.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream fields(text.substr(name_end + 1));
  std::string field;
  for (int number = 3; fields >> field; ++number) {
    if (number == 3 && (field == "Z" || field == "X")) return {};
    if (number == 22) return std::stoull(field);
  }
  return {};
}

}  // namespace tern::live
