// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tern::testplan {

// A word of a plan and where it is written, "file:line".
struct Entry {
  std::string text, where;
};

// What must hold, how a test provokes it, and the tests that do.
struct Feature {
  std::string name, intent, where;
  std::vector<Entry> tests;   // names of CTest; * stands for any characters
  std::vector<Entry> faults;  // names in scripts/faults that break it; * as above
};

// The features of a block or of a part of it: one testplan.yaml.
struct Plan {
  std::string file, folder;  // below the root of the repository
  Entry block;
  std::vector<Entry> contract;  // pages from which the features are taken
  std::vector<Entry> rtl;       // modules that the tests contain, "qos/qos_bucket"; * as above
  std::vector<Feature> features;
};

// UserError, one line with file and line: YAML that is none, unknown or missing keys.
Plan parse_plan(const std::string& text, const std::string& file);

// Does `name` fit `pattern`, in which * stands for any characters?
bool fits(const std::string& pattern, const std::string& name);

}  // namespace tern::testplan
