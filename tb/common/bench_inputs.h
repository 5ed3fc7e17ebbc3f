// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tern::tb {

// While it exists, every failed check prints its text: the inputs that a bench drives at that time.
// An exception that ends the bench is printed with it, too. As a member: the last one.
class BenchInputs {
 public:
  explicit BenchInputs(std::function<std::string()> text);
  ~BenchInputs();
  BenchInputs(const BenchInputs&) = delete;
  BenchInputs& operator=(const BenchInputs&) = delete;

  // Of all benches, those that an exception has ended and then by age; equal ones once.
  static std::vector<std::string> texts();
  // What exceptions have ended belongs to an earlier test.
  static void forget();

 private:
  std::function<std::string()> text_;
  int exceptions_;  // that were in flight when it was made
};

}  // namespace tern::tb
