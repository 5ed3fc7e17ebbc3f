// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace tern::base {

// What became of a program that was run as a child: everything it printed, and how it ended.
struct ChildResult {
  int exit_code = 0;  // 128 + the signal if one ended it
  std::string out, error;

  // The last line of `error`, without the name of this program.
  std::string last_message() const;
};

// Runs a program without input and waits for it. arguments[0] is the program's path. RunError when
// it cannot be started. Once `stop` is raised, the program gets a SIGTERM and may end in its own
// way. Safe to call from several threads at a time.
ChildResult run_child(const std::vector<std::string>& arguments,
                      const std::atomic<bool>* stop = nullptr);

// The same with everything it prints in a file, as it comes; its exit code.
int run_child(const std::vector<std::string>& arguments, const std::string& log);

// Runs `work` in a copy of this process and gives back what it returns: what it changes in memory,
// such as a simulator's one clock, ends with the copy. What it throws is thrown here; shares of the
// work that it reports come to `progress`. RunError if the copy ends in any other way. A request to
// stop is passed on, as above, and then Interrupted. Other threads are not in the copy: not for a
// process that has any.
using Progress = std::function<void(double)>;
std::string run_in_copy(const std::function<std::string(const Progress&)>& work,
                        const Progress& progress = nullptr,
                        const std::atomic<bool>* stop = nullptr);

// The path of the running program itself.
std::string own_program();

}  // namespace tern::base
