// SPDX-License-Identifier: Apache-2.0
#include "tb/testplan/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace tern::testplan {

namespace {

constexpr const char* kHead =
    R"(<!-- Generated from tb/**/testplan.yaml by tern_testplan: do not edit. -->
# Testplan

What each RTL block promises, how a test provokes it, and which tests do.
Each table is one `testplan.yaml` next to the bench; features come from the block's contract, not from the tests.
A feature without a test fails the test `testplan: ...`, and so does a test of RTL, a module or a deliberate fault without a feature.
How to add a feature: [add a test](howto/test.md).
Tiers are those of [testing](testing.md#tiers).
*Faults* are deliberate ones of [scripts/faults](testing.md#rtl-faults) that break the feature.

)";

std::string cell(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '|') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  while (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

// GitHub's anchor of a heading.
std::string anchor(const std::string& heading) {
  std::string result;
  for (const char c : heading) {
    const auto u = static_cast<unsigned char>(c);
    if (std::isalnum(u) != 0 || c == '-' || c == '_') result += static_cast<char>(std::tolower(u));
    if (c == ' ') result += '-';
  }
  return result;
}

// The tiers of the tests that fit, and how many these are if the entry is a pattern.
std::string test_line(const Entry& entry, const std::vector<Test>& tests) {
  std::vector<std::string> tiers;
  unsigned count = 0;
  for (const Test& test : tests) {
    if (!fits(entry.text, test.name)) continue;
    ++count;
    if (std::find(tiers.begin(), tiers.end(), test.tier) == tiers.end()) {
      tiers.push_back(test.tier);
    }
  }
  const bool pattern = entry.text.find('*') != std::string::npos;
  return fmt::format("{}: `{}`{}", fmt::join(tiers, ", "), cell(entry.text),
                     pattern ? fmt::format(" ({} test{})", count, count == 1 ? "" : "s") : "");
}

std::set<std::string> tests_of(const Plan& plan, const Tree& tree) {
  std::set<std::string> names;
  for (const Feature& feature : plan.features) {
    for (const Entry& entry : feature.tests) {
      for (const Test& test : tree.tests) {
        if (fits(entry.text, test.name)) names.insert(test.name);
      }
    }
  }
  return names;
}

std::set<std::string> faults_of(const Plan& plan, const Tree& tree) {
  std::set<std::string> names;
  for (const Feature& feature : plan.features) {
    for (const Entry& entry : feature.faults) {
      for (const Fault& fault : tree.faults) {
        if (fits(entry.text, fault.name)) names.insert(fault.name);
      }
    }
  }
  return names;
}

std::string summary(const Tree& tree) {
  std::string out =
      "| block | features | tests | of tier smoke | faults |\n|---|---|---|---|---|\n";
  for (const Plan& plan : tree.plans) {
    const auto names = tests_of(plan, tree);
    const auto smoke = std::count_if(tree.tests.begin(), tree.tests.end(), [&](const Test& test) {
      return test.tier == "smoke" && names.count(test.name) != 0;
    });
    out +=
        fmt::format("| [{}](#{}) | {} | {} | {} | {} |\n", plan.block.text, anchor(plan.block.text),
                    plan.features.size(), names.size(), smoke, faults_of(plan, tree).size());
  }
  return out;
}

std::string section(const Plan& plan, const std::vector<Test>& tests) {
  std::string out = fmt::format("\n## {}\n\n", plan.block.text);
  std::vector<std::string> contract;
  for (const Entry& entry : plan.contract) {
    contract.push_back(fmt::format("[{0}](../{0})", entry.text));
  }
  out +=
      fmt::format("Data: [{0}](../{0}).\nContract: {1}.\n\n", plan.file, fmt::join(contract, ", "));
  out += "| feature | intent | tests | faults |\n|---|---|---|---|\n";
  for (const Feature& feature : plan.features) {
    std::vector<std::string> lines, faults;
    for (const Entry& entry : feature.tests) lines.push_back(test_line(entry, tests));
    for (const Entry& entry : feature.faults) faults.push_back(cell(entry.text));
    out += fmt::format("| {} | {} | {} | {} |\n", cell(feature.name), cell(feature.intent),
                       fmt::join(lines, "<br>"), fmt::join(faults, "<br>"));
  }
  return out;
}

}  // namespace

std::string page(const Tree& tree) {
  std::string out = kHead + summary(tree);
  for (const Plan& plan : tree.plans) out += section(plan, tree.tests);
  return out;
}

unsigned stale_line(const std::string& is, const std::string& should_be) {
  if (is == should_be) return 0;
  const auto differ = std::mismatch(is.begin(), is.end(), should_be.begin(), should_be.end());
  return 1 + static_cast<unsigned>(std::count(is.begin(), differ.first, '\n'));
}

}  // namespace tern::testplan
