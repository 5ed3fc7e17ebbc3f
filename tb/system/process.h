// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace tern::tb {

// What a run of the tern binary left behind.
struct Outcome {
  int exit_code = -1;  // 128 + n when killed by signal n
  std::string out, err;
  // The error as a user sees it: the one line on stderr that is not progress.
  std::string error_line() const;
};

// Runs the built tern with these arguments. `meanwhile`, if any, is called with the process id
// while it runs.
Outcome run_tern(const std::vector<std::string>& arguments,
                 const std::function<void(int pid)>& meanwhile = {});

// A folder of its own for one test, removed afterwards.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const;  // returns the path
  std::vector<std::string> files() const;                                     // names, sorted

 private:
  std::filesystem::path folder_;
};

std::string read_text(const std::string& path);

}  // namespace tern::tb
