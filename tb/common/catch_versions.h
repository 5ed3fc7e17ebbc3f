// SPDX-License-Identifier: Apache-2.0
// For the main programs: where the interfaces of Catch2 2 and 3 to reporters differ.
#pragma once

#include <catch2/catch.hpp>
#include <string>

namespace tern::tb {

#if CATCH_VERSION_MAJOR < 3

template <typename Reporter>
using StreamingReporter = Catch::StreamingReporterBase<Reporter>;
using EventListener = Catch::TestEventListenerBase;
using CatchText = const std::string&;
using CatchHandled = bool;  // what assertionEnded() returns

inline const Catch::TestCaseInfo& info_of(const Catch::TestCaseStats& stats) {
  return stats.testInfo;
}

inline int run_tests(int argc, char** argv) {
  return Catch::Session().run(argc, argv);
}

#else

template <typename>
class StreamingReporter : public Catch::StreamingReporterBase {
 public:
  using Catch::StreamingReporterBase::StreamingReporterBase;

 protected:
  std::ostream& stream = m_stream;  // its name in version 2
};
using EventListener = Catch::EventListenerBase;
using CatchText = Catch::StringRef;
using CatchHandled = void;

inline const Catch::TestCaseInfo& info_of(const Catch::TestCaseStats& stats) {
  return *stats.testInfo;
}

inline int run_tests(int argc, char** argv) {
  Catch::Session session;
  const int problem = session.applyCommandLine(argc, argv);
  if (problem != 0) return problem;
  // The library has been compiled with another default.
  auto& reporters = session.configData().reporterSpecifications;
  if (reporters.empty()) reporters.push_back({"tern", {}, {}, {}});
  return session.run();
}

#endif

}  // namespace tern::tb
