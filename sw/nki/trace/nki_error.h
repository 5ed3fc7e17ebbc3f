// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sw/base/user_error.h"

namespace tern::nki {

struct Site;

// What is wrong with a kernel, and the place in it. Errors without a place get that of the call
// that is being traced (sw/nki/bindings).
class NkiError : public UserError {
 public:
  // The classes of Python that public kernels and tests expect.
  enum class Kind { kValidation, kAssertion, kNotSupported };

  explicit NkiError(const std::string& message, Kind kind = Kind::kValidation)
      : UserError(message), kind_(kind) {}
  NkiError(const std::string& message, const Site* site, Kind kind = Kind::kValidation);

  Kind kind() const { return kind_; }
  bool has_place() const { return has_place_; }

 private:
  Kind kind_;
  bool has_place_ = false;
};

}  // namespace tern::nki
