// SPDX-License-Identifier: Apache-2.0
// Programs run as children, and copies of this process: what they print or give back, and how they
// end.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "sw/base/child_process.h"
#include "sw/base/stop.h"
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

TEST_CASE("copy of this process: its result, its progress, and none of its memory") {
  int number = 1;
  std::vector<double> shares;
  const std::string large(1 << 20, 'x');
  const std::string told = run_in_copy(
      [&](const Progress& progress) {
        number = 2;
        progress(0.25);
        progress(0.5);
        return large + std::string(1, '\0') + std::to_string(number);
      },
      [&](double share) { shares.push_back(share); });
  CHECK(told == large + std::string(1, '\0') + "2");
  CHECK(number == 1);
  CHECK(shares == std::vector<double>{0.25, 0.5});
  CHECK(run_in_copy([](const Progress&) { return std::string(); }).empty());
}

TEST_CASE("copy of this process: what it throws, and how it ends otherwise") {
  const auto error = [](const std::function<void()>& work) {
    run_in_copy([&](const Progress&) {
      work();
      return std::string();
    });
  };
  CHECK_THROWS_AS(error([] { throw UserError("a wrong key"); }), UserError);
  CHECK_THROWS_WITH(error([] { throw UserError("a wrong key"); }), "a wrong key");
  CHECK_THROWS_AS(error([] { throw RunError("no space"); }), RunError);
  CHECK_THROWS_AS(error([] { throw std::runtime_error("anything"); }), RunError);
  CHECK_THROWS_AS(error([] { throw std::bad_alloc(); }), std::bad_alloc);
  CHECK_THROWS_WITH(error([] { _exit(0); }), Catch::Contains("without a result"));
  CHECK_THROWS_WITH(error([] { raise(SIGKILL); }), Catch::Contains("by signal 9"));
}

TEST_CASE("copy of this process: it is stopped, and not left behind") {
  std::atomic<bool> stop{true};
  const auto forever = [](const Progress& progress) {
    progress(0);
    while (true) pause();
    return std::string();
  };
  const auto handler = std::signal(SIGTERM, SIG_DFL);  // the test program's would report a failure
  CHECK_THROWS_AS(run_in_copy(forever, nullptr, &stop), Interrupted);
  std::signal(SIGTERM, handler);
  // Whoever listens may give up, too.
  CHECK_THROWS_AS(run_in_copy(forever, [](double) { throw RunError("enough"); }), RunError);
  CHECK(waitpid(-1, nullptr, WNOHANG) < 0);  // no child
}

}  // namespace tern::base
