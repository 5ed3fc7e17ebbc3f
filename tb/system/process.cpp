// SPDX-License-Identifier: Apache-2.0
#include "tb/system/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include <chrono>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "tb/common/temp_folder.h"

namespace tern::tb {

std::string Outcome::error_line() const {
  std::istringstream lines(err);
  std::string line, found;
  while (std::getline(lines, line)) {
    if (line.rfind("tern: ", 0) != 0) continue;
    if (!found.empty()) return "more than one error line:\n" + err;
    found = line;
  }
  return found;
}

Outcome run_tern(const std::vector<std::string>& arguments,
                 const std::function<void(int pid)>& meanwhile) {
  TempFolder folder;
  const std::string out = folder.path("out"), err = folder.path("err");
  const pid_t pid = fork();
  if (pid < 0) throw std::runtime_error("fork failed");
  if (pid == 0) {
    std::vector<char*> argv = {const_cast<char*>(TERN_BINARY)};
    for (const auto& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
    argv.push_back(nullptr);
    const auto redirect = [](const std::string& file, int to) {
      return dup2(open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), to) == to;
    };
    if (redirect(out, STDOUT_FILENO) && redirect(err, STDERR_FILENO)) {
      execv(TERN_BINARY, argv.data());
    }
    _exit(127);
  }
  if (meanwhile) meanwhile(pid);
  int status = 0;
  waitpid(pid, &status, 0);
  Outcome outcome;
  outcome.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  outcome.out = read_bytes(out);
  outcome.err = read_bytes(err);
  return outcome;
}

std::function<void(int pid)> signal_once_there(const std::string& file, int signal) {
  return [file, signal](int pid) {
    while (!std::filesystem::exists(file)) {
      siginfo_t info{};
      // WNOWAIT: run_tern waits for its exit code.
      const auto child = static_cast<id_t>(pid);
      if (waitid(P_PID, child, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == pid)
        return;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    kill(pid, signal);
  };
}

std::string error_of(const std::vector<std::string>& arguments) {
  const Outcome outcome = run_tern(arguments);
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.out.empty());
  return outcome.error_line();
}

nlohmann::json json_of(std::vector<std::string> arguments) {
  arguments.emplace_back("--json");
  const Outcome outcome = run_tern(arguments);
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return nlohmann::json::parse(outcome.out);
}

}  // namespace tern::tb
