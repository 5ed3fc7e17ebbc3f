// SPDX-License-Identifier: Apache-2.0
#include "tb/testplan/registry.h"

#include <map>
#include <sstream>

namespace tern::testplan {

namespace {

std::map<std::string, std::string> bench_folders(const std::string& rtl_tests) {
  std::map<std::string, std::string> folders;
  std::istringstream lines(rtl_tests);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find('|'), second = line.find('|', first + 1);
    if (second == std::string::npos) continue;
    folders[line.substr(0, first)] = line.substr(first + 1, second - first - 1);
  }
  return folders;
}

// The text of a line KEY = "TEXT".
bool takes(const std::string& line, const std::string& key, std::string* text) {
  const std::string head = key + " = \"";
  if (line.compare(0, head.size(), head) != 0) return false;
  *text = line.substr(head.size(), line.rfind('"') - head.size());
  return true;
}

}  // namespace

std::vector<Test> parse_tests(const std::string& tiers, const std::string& rtl_tests) {
  const auto folders = bench_folders(rtl_tests);
  std::vector<Test> tests;
  std::istringstream lines(tiers);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string::npos) continue;
    Test test;
    test.tier = line.substr(0, tab);
    test.name = line.substr(tab + 1);
    const auto bench = folders.find(test.name.substr(0, test.name.find(':')));
    if (bench != folders.end()) {
      test.kind = Test::Kind::kBench;
      test.folder = bench->second;
    } else if (test.name.compare(0, 5, "test_") == 0) {
      test.kind = Test::Kind::kProgram;
    }
    tests.push_back(test);
  }
  return tests;
}

std::vector<Fault> parse_faults(const std::string& toml, const std::string& file) {
  std::vector<Fault> faults;
  std::istringstream lines(toml);
  unsigned number = 0;
  for (std::string line, text; std::getline(lines, line);) {
    ++number;
    if (takes(line, "name", &text)) {
      faults.push_back({text, "", file + ":" + std::to_string(number)});
    }
    if (takes(line, "file", &text) && !faults.empty()) {
      faults.back().module = text.substr(0, text.rfind('.'));
    }
  }
  return faults;
}

}  // namespace tern::testplan
