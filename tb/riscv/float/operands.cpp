// SPDX-License-Identifier: Apache-2.0
#include "tb/riscv/float/operands.h"

#include <cstring>
#include <type_traits>

namespace tern::tb {

namespace {

template <typename Bits>
constexpr int kFraction = sizeof(Bits) == 4 ? 23 : 52;
template <typename Bits>
constexpr Bits kTop = sizeof(Bits) == 4 ? 0xff : 0x7ff;
template <typename Bits>
constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);

}  // namespace

template <typename Bits>
std::vector<Bits> edge_operands() {
  constexpr Bits kOne = Bits{1} << kFraction<Bits>;  // the unit of the exponent
  const Bits infinity = kTop<Bits> * kOne, one = (kTop<Bits> / 2) * kOne;
  std::vector<Bits> edges = {0,
                             1,
                             2,
                             kOne - 1,
                             kOne,
                             kOne + 1,
                             2 * kOne,
                             infinity - 1,
                             infinity - kOne,
                             infinity,
                             infinity | 1,
                             infinity | (kOne / 2),
                             infinity | (kOne - 1)};
  for (const int power : {-30, -24, -23, -2, -1, 0, 1, 2, 7, 22, 23, 24, 30, 31, 32, 62, 63, 64}) {
    const Bits at = one + static_cast<Bits>(static_cast<std::int64_t>(power)) * kOne;
    for (const Bits bits : {at - 1, at, at + 1, at + kOne / 2}) edges.push_back(bits);
  }
  const std::size_t positive = edges.size();
  for (std::size_t i = 0; i < positive; ++i) edges.push_back(edges[i] | kSign<Bits>);
  return edges;
}

template <typename Bits>
Bits random_operand(std::mt19937_64& random, Bits near) {
  static const std::vector<Bits> edges = edge_operands<Bits>();
  const auto any = static_cast<Bits>(random());
  constexpr Bits kFractionMask = (Bits{1} << kFraction<Bits>)-1;
  switch (random() % 8) {
    case 0:
      return edges[random() % edges.size()];
    case 1:
    case 2:
      return any;
    case 3: {  // few bits set, or few bits clear
      const Bits few = any & static_cast<Bits>(random()) & static_cast<Bits>(random());
      return random() % 2 != 0 ? few : static_cast<Bits>(~few);
    }
    default: {  // cancellation, ties
      const Bits exponent = (near >> kFraction<Bits>)&kTop<Bits>;
      const Bits moved = exponent + static_cast<Bits>(random() % 120) - 60;
      const Bits fraction = random() % 2 != 0 ? any : any & (any << 20);
      return (any & kSign<Bits>) | (moved & kTop<Bits>) << kFraction<Bits> |
             (fraction & kFractionMask);
    }
  }
}

#define TERN_INSTANTIATE(Bits)                      \
  template std::vector<Bits> edge_operands<Bits>(); \
  template Bits random_operand<Bits>(std::mt19937_64&, Bits);
TERN_INSTANTIATE(std::uint32_t)
TERN_INSTANTIATE(std::uint64_t)
#undef TERN_INSTANTIATE

}  // namespace tern::tb
