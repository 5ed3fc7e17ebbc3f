// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace tern::tb {

// The built tern with a terminal of its own.
class OnTerminal {
 public:
  OnTerminal(const std::vector<std::string>& arguments, unsigned short rows,
             unsigned short columns);
  ~OnTerminal();
  OnTerminal(const OnTerminal&) = delete;
  OnTerminal& operator=(const OnTerminal&) = delete;

  void type(const std::string& keys);
  // What it has drawn since the newest call, until that satisfies the caller; throws if it ends
  // before, or after minutes.
  std::string until(const std::function<bool(const std::string&)>& satisfied);
  // Its exit code, 128 + n when killed by signal n; what it drew last.
  int wait(std::string* last);
  // Keys are echoed and come by the line, as in a shell.
  bool is_cooked() const;

 private:
  // False: it has ended.
  bool take(std::string* drawn);

  int terminal_ = -1;
  pid_t pid_ = -1;
};

}  // namespace tern::tb
