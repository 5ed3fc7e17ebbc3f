// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tern::kernels {

struct Parameter {
  std::string name, value, doc;  // `value`: the default, as text
};

// The parameters of a kernel: defaults, and the user's settings. Every error is one UserError line
// that begins with the location of the value: "my.yaml:4: parameter 'seq': expected 1 .. 65536, got
// '0'".
class Parameters {
 public:
  Parameters() = default;
  explicit Parameters(const std::vector<Parameter>& defaults) : defaults_(defaults) {}

  void set(const std::string& name, const std::string& value, const std::string& source = "");

  std::int64_t integer(const std::string& name, std::int64_t minimum, std::int64_t maximum) const;
  double number(const std::string& name, double minimum, double maximum) const;
  bool flag(const std::string& name) const;  // true or false
  std::string choice(const std::string& name, const std::vector<std::string>& choices) const;
  // For additional checks of the kernel.
  [[noreturn]] void fail(const std::string& name, const std::string& expected) const;

 private:
  struct Set {
    std::string name, value, source;
  };
  const Set* find(const std::string& name) const;
  std::string text(const std::string& name) const;

  std::vector<Parameter> defaults_;
  std::vector<Set> set_;
};

}  // namespace tern::kernels
