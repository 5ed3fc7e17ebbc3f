// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sw/nki/run/span_source.h"

namespace tern::app {

// The text of lines of files, each file read once; empty where there is none.
class SourceText {
 public:
  std::string at(const nki::SourcePlace& place);

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace tern::app
