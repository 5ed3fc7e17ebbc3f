// SPDX-License-Identifier: Apache-2.0
#include "tb/testplan/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "sw/config/yaml_reader.h"

namespace tern::testplan {

namespace {

class Checker {
 public:
  explicit Checker(const Tree& tree) : tree_(tree) {
    for (const Test& test : tree.tests) names_.push_back(test.name);
    for (const std::string& module : tree.modules) blocks_.insert(block_of(module));
  }

  std::vector<std::string> run() {
    for (const Plan& plan : tree_.plans) {
      check_modules(plan);
      check_features(plan);
    }
    check_uncovered_modules();
    check_uncovered_tests();
    check_uncovered_faults();
    return errors_;
  }

 private:
  static std::string block_of(const std::string& path) { return path.substr(0, path.find('/')); }

  template <typename... Args>
  void error(const std::string& where, const char* format, const Args&... args) {
    errors_.push_back(where + ": " + fmt::format(fmt::runtime(format), args...));
  }

  void check_modules(const Plan& plan) {
    for (const Entry& entry : plan.rtl) {
      bool found = false;
      for (const std::string& module : tree_.modules) {
        if (!fits(entry.text, module)) continue;
        found = true;
        covered_.insert(module);
      }
      if (!found) error(entry.where, "no module rtl/{}.sv", entry.text);
    }
  }

  void check_features(const Plan& plan) {
    std::map<std::string, std::string> seen;
    for (const Feature& feature : plan.features) {
      const auto [first, is_new] = seen.emplace(feature.name, feature.where);
      if (!is_new) {
        error(feature.where, "feature '{}' is already at {}", feature.name, first->second);
      }
      check_tests(plan, feature);
      for (const Entry& entry : feature.faults) check_fault(plan, entry);
    }
  }

  void check_tests(const Plan& plan, const Feature& feature) {
    if (feature.tests.empty()) {
      error(feature.where, "feature '{}' has no test", feature.name);
      return;
    }
    bool known = true, with_rtl = false;
    for (const Entry& entry : feature.tests) {
      bool found = false;
      for (const Test& test : tree_.tests) {
        if (!fits(entry.text, test.name)) continue;
        found = true;
        with_rtl |= test.kind != Test::Kind::kProgram;
        listed_[test.name].insert(plan.folder);
      }
      if (found) continue;
      known = false;
      const std::string near = config::nearest(entry.text, names_);
      error(entry.where, "feature '{}': no test is named '{}'{}", feature.name, entry.text,
            near.empty() ? "" : fmt::format(", did you mean '{}'?", near));
    }
    if (known && !with_rtl) {
      error(feature.where, "feature '{}' has only tests that contain no RTL", feature.name);
    }
  }

  void check_fault(const Plan& plan, const Entry& entry) {
    bool found = false;
    for (const Fault& fault : tree_.faults) {
      if (!fits(entry.text, fault.name)) continue;
      found = true;
      broken_.insert(fault.name);
      const bool inside = std::any_of(plan.rtl.begin(), plan.rtl.end(), [&](const Entry& rtl) {
        return fits(rtl.text, fault.module);
      });
      if (!inside) {
        error(entry.where, "fault '{}' is in rtl/{}.sv, which the plan does not name", fault.name,
              fault.module);
      }
    }
    if (!found) error(entry.where, "no fault of scripts/faults is named '{}'", entry.text);
  }

  void check_uncovered_modules() {
    for (const std::string& module : tree_.modules) {
      if (covered_.count(module) == 0) {
        error(fmt::format("rtl/{}.sv:1", module), "no testplan of tb names the module '{}'",
              module);
      }
    }
  }

  void check_uncovered_tests() {
    for (const Test& test : tree_.tests) {
      const auto found = listed_.find(test.name);
      if (test.kind == Test::Kind::kBench) {
        if (test.folder.compare(0, 3, "tb/") != 0) continue;
        // Benches of models that also load RTL, such as tb/core, have no plan.
        if (blocks_.count(block_of(test.folder.substr(3))) == 0) continue;
        if (found == listed_.end() || found->second.count(test.folder) == 0) {
          error(plan_of(test.folder), "test '{}' is in no feature", test.name);
        }
      } else if (test.kind == Test::Kind::kTool && is_of_rtl(test.name) && found == listed_.end()) {
        error("docs/testplan.md:1", "test '{}' is in no feature of any testplan", test.name);
      }
    }
  }

  void check_uncovered_faults() {
    for (const Fault& fault : tree_.faults) {
      if (broken_.count(fault.name) == 0) {
        error(fault.where, "fault '{}' breaks no feature of any testplan", fault.name);
      }
    }
  }

  bool is_of_rtl(const std::string& name) const {
    const std::string subject = name.substr(0, name.find(':'));
    return subject == "rtl" || subject == "rtl faults" || blocks_.count(subject) != 0;
  }

  // Where the features of a bench belong.
  std::string plan_of(const std::string& folder) const {
    for (const Plan& plan : tree_.plans) {
      if (plan.folder == folder) return plan.file + ":1";
    }
    return folder + "/testplan.yaml:1";
  }

  const Tree& tree_;
  std::vector<std::string> names_, errors_;
  std::set<std::string> blocks_, covered_, broken_;
  std::map<std::string, std::set<std::string>> listed_;  // test: folders of the plans that name it
};

}  // namespace

std::vector<std::string> check(const Tree& tree) {
  return Checker(tree).run();
}

}  // namespace tern::testplan
