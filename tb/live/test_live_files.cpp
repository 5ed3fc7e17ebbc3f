// SPDX-License-Identifier: Apache-2.0
// The folder of live states and its files: whose they are, and what becomes of those of the dead.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "sw/base/user_error.h"
#include "sw/live/live_files.h"
#include "sw/live/process_start.h"
#include "sw/live/run_folder.h"
#include "tb/common/temp_folder.h"
#include "tb/live/live_sample.h"

using namespace tern;  // NOLINT: test file
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

std::string refusal_of_folder(const fs::path& folder) {
  try {
    live::check_run_folder(folder);
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

// A process that has ended, and whose number nobody has by now.
int dead_process() {
  const pid_t pid = fork();
  if (pid == 0) _exit(0);
  int status = 0;
  waitpid(pid, &status, 0);
  return pid;
}

std::string own_state() {
  return live::to_json(tb::live_sample(getpid(), live::process_start(getpid()).value())).dump();
}

// The one file that is refused, without its path.
std::string one_refusal(const fs::path& folder) {
  const live::Found found = live::find_states(folder);
  CHECK(found.states.empty());
  REQUIRE(found.refused.size() == 1);
  return found.refused.front();
}

}  // namespace

TEST_CASE("run folder: named by the environment, for its user alone") {
  const tb::TempFolder temp;
  setenv("TERN_RUN_DIR", temp.path("a").c_str(), 1);
  CHECK(live::run_folder() == temp.path() / "a");
  setenv("TERN_RUN_DIR", "off", 1);
  CHECK(!live::run_folder());
  unsetenv("TERN_RUN_DIR");
  setenv("XDG_RUNTIME_DIR", temp.path("x").c_str(), 1);
  CHECK(live::run_folder() == temp.path() / "x" / "tern");
  unsetenv("XDG_RUNTIME_DIR");
  CHECK(live::run_folder() == "/tmp/tern-" + std::to_string(geteuid()));

  const fs::path folder = temp / "a";
  CHECK_FALSE(live::check_run_folder(folder));
  CHECK(live::find_states(folder).states.empty());
  live::make_run_folder(folder);
  live::make_run_folder(folder);  // it may exist
  struct stat status {};
  REQUIRE(lstat(folder.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0700);
  CHECK(live::check_run_folder(folder));

  REQUIRE(chmod(folder.c_str(), 0770) == 0);
  CHECK_THAT(refusal_of_folder(folder), Contains("others may write there"));
  CHECK_THROWS_AS(live::find_states(folder), UserError);
  REQUIRE(chmod(folder.c_str(), 0700) == 0);
  fs::create_directory_symlink(folder, temp / "link");
  CHECK_THAT(refusal_of_folder(temp / "link"), Contains("expected a folder"));
  temp.put("file", "x");
  CHECK_THAT(refusal_of_folder(temp / "file"), Contains("expected a folder"));
  CHECK_THROWS_AS(live::make_run_folder(temp / "file"), UserError);
  CHECK_THROWS_AS(live::make_run_folder(temp / "no" / "such"), UserError);
  if (geteuid() == 0) {  // only root can give a folder away
    REQUIRE(chown(folder.c_str(), 12345, 12345) == 0);
    CHECK_THAT(refusal_of_folder(folder), Contains("belongs to another user"));
  }
}

TEST_CASE("live files: the living are found, what the dead have left is removed") {
  const tb::TempFolder temp;
  chmod(temp.path().c_str(), 0700);
  const int dead = dead_process();
  const auto name = [](int pid) { return std::to_string(pid) + ".json"; };
  temp.put(name(getpid()), own_state());
  temp.put(name(dead), live::to_json(tb::live_sample(dead, 1)).dump());
  temp.put(name(dead) + ".partial", "{");
  temp.put(name(getpid()) + ".partial", "{");  // being written
  temp.put("notes.json", "mine");
  temp.put("12x.json", "mine");
  const live::Found found = live::find_states(temp.path());
  REQUIRE(found.states.size() == 1);
  CHECK(found.states.front().pid == getpid());
  CHECK(found.refused.empty());
  CHECK_FALSE(fs::exists(temp / name(dead)));
  CHECK_FALSE(fs::exists(temp / (name(dead) + ".partial")));
  CHECK(fs::exists(temp / (name(getpid()) + ".partial")));
  CHECK(fs::exists(temp / "notes.json"));
  CHECK(fs::exists(temp / "12x.json"));

  // The number was given again.
  temp.put(name(getpid()),
           live::to_json(tb::live_sample(getpid(), *live::process_start(getpid()) + 1)).dump());
  CHECK(live::find_states(temp.path()).states.empty());
  CHECK_FALSE(fs::exists(temp / name(getpid())));
}

TEST_CASE("live files: hostile ones are named and left alone") {
  const std::string name = std::to_string(getpid()) + ".json";
  const auto in_folder = [&](const auto& make) {
    const tb::TempFolder temp;
    chmod(temp.path().c_str(), 0700);
    make(temp);
    const std::string refused = one_refusal(temp.path());
    std::error_code ignored;
    CHECK(fs::exists(fs::symlink_status(temp / name, ignored)));
    return refused;
  };
  CHECK_THAT(in_folder([&](const auto& t) {
               t.put("target", own_state());
               fs::create_symlink(t / "target", t / name);
             }),
             Contains("expected a regular file"));
  CHECK_THAT(in_folder([&](const auto& t) { REQUIRE(mkfifo((t / name).c_str(), 0600) == 0); }),
             Contains("expected a regular file"));
  CHECK_THAT(in_folder([&](const auto& t) { fs::create_directory(t / name); }),
             Contains("expected a regular file"));
  CHECK_THAT(in_folder([&](const auto& t) { t.put(name, std::string(2 << 20, ' ')); }),
             Contains("expected at most 1048576 bytes"));
  CHECK_THAT(in_folder([&](const auto& t) { t.put(name, "\033[2J"); }), Contains("expected JSON"));
  CHECK_THAT(
      in_folder([&](const auto& t) { t.put(name, live::to_json(tb::live_sample(1, 1)).dump()); }),
      Contains("key 'pid': expected " + std::to_string(getpid()) + ", as the name says"));
  // With its whole name, however long.
  const tb::TempFolder temp;
  const fs::path deep = temp / std::string(200, 'x');
  fs::create_directory(deep);
  chmod(deep.c_str(), 0700);
  std::ofstream(deep / name) << "{";
  CHECK(one_refusal(deep) == (deep / name).string() + ": expected JSON");
  if (geteuid() == 0) {
    CHECK_THAT(in_folder([&](const auto& t) {
                 t.put(name, own_state());
                 REQUIRE(chown((t / name).c_str(), 12345, 12345) == 0);
               }),
               Contains("belongs to another user"));
  }
}

TEST_CASE("process start: of this process, of none, of one that only waits to be collected") {
  const auto own = live::process_start(getpid());
  REQUIRE(own);
  CHECK(*own == live::process_start(getpid()));
  CHECK_FALSE(live::process_start(dead_process()));
  const pid_t zombie = fork();
  if (zombie == 0) _exit(0);
  siginfo_t info{};
  REQUIRE(waitid(P_PID, static_cast<id_t>(zombie), &info, WEXITED | WNOWAIT) == 0);
  CHECK_FALSE(live::process_start(zombie));
  int status = 0;
  waitpid(zombie, &status, 0);
}
