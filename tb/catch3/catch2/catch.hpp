// SPDX-License-Identifier: Apache-2.0
// Catch2 3 under the header and the names of version 2, in which the tests are written. The build has this folder in its
// path only where it finds version 3 (cmake/TernCatch.cmake).
#pragma once

#include <catch2/catch_all.hpp>
#include <string>

using Catch::Approx;

namespace Catch {

using Matchers::EndsWith;
using Matchers::Equals;
using Matchers::StartsWith;

// Of a string. What version 3 calls Contains is for ranges.
inline Matchers::StringContainsMatcher Contains(const std::string& text) {
  return Matchers::ContainsSubstring(text);
}

}  // namespace Catch
