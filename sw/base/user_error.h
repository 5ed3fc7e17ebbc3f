// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace tern {

// Something the user can fix: a wrong file, key, shape or option. The message is the one line shown
// to the user; the process ends with exit code 2 (usage) unless a caller handles it.
class UserError : public std::runtime_error {
 public:
  explicit UserError(const std::string& message) : std::runtime_error(message) {}
};

// The request was well formed but the run failed (wrong bits, an engine error, an unwritable disk):
// exit code 1.
class RunError : public std::runtime_error {
 public:
  explicit RunError(const std::string& message) : std::runtime_error(message) {}
};

}  // namespace tern
