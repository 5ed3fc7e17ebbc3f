// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

namespace tern::app {

// A line of a file: "softmax.py:12: tensor_copy" has both.
struct SourcePlace {
  std::string file;
  unsigned line = 0;  // 0: none
};
SourcePlace place_of(const std::string& source);

// The text of lines of files, each file read once; empty where there is none.
class SourceText {
 public:
  std::string at(const SourcePlace& place);

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace tern::app
