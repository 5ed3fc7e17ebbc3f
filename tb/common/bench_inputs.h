// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tern::tb {

// While it exists, every failed check prints its text: the inputs that a bench drives at that time.
class BenchInputs {
 public:
  explicit BenchInputs(std::function<std::string()> text);
  ~BenchInputs();
  BenchInputs(const BenchInputs&) = delete;
  BenchInputs& operator=(const BenchInputs&) = delete;

  // Of all benches, oldest first.
  static std::vector<std::string> texts();

 private:
  std::function<std::string()> text_;
};

}  // namespace tern::tb
