// SPDX-License-Identifier: Apache-2.0
// For the main programs: what a test that fails prints, and nothing of one that passes.
#pragma once

#include <catch2/catch.hpp>
#include <ostream>
#include <string>

#include "tb/common/bench_cycle.h"
#include "tb/common/bench_inputs.h"
#include "tb/common/bench_wave.h"
#include "tb/common/failure_text.h"
#include "tb/common/seed.h"

namespace tern::tb {

class Reporter : public Catch::StreamingReporterBase<Reporter> {
 public:
  using StreamingReporterBase::StreamingReporterBase;
  static std::string getDescription() { return "failures in few lines, with commands to repeat"; }

  void noMatchingTestCases(const std::string& pattern) override {
    stream << "no test case matches '" << pattern << "'\n";
  }
  void assertionStarting(const Catch::AssertionInfo&) override {}

  void testCaseStarting(const Catch::TestCaseInfo& test) override {
    StreamingReporterBase::testCaseStarting(test);
    failures_ = 0;
  }

  void sectionStarting(const Catch::SectionInfo& section) override {
    StreamingReporterBase::sectionStarting(section);
    BenchInputs::forget();
  }

  bool assertionEnded(const Catch::AssertionStats& stats) override {
    const Catch::AssertionResult& result = stats.assertionResult;
    if (result.getResultType() == Catch::ResultWas::Warning) {
      stream << place_of(result) << ":\n" << indented(stats.infoMessages.back().message, 2);
    }
    if (result.isOk()) return true;
    if (failures_++ == 0) stream << "FAILED " << program() << currentTestCaseInfo->name << '\n';
    // A loop of checks may fail a thousand times.
    if (failures_ <= kShown) print(stats);
    stream << std::flush;  // the next check may crash
    return true;
  }

  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    if (failures_ > kShown) stream << "  " << failures_ - kShown << " more failed checks\n";
    if (failures_ > 0) {
      const std::string name = program() + stats.testInfo.name;
      stream << "  seed:  " << test_seed() << "\n  rerun: " << rerun_command(name, test_seed());
      if (bench_records()) stream << "\n  wave:  " << wave_command(name, test_seed());
      stream << '\n' << std::flush;
    }
    StreamingReporterBase::testCaseEnded(stats);
  }

  void testRunEnded(const Catch::TestRunStats& stats) override {
    const Catch::Counts& cases = stats.totals.testCases;
    if (cases.total() == 0) return;
    stream << cases.passed << " passed, " << cases.total() - cases.passed << " failed ("
           << stats.totals.assertions.total() << " checks)\n";
    StreamingReporterBase::testRunEnded(stats);
  }

 private:
  static constexpr unsigned kShown = 5;

  std::string program() const { return m_config->name() + ":"; }

  static std::string place_of(const Catch::AssertionResult& result) {
    const Catch::SourceLineInfo line = result.getSourceInfo();
    return in_tree(line.file, __FILE__) + ":" + std::to_string(line.line);
  }

  void print(const Catch::AssertionStats& stats) {
    const Catch::AssertionResult& result = stats.assertionResult;
    stream << place_of(result);
    const bool mismatch =
        !stats.infoMessages.empty() && stats.infoMessages.back().message.rfind("cycle ", 0) == 0;
    if (*bench_cycle() != kNoCycle && !mismatch) stream << ": in cycle " << *bench_cycle();
    for (std::size_t i = 1; i < m_sectionStack.size(); ++i) {
      stream << (i == 1 ? ", section " : " / ") << m_sectionStack[i].name;
    }
    stream << '\n';
    // A FAIL(text), of a mismatch for instance, is the text; any other check is first itself.
    if (result.hasExpression()) {
      stream << "  " << result.getExpressionInMacro() << '\n';
      if (result.hasExpandedExpression()) {
        stream << indented("with " + result.getExpandedExpression(), 2);
      }
    }
    if (result.getResultType() == Catch::ResultWas::ThrewException) {
      stream << "  exception:\n";
    }
    if (result.getResultType() == Catch::ResultWas::DidntThrowException) {
      stream << "  no exception\n";
    }
    if (result.getResultType() == Catch::ResultWas::FatalErrorCondition) {
      stream << "  the program was stopped:\n";
    }
    for (const Catch::MessageInfo& message : stats.infoMessages) {
      stream << indented(message.message, 2);
    }
    for (const std::string& text : BenchInputs::texts()) {
      stream << indented("inputs: " + text, 2);
    }
  }

  unsigned failures_ = 0;
};

CATCH_REGISTER_REPORTER("tern", Reporter)

}  // namespace tern::tb
