// SPDX-License-Identifier: Apache-2.0
// Programs run as children: what they print, and how they end.
#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "sw/base/child_process.h"
#include "sw/base/user_error.h"
#include "tb/common/temp_folder.h"

namespace tern::base {

namespace {

std::vector<std::string> shell(const std::string& script) {
  return {"/bin/sh", "-c", script};
}

}  // namespace

TEST_CASE("child: both outputs and the exit code") {
  const ChildResult result = run_child(shell("printf out; printf err >&2; exit 3"));
  CHECK(result.exit_code == 3);
  CHECK(result.out == "out");
  CHECK(result.error == "err");
}

TEST_CASE("child: more output than a pipe holds, on both streams at once") {
  const ChildResult result =
      run_child(shell("i=0; while [ $i -lt 20000 ]; do echo 0123456789; echo abcdefghij >&2; "
                      "i=$((i + 1)); done"));
  CHECK(result.exit_code == 0);
  CHECK(result.out.size() == 20000 * 11);
  CHECK(result.error.size() == 20000 * 11);
}

TEST_CASE("child: it has no input, a signal is told from an exit code, words stay as they are") {
  CHECK(run_child({"/bin/cat"}).out.empty());
  CHECK(run_child(shell("kill -9 $$")).exit_code == 128 + 9);
  CHECK(run_child({"/bin/echo", "a b", "$HOME", "*"}).out == "a b $HOME *\n");
}

TEST_CASE("child: a program that is not there is an error") {
  CHECK_THROWS_AS(run_child({"/nonexistent/program"}), RunError);
}

TEST_CASE("child: a request to stop reaches it, and it ends in its own way") {
  std::atomic<bool> stop{true};
  CHECK(run_child(shell("trap 'printf bye; exit 4' TERM; while :; do sleep 0.01; done"), &stop)
            .exit_code >= 4);
  tb::TempFolder folder;
  const std::string ready = folder.path("ready");
  stop = false;
  std::thread later([&] {
    while (!std::filesystem::exists(ready)) std::this_thread::yield();
    stop = true;
  });
  const ChildResult result = run_child(
      shell("trap 'printf bye; exit 4' TERM; : > " + ready + "; while :; do sleep 0.01; done"),
      &stop);
  later.join();
  CHECK(result.exit_code == 4);
  CHECK(result.out == "bye");
}

TEST_CASE("child: output into a file") {
  tb::TempFolder folder;
  const std::string log = folder.path("log");
  CHECK(run_child(shell("printf one; printf two >&2; exit 2"), log) == 2);
  std::ifstream stream(log);
  CHECK(std::string{std::istreambuf_iterator<char>(stream), {}} == "onetwo");
}

}  // namespace tern::base
