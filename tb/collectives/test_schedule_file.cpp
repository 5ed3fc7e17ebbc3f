// SPDX-License-Identifier: Apache-2.0
// Schedules as files: what is written is read, and what is wrong is named with its line.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "sw/base/user_error.h"
#include "sw/collectives/algorithms/algorithms.h"
#include "sw/collectives/schedule_file.h"
#include "sw/collectives/verify.h"

using namespace tern;               // NOLINT: a test uses the names of what it tests
using namespace tern::collectives;  // NOLINT

namespace {

const std::string kExchange = R"(operation: all_reduce
ranks: 2
chunks: 1
scratch: 1
streams:
- rank: 0
  steps:
  - {put: data 0, to: 1, at: scratch 0}
  - {wait: 1}
  - {flush: true}
  - {put: scratch 0, to: 0, at: data 0, add: true}
- rank: 1
  steps:
  - {put: data 0, to: 0, at: scratch 0}
  - {wait: 0}
  - {flush: true}
  - {put: scratch 0, to: 1, at: data 0, add: true}
)";

std::string verdict(const std::string& text) {
  try {
    verify(parse_schedule(text, "x.yaml"));
  } catch (const UserError& error) {
    return error.what();
  }
  return "correct";
}

std::string with(const std::string& from, const std::string& to) {
  std::string text = kExchange;
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("schedule files: one by hand is correct, and so is what is written of any algorithm") {
  CHECK(verdict(kExchange) == "correct");
  for (unsigned number = 0; number < operation_names().size(); ++number) {
    Problem problem;
    problem.operation = static_cast<Operation>(number);
    problem.ranks = 16;
    problem.root = 5;
    if (problem.operation == Operation::kAllToAllV) problem.counts = routed_counts(16, 32, 2, 0);
    if (problem.operation == Operation::kPermute) {
      problem.to = next_of_each(16);
      problem.to[3] = Problem::kNobody;
    }
    for (const std::string& name : algorithms_for(problem, {4, 4})) {
      const std::string text = text_of(make_schedule(name, problem, {4, 4}));
      CAPTURE(name);
      CHECK(verdict(text) == "correct");
      Schedule again = parse_schedule(text, name);
      CHECK(text_of(again) == text);
    }
  }
}

TEST_CASE("schedule files: aliases do not make more steps than a file can hold") {
  std::string text =
      "operation: all_reduce\nranks: 1024\nchunks: 1\nstreams:\n"
      "- rank: 0\n  steps: &s\n";
  for (unsigned i = 0; i < 2000; ++i) text += "  - {flush: true}\n";
  for (unsigned rank = 0; rank < 1024; ++rank)
    text += fmt::format("- {{rank: {}, steps: *s}}\n", rank);
  CHECK(verdict(text).find("at most 262144 steps in a file") != std::string::npos);
}

TEST_CASE("schedule files: what is wrong, and in which line") {
  CHECK(verdict(with("ranks: 2", "ranks: 1")).substr(0, 9) == "x.yaml:2:");
  CHECK(verdict(with("all_reduce", "all_reduced")).substr(0, 9) == "x.yaml:1:");
  CHECK(verdict(with("to: 1", "to: 2")) == "x.yaml:8: rank 2, of 2 ranks");
  CHECK(verdict(with("data 0", "data 1")) == "x.yaml:8: data[1]: the last chunk is 0");
  CHECK(verdict(with("data 0", "date 0")).find("a place such as data 0") != std::string::npos);
  CHECK(verdict(with("data 0", "data -1")).find("a place such as data 0") != std::string::npos);
  CHECK(verdict(with("{wait: 1}", "{weight: 1}")).find("x.yaml:9:") == 0);
  CHECK(verdict(with("{wait: 1}", "{wait: 1, count: 2}")) ==
        "x.yaml:9: waits forever for put 2 of rank 1, stream 0, which has ended after 1");
  CHECK(verdict(with("  - {flush: true}\n", "")) ==
        "x.yaml:10: writes data[0] of rank 0 while another put may still read there");
  CHECK(verdict(with("{flush: true}", "{flush: false}")).find("expected true") !=
        std::string::npos);
  CHECK(verdict(with("- rank: 1", "- rank: 0")).find("x.yaml:") == 0);
  CHECK(verdict(with("scratch: 1", "scratch: 1\ncolour: 2")).find("colour") != std::string::npos);
  CHECK(verdict(with(", add: true}", ", add: true, by: 3}")).find("'streams[0].steps[3].by'") !=
        std::string::npos);
}
