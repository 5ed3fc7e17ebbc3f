// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "sw/base/user_error.h"
#include "sw/config/yaml_reader.h"
#include "tb/common/temp_folder.h"

using tern::UserError;
using tern::config::YamlMap;

namespace {

std::string message(const std::function<void()>& action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("getters return the values of the file") {
  const auto top = YamlMap::from_text(
      "size: 0x40\nrate: 1.5e3\nflag: true\nname: \"a # b\"  # why\nlist: [1, 2]\nsub: {x: -3}\n"
      "file: data/w.npy\n",
      "folder/run.yaml");
  CHECK(top.get("size").as_integer(0, 100) == 64);
  CHECK(top.get("rate").as_number() == 1500.0);
  CHECK(top.get("flag").as_bool());
  CHECK(top.get("name").as_string() == "a # b");
  CHECK(top.get("name").comment() == "why");
  CHECK(top.get("name").source() == "folder/run.yaml:4");
  CHECK(top.get("list").as_list().size() == 2);
  CHECK(top.get("list").as_list()[1].key() == "list[1]");
  CHECK(top.get("sub").as_map().get("x").as_integer(-5, 5) == -3);
  CHECK(top.get("file").as_path() == "folder/data/w.npy");
  CHECK_FALSE(top.find("absent"));
  top.finish();
}

TEST_CASE("wrong values are refused with file, line and key") {
  const auto top = YamlMap::from_text(
      "a: fast\nb: -1\nc: 1.5\nd: '3'\ne: maybe\nf: [1]\ng:\nh: .inf\ni: 99999999999999999999\n",
      "f.yaml");
  CHECK(message([&] { top.get("a").as_positive(); }) ==
        "f.yaml:1: key 'a': expected a number > 0, got 'fast'");
  CHECK(message([&] { top.get("b").as_positive(); }) ==
        "f.yaml:2: key 'b': expected a number > 0, got '-1'");
  CHECK(message([&] { top.get("c").as_integer(0, 9); }) ==
        "f.yaml:3: key 'c': expected a whole number from 0 to 9, got '1.5'");
  CHECK(message([&] { top.get("d").as_number(); }) ==
        "f.yaml:4: key 'd': expected a number, got '3'");
  CHECK(message([&] { top.get("e").as_bool(); }) ==
        "f.yaml:5: key 'e': expected true or false, got 'maybe'");
  CHECK(message([&] {
          top.get("e").as_choice({"yes", "no"});
        }) == "f.yaml:5: key 'e': expected one of yes, no, got 'maybe'");
  CHECK(top.get("e").as_index({"no", "maybe"}) == 1);
  CHECK(message([&] { top.get("f").as_number(); }) ==
        "f.yaml:6: key 'f': expected a number, got '[1]'");
  CHECK(message([&] { top.get("f").as_map(); }) ==
        "f.yaml:6: key 'f': expected a mapping of keys, got '[1]'");
  CHECK(message([&] { top.get("g").as_string(); }) ==
        "f.yaml:7: key 'g': expected a text, got 'nothing'");
  CHECK(message([&] { top.get("h").as_number(); }) ==
        "f.yaml:8: key 'h': expected a number, got '.inf'");
  CHECK(message([&] { top.get("i").as_integer(0, 9); }) ==
        "f.yaml:9: key 'i': expected a whole number from 0 to 9, got '99999999999999999999'");
  CHECK(message([&] { top.get("z"); }) == "f.yaml:1: key 'z': missing");
  // A message stays a line to read, and does not end within a character.
  const auto huge = YamlMap::from_text(
      "a: 'x" +
          [] {
            std::string text;
            for (int i = 0; i < 100'000; ++i) text += "\u00e4";
            return text;
          }() +
          "'\n",
      "f.yaml");
  const std::string line = message([&] { huge.get("a").as_number(); });
  CHECK(line.size() < 300);
  CHECK(line.substr(line.size() - 6) == "\u00e4...'");
}

TEST_CASE("files that are no mappings") {
  CHECK(message([] { YamlMap::from_file("/nonexistent/x.yaml"); }) ==
        "/nonexistent/x.yaml: cannot read: No such file or directory");
  CHECK(message([] { YamlMap::from_file("/"); }) == "/: expected a YAML file, got a folder");
  CHECK(message([] { YamlMap::from_text("", "e.yaml"); }) ==
        "e.yaml:1: expected a mapping of keys");
  CHECK(message([] { YamlMap::from_text("- 1\n", "e.yaml"); }) ==
        "e.yaml:1: expected a mapping of keys");
  CHECK(message([] { YamlMap::from_text("a: 1\nb: [1, 2\n", "e.yaml"); }).rfind("e.yaml:", 0) == 0);
  CHECK(message([] { YamlMap::from_text("a: 1\nb: 2\na: 3\n", "e.yaml"); }) ==
        "e.yaml:3: key 'a': given twice, first in line 1");
}

TEST_CASE("pipes and devices are refused at once") {
  const auto error = [](const std::string& path) {
    return message([&] { YamlMap::from_file(path); });
  };
  CHECK(error("/dev/zero") == "/dev/zero: not a regular file");
  tern::tb::TempFolder folder;
  const std::string pipe = folder.path("pipe.yaml");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(error(pipe) == pipe + ": not a regular file");
}

TEST_CASE("bytes that are no text are named, with their line") {
  using namespace std::string_literals;
  const auto error = [](const std::string& text) {
    return message([&] { YamlMap::from_text(text, "e.yaml"); });
  };
  CHECK(error("a: 1\nb: \"x\0y\"\nc: 3\n"s) == "e.yaml:2: not YAML: a NUL byte is no text");
  CHECK(error("a: 1\n\0"s) == "e.yaml:2: not YAML: a NUL byte is no text");
  CHECK(error("\0\0\0\0"s) == "e.yaml:1: not YAML: a NUL byte is no text");
  CHECK(error("a: x\x1by\n") == "e.yaml:1: not YAML: the byte 0x1b is no text");
  CHECK(YamlMap::from_text("a: x\r\nb: \"\\0\"\t# \xC3\xA4\r\n", "e.yaml").get("a").as_string() ==
        "x");
  CHECK(YamlMap::from_text("\xFF\xFE"s + "a\0:\0 \0"
                                         "7\0\n\0"s,
                           "e.yaml")
            .get("a")
            .as_integer(0, 9) == 7);
}

TEST_CASE("finish() names the first key that was never read") {
  const auto top = YamlMap::from_text("known: 1\nsub:\n  lenght: 2\nzzz: 3\n", "f.yaml");
  top.get("known");
  const auto sub = top.get("sub").as_map();
  sub.find("length");
  CHECK(message([&] { sub.finish(); }) ==
        "f.yaml:3: key 'sub.lenght': unknown key, did you mean 'length'?");
  CHECK(message([&] { top.finish(); }) ==
        "f.yaml:3: key 'sub.lenght': unknown key, did you mean 'length'?");
  sub.ignore("lenght");
  sub.finish();
  CHECK(message([&] { top.finish(); }) ==
        "f.yaml:4: key 'zzz': unknown key, expected one of known, sub");
}
