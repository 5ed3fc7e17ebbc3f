// SPDX-License-Identifier: Apache-2.0
// For the main programs: what a test that fails prints, and nothing of one that passes.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "tb/common/bench_cycle.h"
#include "tb/common/bench_inputs.h"
#include "tb/common/bench_wave.h"
#include "tb/common/catch_versions.h"
#include "tb/common/failure_text.h"
#include "tb/common/seed.h"

namespace tern::tb {

class Reporter : public StreamingReporter<Reporter> {
 public:
  using StreamingReporter<Reporter>::StreamingReporter;
  static std::string getDescription() { return "failures in few lines, with commands to repeat"; }

  void noMatchingTestCases(CatchText pattern) override {
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

  CatchHandled assertionEnded(const Catch::AssertionStats& stats) override {
    const Catch::AssertionResult& result = stats.assertionResult;
    if (result.getResultType() == Catch::ResultWas::Warning) {
      stream << place_of(result) << ":\n" << indented(stats.infoMessages.back().message, 2);
    }
    if (result.isOk()) return CatchHandled(true);
    if (failures_++ == 0) stream << "FAILED " << program() << currentTestCaseInfo->name << '\n';
    // A loop of checks may fail a thousand times.
    if (failures_ <= kShown) print(stats);
    stream << std::flush;  // the next check may crash
    return CatchHandled(true);
  }

  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    if (failures_ > kShown) stream << "  " << failures_ - kShown << " more failed checks\n";
    if (failures_ > 0) {
      const std::string name = program() + info_of(stats).name;
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

  std::string program() const { return std::string(m_config->name()) + ":"; }

  static std::string place_of(const Catch::AssertionResult& result) {
    const Catch::SourceLineInfo line = result.getSourceInfo();
    return in_tree(line.file, __FILE__) + ":" + std::to_string(line.line);
  }

  void print(const Catch::AssertionStats& stats) {
    const Catch::AssertionResult& result = stats.assertionResult;
    const Catch::ResultWas::OfType type = result.getResultType();
    std::vector<Catch::MessageInfo> messages = stats.infoMessages;
    // The text of a FAIL or of an exception goes before what the test has said around it.
    if ((!result.hasExpression() || type == Catch::ResultWas::ThrewException) &&
        !messages.empty()) {
      std::rotate(messages.begin(), messages.end() - 1, messages.end());
    }
    const bool mismatch = !messages.empty() && messages.front().message.rfind("cycle ", 0) == 0;
    stream << place_of(result);
    if (*bench_cycle() != kNoCycle && !mismatch) stream << ": in cycle " << *bench_cycle();
    for (std::size_t i = 1; i < m_sectionStack.size(); ++i) {
      stream << (i == 1 ? ", section " : " / ") << m_sectionStack[i].name;
    }
    stream << '\n';
    if (result.hasExpression()) stream << "  " << result.getExpressionInMacro() << '\n';
    if (result.hasExpandedExpression()) {
      stream << indented("with " + comparison(result.getExpandedExpression()), 2);
    }
    if (ended_by_exception(stats)) {
      stream << "  ended by an exception\n";
      return;
    }
    if (type == Catch::ResultWas::ThrewException) stream << "  exception:\n";
    if (type == Catch::ResultWas::DidntThrowException) stream << "  no exception\n";
    if (type == Catch::ResultWas::FatalErrorCondition) stream << "  the program was stopped:\n";
    for (const Catch::MessageInfo& message : messages) stream << indented(message.message, 2);
    for (const std::string& text : BenchInputs::texts()) stream << indented("inputs: " + text, 2);
  }

  // With CATCH_CONFIG_FAST_COMPILE a check that an exception leaves is a failure of its own, beside
  // that of the exception, which may be another check's.
  static bool ended_by_exception(const Catch::AssertionStats& stats) {
    return stats.assertionResult.getResultType() == Catch::ResultWas::ThrewException &&
           !stats.infoMessages.empty() &&
           stats.infoMessages.back().message.rfind("Exception translation was disabled", 0) == 0;
  }

  unsigned failures_ = 0;
};

CATCH_REGISTER_REPORTER("tern", Reporter)

}  // namespace tern::tb
