// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tb/testplan/plan.h"

namespace tern::testplan {

// A test that CTest runs.
struct Test {
  enum class Kind {
    kBench,    // a case of a program that contains Verilated RTL
    kProgram,  // a case of any other test program
    kTool,     // Yosys, a proof, a comparison of generated files, ...
  };
  std::string name, tier;
  Kind kind = Kind::kTool;
  std::string folder;  // of a bench, below the build folder as below the root
};

// `tiers`: what scripts/find-tests --tiers prints; `rtl_tests`: rtl_tests.txt of a build folder.
std::vector<Test> parse_tests(const std::string& tiers, const std::string& rtl_tests);

// A deliberate fault of scripts/faults, in a module such as "qos/qos_bucket".
struct Fault {
  std::string name, module, where;
};
std::vector<Fault> parse_faults(const std::string& toml, const std::string& file);

// All that a testplan names.
struct Tree {
  std::vector<Plan> plans;
  std::vector<Test> tests;
  std::vector<Fault> faults;
  std::vector<std::string> modules;  // of rtl/, "qos/qos_bucket"
};

}  // namespace tern::testplan
