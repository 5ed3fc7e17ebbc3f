// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

namespace tern {

// Of unsigned integers: a / b, rounded up.
template <typename A, typename B>
constexpr std::common_type_t<A, B> ceil_div(A a, B b) {
  using T = std::common_type_t<A, B>;
  static_assert(std::is_unsigned_v<T>, "unsigned integers");
  return (static_cast<T>(a) + static_cast<T>(b) - 1) / static_cast<T>(b);
}

// The next multiple, or `a` itself.
template <typename A, typename B>
constexpr std::common_type_t<A, B> round_up(A a, B multiple) {
  return ceil_div(a, multiple) * multiple;
}

}  // namespace tern
