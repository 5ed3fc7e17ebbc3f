// SPDX-License-Identifier: Apache-2.0
// The parts of a failure's text. All of it together: check_failing_text.sh.
#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tb/common/bench_inputs.h"
#include "tb/common/check_mismatch.h"
#include "tb/common/failure_text.h"
#include "tb/common/parse_seed.h"
#include "tb/common/port_hex.h"

using namespace tern::tb;  // NOLINT: a test uses the names of what it tests

TEST_CASE("failure text: words in hex, equal ones once") {
  CHECK(hex(0x3F80, 16) == "0x3F80");
  CHECK(hex(5, 3) == "0x5");
  CHECK(hex_list(std::vector<std::uint16_t>{0x3F80, 0, 0, 0, 0xBF80}) == "3F80 0000 x 3 BF80");
  CHECK(hex_list(std::vector<std::uint8_t>{}).empty());
  CHECK(hex_number({0x89ABCDEF, 0x1234567, 0}) == "0x123456789ABCDEF");
  CHECK(hex_number({0, 0}) == "0x0");
  CHECK(port_hex(std::uint8_t{0x1F}) == "0x1F");
}

TEST_CASE("failure text: the mismatches of the earliest cycles, and how many more") {
  MismatchLog log;
  CHECK_NO_MISMATCH(log);
  for (const unsigned cycle : {9, 7, 8, 7, 3, 12}) {
    log.compare(1, 1, 8, [&] { return Where{"equal", "", cycle}; });
    log.compare(1, cycle, 8, [&] { return Where{"lane " + std::to_string(cycle), "x", cycle}; });
  }
  CHECK(log.count() == 6);
  CHECK(log.first().where.cycle == 3);
  const auto line = [](const std::string& n) {
    return "cycle " + n + ", lane " + n + ": expected 0x01, got 0x0" + n + "\n  input: x\n";
  };
  CHECK(log.text() == line("3") + line("7") + line("7") + line("8") + "2 more");
  MismatchLog all;
  all.add([] { return Mismatch{{"port done_o", "", kNoCycle}, "0x1", "0x0"}; });
  all.add(log);
  CHECK(all.count() == 7);
  CHECK(all.first().where.cycle == 3);
}

TEST_CASE("failure text: comparisons of numbers also in hex") {
  CHECK(comparison("574 (0x23e) == 0") == "574 == 0, in hex 0x23E == 0x0");
  CHECK(comparison("7 != 7") == "7 != 7, in hex 0x7 != 0x7");
  CHECK(comparison("1.5f == 2.0f") == "1.5f == 2.0f");
  CHECK(comparison("{ 1, 2 } == { 1 }") == "{ 1, 2 } == { 1 }");
}

TEST_CASE("failure text: commands for the shell, files of the tree") {
  CHECK(rerun_command("test_x:a (b), 'c'", 7) ==
        "TERN_SEED=7 scripts/test -R '^test_x:a .b., .c.$'");
  CHECK(wave_command("test_x:it's", 0) == "TERN_SEED=0 scripts/wave 'test_x:it'\\''s'");
  CHECK(in_tree("/a/b/tb/mx/x.cpp", "/a/b/tb/common/reporter.h") == "tb/mx/x.cpp");
  CHECK(in_tree("/other/x.cpp", "/a/b/tb/common/reporter.h") == "/other/x.cpp");
  CHECK(indented("a\nb", 2) == "  a\n  b\n");
}

TEST_CASE("failure text: inputs of the benches that live, or that an exception has ended") {
  CHECK(BenchInputs::texts().empty());
  {
    const BenchInputs one([] { return std::string("one"); });
    const BenchInputs same([] { return std::string("one"); });
    const BenchInputs two([] { return std::string("two"); });
    CHECK(BenchInputs::texts() == std::vector<std::string>{"one", "two"});
  }
  CHECK(BenchInputs::texts().empty());
  try {
    const BenchInputs ended([] { return std::string("three"); });
    throw std::runtime_error("on purpose");
  } catch (const std::runtime_error&) {
  }
  CHECK(BenchInputs::texts() == std::vector<std::string>{"three"});
  BenchInputs::forget();
  CHECK(BenchInputs::texts().empty());
}

TEST_CASE("failure text: a seed is a whole number, or none") {
  CHECK(parse_seed("0") == 0U);
  CHECK(parse_seed("010") == 10U);
  CHECK(parse_seed("0xff") == 255U);
  CHECK(parse_seed("18446744073709551615") == UINT64_MAX);
  for (const char* text :
       {"", " 7", "7 ", "-1", "+1", "0x", "0x-1", "1e3", "x", "18446744073709551616"})
    CHECK(parse_seed(text) == std::nullopt);
}
