// SPDX-License-Identifier: Apache-2.0
#include "tb/mgmt/board/firmware.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <iostream>

namespace tern::tb {

bool firmware_is_there() {
  for (const std::string& file :
       {kOpensbi + "fw_jump.elf", kUbootS + "u-boot.bin", kUbootM + "u-boot.bin"}) {
    if (std::filesystem::exists(file)) continue;
    std::cout << "skipped: no " << file << '\n';
    return false;
  }
  return true;
}

Boot boot(std::vector<std::string> arguments) {
  const TempFolder folder;
  const std::string log = folder.path("log.txt");
  arguments.insert(arguments.begin(), "boot");
  arguments.insert(arguments.end(), {"--uart", "file:" + log, "--json"});
  Boot result;
  result.outcome = run_tern(arguments);
  result.text = read_bytes(log);
  result.data = nlohmann::json::parse(result.outcome.out, nullptr, false);
  if (result.data.is_discarded()) result.data = nullptr;
  return result;
}

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++count;
  return count;
}

std::string answer_to(const std::string& text, const std::string& command) {
  const std::string typed = "=> " + command + "\r\n";
  const std::size_t at = text.find(typed);
  INFO(text);
  REQUIRE(at != std::string::npos);
  const std::size_t begin = at + typed.size();
  return text.substr(begin, text.find("\n=> ", begin) - begin);
}

}  // namespace tern::tb
