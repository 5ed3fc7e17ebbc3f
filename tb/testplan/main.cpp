// SPDX-License-Identifier: Apache-2.0
// tern_testplan ROOT --build=FOLDER [--check]: writes docs/testplan.md from the testplans of tb, or
// only compares; either way every fault of the plans is an error.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "sw/base/atomic_file.h"
#include "sw/base/child_process.h"
#include "sw/base/user_error.h"
#include "tb/testplan/check.h"
#include "tb/testplan/page.h"

namespace {

using namespace tern::testplan;  // NOLINT: the program of this folder
namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Files below `folder` with such a name, as paths below it.
std::vector<std::string> files(const fs::path& folder, const char* name) {
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (std::regex_match(entry.path().filename().string(), std::regex(name))) {
      found.push_back(entry.path().lexically_relative(folder).generic_string());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string list_tests(const fs::path& root, const std::string& build) {
  const auto run = tern::base::run_child({root / "scripts/find-tests", build, "--tiers"});
  if (run.exit_code != 0) throw tern::RunError("scripts/find-tests: " + run.error);
  return run.out;
}

Tree read_tree(const fs::path& root, const std::string& build, std::vector<std::string>* errors) {
  Tree tree;
  for (const std::string& name : files(root / "tb", R"(testplan(_\w+)?\.yaml)")) {
    try {
      tree.plans.push_back(parse_plan(read_file(root / "tb" / name), "tb/" + name));
    } catch (const tern::UserError& e) {
      errors->emplace_back(e.what());
    }
  }
  std::sort(tree.plans.begin(), tree.plans.end(),
            [](const Plan& a, const Plan& b) { return a.block.text < b.block.text; });
  tree.tests = parse_tests(list_tests(root, build), read_file(fs::path(build) / "rtl_tests.txt"));
  for (const std::string& name : files(root / "scripts/faults", R"(.*\.toml)")) {
    const auto more =
        parse_faults(read_file(root / "scripts/faults" / name), "scripts/faults/" + name);
    tree.faults.insert(tree.faults.end(), more.begin(), more.end());
  }
  for (const std::string& name : files(root / "rtl", R"(.*\.sv)")) {
    tree.modules.push_back(name.substr(0, name.size() - 3));
  }
  return tree;
}

int run(const fs::path& root, const std::string& build, bool check_only) {
  std::vector<std::string> errors;
  const Tree tree = read_tree(root, build, &errors);
  // What a plan that cannot be read would have named is no further error.
  if (errors.empty()) errors = check(tree);
  for (const Plan& plan : tree.plans) {
    for (const Entry& entry : plan.contract) {
      if (!fs::exists(root / entry.text)) errors.push_back(entry.where + ": no file " + entry.text);
    }
  }
  if (errors.empty()) {
    const fs::path path = root / "docs/testplan.md";
    const std::string text = page(tree), old = read_file(path);
    const unsigned line = stale_line(old, text);
    if (line != 0 && check_only) {
      errors.push_back(fmt::format(
          "docs/testplan.md:{}: stale, run scripts/build release regenerate_testplan", line));
    } else if (line != 0) {
      tern::base::write_file(path, text);
      fmt::print("wrote docs/testplan.md\n");
    }
  }
  std::size_t features = 0;
  for (const Plan& plan : tree.plans) features += plan.features.size();
  for (const std::string& error : errors) fmt::print("{}\n", error);
  fmt::print("testplan: {} plans, {} features, {} errors\n", tree.plans.size(), features,
             errors.size());
  return errors.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const bool check_only = argc == 4 && std::strcmp(argv[3], "--check") == 0;
  if ((argc != 3 && !check_only) || std::strncmp(argv[2], "--build=", 8) != 0) {
    std::fputs("usage: tern_testplan ROOT --build=FOLDER [--check]\n", stderr);
    return 2;
  }
  try {
    return run(argv[1], argv[2] + 8, check_only);
  } catch (const std::exception& e) {
    fmt::print(stderr, "tern_testplan: {}\n", e.what());
    return 1;
  }
}
