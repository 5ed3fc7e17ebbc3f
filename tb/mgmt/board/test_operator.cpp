// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sw/base/user_error.h"
#include "systemc/mgmt/board/operator.h"
#include "systemc/mgmt/devices/backend/buffer_backend.h"
#include "tb/common/temp_folder.h"

using namespace tern;
using mgmt::Operator;

namespace {

void print(Operator& line, const std::string& text) {
  for (const char c : text) line.transmit(static_cast<std::uint8_t>(c));
}

std::string typed(Operator& line) {
  std::string text;
  while (const auto byte = line.receive()) text += static_cast<char>(*byte);
  return text;
}

}  // namespace

TEST_CASE("operator: a key at the countdown, a line at each prompt, then the keyboard") {
  mgmt::BufferBackend terminal;
  terminal.type("mine");
  Operator::Script script;
  script.types = true;
  script.lines = {"one", "two"};
  Operator line(&terminal, script, {});
  print(line, "U-Boot\r\nHit any key to stop autoboot:  2 ");
  CHECK(line.may_receive());
  CHECK(typed(line) == " ");
  CHECK_FALSE(line.may_receive());
  print(line, "\b\b\b 0 \r\n=>");
  CHECK(typed(line).empty());
  print(line, " ");
  CHECK(typed(line) == "one\r");
  print(line, "one\r\ncrc ==> 12\r\n => not yet\r\n");
  CHECK(typed(line).empty());
  CHECK(line.lines_left() == 1);
  print(line, "x\b=> ");
  CHECK(line.lines_left() == 0);
  CHECK(typed(line) == "two\rmine");
  CHECK(terminal.output().find("crc ==> 12") != std::string::npos);
}

TEST_CASE("operator: the awaited text comes after the typed lines, and is found once") {
  mgmt::BufferBackend terminal;
  unsigned found = 0;
  Operator::Script script;
  script.types = true;
  script.lines = {"x"};
  script.until = "aab";
  Operator line(&terminal, script, [&] { ++found; });
  print(line, "aab\n=> ");
  CHECK(found == 0);
  CHECK(typed(line) == "x\r");
  print(line, "aaab aab");
  CHECK(found == 1);
  CHECK(line.found());
}

TEST_CASE("operator: to wait for the prompt is to wait for all of the line") {
  unsigned found = 0;
  Operator::Script script;
  script.until = "=> ";
  Operator line(nullptr, script, [&] { ++found; });
  print(line, "Hit any key to stop autoboot");
  CHECK_FALSE(line.may_receive());  // it types nothing
  print(line, "\ncrc32 ==> ");
  CHECK(found == 0);
  print(line, "\n=> ");
  CHECK(found == 1);
}

TEST_CASE("operator: its state continues elsewhere") {
  Operator::Script script;
  script.types = true;
  script.lines = {"hello"};
  Operator first(nullptr, script, {}), second(nullptr, script, {});
  print(first, "=> ");
  CHECK(first.receive() == std::uint8_t{'h'});
  second.restore(first.save());
  CHECK(typed(second) == "ello\r");
  Operator other(nullptr, {}, {});
  CHECK_THROWS_AS(other.restore(first.save()), RunError);
}

TEST_CASE("operator: escapes, and lines of files") {
  CHECK(mgmt::unescaped(R"(a\tb\e\\\x4A)") == "a\tb\x1b\\J");
  CHECK(mgmt::lines_of_escaped(R"(a\nb)") == std::vector<std::string>{"a", "b"});
  CHECK(mgmt::lines_of_escaped("").empty());
  CHECK(mgmt::lines_of_escaped(R"(\n)") == std::vector<std::string>{""});
  for (const char* bad : {"\\", "\\q", "\\x", "\\x1", "\\xg0"}) {
    INFO(bad);
    CHECK_THROWS_AS(mgmt::unescaped(bad), UserError);
  }
  const tb::TempFolder folder;
  CHECK(mgmt::lines_of_file(folder.put("a", "one\r\n\ntwo").string()) ==
        std::vector<std::string>{"one", "", "two"});
  CHECK_THROWS_AS(mgmt::lines_of_file(folder.put("b", std::string(2 << 20, 'x')).string()),
                  UserError);
}
