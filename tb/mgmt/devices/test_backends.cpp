// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "sw/base/user_error.h"
#include "systemc/mgmt/devices/backend/buffer_backend.h"
#include "systemc/mgmt/devices/backend/file_backend.h"
#include "systemc/mgmt/devices/backend/scripted_input.h"
#include "tb/common/temp_folder.h"
#include "tb/mgmt/devices/backend_access.h"

using namespace tern;
using namespace tern::tb;
using mgmt::BufferBackend;
using mgmt::FileBackend;
using mgmt::ScriptedInput;

TEST_CASE("backends: a buffer keeps the end of long output") {
  BufferBackend buffer(10);
  print(buffer, "0123456789abcdefghi");
  CHECK(buffer.output() == "0123456789abcdefghi");
  print(buffer, "j");
  CHECK(buffer.output() == "abcdefghij");
  CHECK(buffer.dropped() == 10);
  buffer.type(std::string("\0\xFF", 2));
  CHECK(heard(buffer) == std::string("\0\xFF", 2));
}

TEST_CASE("backends: a script waits for each text in order, also while it types") {
  BufferBackend buffer;
  ScriptedInput script(buffer, {{"", "a"}, {"xyx", "bc"}, {"", "d"}, {"xx", ""}, {"x", "e"}});
  CHECK(script.may_receive());
  CHECK(heard(script) == "a");
  CHECK_FALSE(script.may_receive());
  CHECK(script.waiting_for() == "xyx");
  print(script, "xyyxxyxy");
  CHECK(script.waiting_for() == "xx");  // what has matched is not used again
  CHECK(*script.receive() == 'b');
  print(script, "xx");
  CHECK(script.waiting_for() == "x");
  const ScriptedInput::State state = script.save();
  print(script, "x");
  CHECK(script.waiting_for().empty());
  CHECK(heard(script) == "cde");
  CHECK(script.done());
  script.restore(state);
  CHECK(heard(script) == "cd");
  CHECK_FALSE(script.done());
  CHECK_FALSE(script.may_receive());
  print(script, "x");
  buffer.type("own");
  CHECK(heard(script) == "eown");
  CHECK(buffer.output() == "xyyxxyxyxxxx");
}

TEST_CASE("backends: the state of another script is refused") {
  BufferBackend buffer;
  ScriptedInput script(buffer, {{"ab", "cd"}, {"e", "f"}});
  using State = ScriptedInput::State;
  for (const State& state : {State{3, 0, 0, ""}, State{0, 1, 0, ""}, State{1, 0, 2, ""},
                             State{0, 0, 1, ""}, State{0, 0, 0, "abc"}, State{2, 0, 0, "x"}}) {
    CHECK_THROWS_AS(script.restore(state), RunError);
  }
  script.restore({1, 0, 1, ""});
  CHECK(heard(script) == "d");
  print(script, "e");
  CHECK(heard(script) == "f");
}

TEST_CASE("backends: an empty script is transparent") {
  BufferBackend buffer;
  ScriptedInput script(buffer, {{"", ""}, {"", ""}});
  CHECK(script.done());
  CHECK(script.may_receive());
  buffer.type("k");
  CHECK(heard(script) == "k");
}

TEST_CASE("backends: files follow the output line by line and feed the input") {
  const tb::TempFolder folder;
  const auto input = folder.put("in", std::string("ab\0\xFE\n", 5));
  {
    FileBackend backend(folder.path("out"), input.string());
    CHECK(backend.may_receive());
    CHECK(heard(backend) == std::string("ab\0\xFE\n", 5));
    CHECK_FALSE(backend.may_receive());
    print(backend, "\x1B[1mone\ntw");
    CHECK(tb::read_bytes(folder / "out") == "\x1B[1mone\n");
    print(backend, "o");
  }
  CHECK(tb::read_bytes(folder / "out") == "\x1B[1mone\ntwo");
  FileBackend again(folder.path("out"));
  CHECK_FALSE(again.may_receive());
  CHECK(heard(again).empty());
  CHECK(tb::read_bytes(folder / "out").empty());
}

TEST_CASE("backends: an error before any output removes the file that was made") {
  const tb::TempFolder folder;
  folder.put("old", "");
  const auto fail = [&](const std::string& name, const std::string& text) {
    FileBackend file(folder.path(name));
    print(file, text);
    throw UserError("");
  };
  CHECK_THROWS_AS(fail("new", ""), UserError);
  CHECK_THROWS_AS(fail("old", ""), UserError);
  CHECK_THROWS_AS(fail("written", "text"), UserError);
  CHECK(folder.files() == std::vector<std::string>{"old", "written"});
}

TEST_CASE("backends: files that cannot be used are named in one line") {
  const tb::TempFolder folder;
  CHECK_THROWS_WITH(FileBackend(folder.path("no/such")),
                    folder.path("no/such") + ": No such file or directory");
  CHECK_THROWS_WITH(FileBackend(folder.path("out"), folder.path("missing")),
                    folder.path("missing") + ": not a regular file");
  CHECK_THROWS_AS(FileBackend(folder.path("out"), "/dev/zero"), UserError);
  CHECK_THROWS_AS(FileBackend(folder.path().string()), UserError);
  REQUIRE(mkfifo(folder.path("pipe").c_str(), 0600) == 0);
  CHECK_THROWS_WITH(FileBackend(folder.path("pipe")),
                    folder.path("pipe") + ": a pipe that nobody reads");
  FileBackend full("/dev/full");
  print(full, "a line");
  CHECK_THROWS_WITH(full.transmit('\n'), "/dev/full: write failed: No space left on device");
  print(full, "more\n");  // said once
}
