// SPDX-License-Identifier: Apache-2.0
#include "tb/riscv/float/operands.h"

#include <algorithm>

#include "tb/riscv/float/host_oracle.h"

namespace tern::tb {
namespace {

using riscv::Rounding;

template <typename Bits>
constexpr int kFractionBits = sizeof(Bits) == 4 ? 23 : 52;
template <typename Bits>
constexpr Bits kUnit = Bits{1} << kFractionBits<Bits>;
template <typename Bits>
constexpr std::int64_t kBias = sizeof(Bits) == 4 ? 127 : 1023;
template <typename Bits>
constexpr Bits kInfinity = static_cast<Bits>(2 * kBias<Bits> + 1) * kUnit<Bits>;
template <typename Bits>
constexpr Bits kSign = Bits{1} << (kWidth<Bits> - 1);

template <typename Bits>
void add_negatives(std::vector<Bits>& numbers) {
  const std::vector<Bits> positive = numbers;
  for (const Bits number : positive) numbers.push_back(number | kSign<Bits>);
}

}  // namespace

template <typename Bits>
std::vector<Bits> edge_numbers() {
  constexpr Bits unit = kUnit<Bits>, infinity = kInfinity<Bits>;
  std::vector<Bits> numbers = {0,
                               1,
                               2,
                               3,
                               unit / 2,
                               unit / 2 + 1,
                               unit - 1,
                               unit,
                               unit + 1,
                               2 * unit - 1,
                               2 * unit,
                               3 * unit / 2,
                               infinity / 2 * 2 - 2,
                               infinity - 1,
                               infinity,
                               infinity + 1,
                               infinity + unit / 2 - 1,
                               infinity + unit / 2,
                               infinity + unit - 1};
  // Powers of two at which operations change what they do, and their neighbours.
  const std::int64_t p = kFractionBits<Bits> + 1, bias = kBias<Bits>;
  for (const std::int64_t exponent :
       {-bias + p, -bias / 2, -p - 1, -p, -p + 1, std::int64_t{-2}, std::int64_t{-1},
        std::int64_t{0}, std::int64_t{1}, p - 1, p, p + 1, std::int64_t{31}, std::int64_t{32},
        std::int64_t{63}, std::int64_t{64}, bias / 2, bias - 1, bias}) {
    const Bits power = static_cast<Bits>(exponent + bias) * unit;
    numbers.insert(numbers.end(), {power - 1, power, power + 1});
  }
  add_negatives(numbers);
  return numbers;
}

template <typename Bits>
std::vector<Bits> main_numbers() {
  constexpr Bits unit = kUnit<Bits>, infinity = kInfinity<Bits>;
  constexpr Bits one = static_cast<Bits>(kBias<Bits>) * unit;
  std::vector<Bits> numbers = {0,
                               1,
                               unit - 1,
                               unit,
                               unit + 1,
                               one / 2,
                               one - kFractionBits<Bits> * unit,
                               one - 1,
                               one,
                               one + 1,
                               one + unit / 2,
                               infinity - unit,
                               infinity - 1,
                               infinity,
                               infinity + 1,
                               infinity + unit / 2};
  add_negatives(numbers);
  return numbers;
}

template <typename Int>
std::vector<Int> edge_integers() {
  std::vector<Int> integers;
  for (unsigned bit = 0; bit < kWidth<Int>; ++bit) {
    const std::uint64_t power = std::uint64_t{1} << bit;
    // A tie of binary32 and one of binary64, where the width has room for one.
    const std::uint64_t tie = power | power >> 24, fine_tie = power | power >> 53;
    for (const std::uint64_t value :
         {power - 1, power, power + 1, tie - 1, tie, tie + 1, tie | power >> 23, fine_tie - 1,
          fine_tie, fine_tie + 1, fine_tie | power >> 52}) {
      integers.push_back(static_cast<Int>(value));
      integers.push_back(static_cast<Int>(-value));
    }
  }
  std::sort(integers.begin(), integers.end());
  integers.erase(std::unique(integers.begin(), integers.end()), integers.end());
  return integers;
}

template <typename Bits>
Bits RandomOperands<Bits>::exponent_field() {
  const std::uint64_t end = 2 * kBias<Bits> + 1, few = kFractionBits<Bits> + 4;
  switch (below(5)) {
    case 0:
      return below(end);
    case 1:
      return below(few);
    case 2:
      return end - 1 - below(8);
    default:
      return kBias<Bits> - few + below(2 * few);
  }
}

// Random bits, or few that are set or clear: sums and products of these are ties.
template <typename Bits>
Bits RandomOperands<Bits>::fraction() {
  const auto random = static_cast<Bits>(random_());
  const Bits high = ~Bits{0} << below(kFractionBits<Bits> + 1);
  const Bits bit = Bits{1} << below(kFractionBits<Bits>);
  Bits result = 0;
  switch (below(6)) {
    case 0:
      result = random;
      break;
    case 1:
      result = random & high;
      break;
    case 2:
      result = random | static_cast<Bits>(~high);
      break;
    case 3:
      result = bit | Bits{1} << below(kFractionBits<Bits>);
      break;
    case 4:
      result = high ^ bit;
      break;
    default:
      result = static_cast<Bits>(~high);
  }
  return result % kUnit<Bits>;
}

template <typename Bits>
Bits RandomOperands<Bits>::number() {
  const std::uint64_t kind = below(16);
  if (kind == 0) return edges_[below(edges_.size())];
  if (kind == 1) return static_cast<Bits>(random_());
  const Bits sign = below(2) != 0 ? kSign<Bits> : 0;
  return sign | exponent_field() * kUnit<Bits> | fraction();
}

template <typename Bits>
Bits RandomOperands<Bits>::with_exponent(std::int64_t field, Bits value) const {
  const auto clamped = std::clamp<std::int64_t>(field, 0, 2 * kBias<Bits>);
  return (value & (kSign<Bits> | (kUnit<Bits> - 1))) | static_cast<Bits>(clamped) * kUnit<Bits>;
}

template <typename Bits>
Bits RandomOperands<Bits>::neighbour(Bits value) {
  return value + static_cast<Bits>(below(5)) - 2;
}

template <typename Bits>
Operands<Bits> RandomOperands<Bits>::operands(Operation operation) {
  Operands<Bits> result{number(), number(), number()};
  if (below(4) == 0) return result;
  const auto field = static_cast<std::int64_t>((result.a & ~kSign<Bits>) / kUnit<Bits>);
  const std::int64_t p = kFractionBits<Bits> + 1;
  // Where the result's exponent should be.
  const auto target = static_cast<std::int64_t>(below(2) == 0 ? exponent_field() : below(2)) -
                      static_cast<std::int64_t>(below(3) == 0 ? p : 0);
  switch (operation) {
    case Operation::kAdd:
    case Operation::kSub:
      result.b = below(8) == 0
                     ? neighbour(result.a) ^ (below(2) == 0 ? kSign<Bits> : 0)
                     : with_exponent(field + static_cast<std::int64_t>(below(2 * p + 8)) - p - 4,
                                     result.b);
      break;
    case Operation::kMul:
    case Operation::kFma:
      result.b = with_exponent(target + kBias<Bits> - field, result.b);
      break;
    case Operation::kDiv:
      result.b = with_exponent(field + kBias<Bits> - target, result.b);
      break;
    case Operation::kSqrt: {
      // A square or its neighbour.
      const Bits root = with_exponent(kBias<Bits> / 2 + below(kBias<Bits>), result.b);
      const Outcome square =
          host::compute<Bits>(Operation::kMul, {root, root, 0}, Rounding::kTowardZero);
      if (below(2) == 0) result.a = neighbour(static_cast<Bits>(square.bits));
      break;
    }
  }
  if (operation == Operation::kFma) {
    const Outcome product = host::compute<Bits>(Operation::kMul, result, kRoundings[below(4)]);
    const auto bits = static_cast<Bits>(product.bits);
    const auto exponent = static_cast<std::int64_t>((bits & ~kSign<Bits>) / kUnit<Bits>);
    if (below(2) == 0) {  // cancels most of it
      result.c = neighbour(bits ^ kSign<Bits>);
    } else {
      const auto distance = static_cast<std::int64_t>(below(6 * p)) - 3 * p;
      result.c = with_exponent(exponent + distance, result.c);
    }
  }
  return result;
}

template <typename Bits>
Bits RandomOperands<Bits>::near_integer() {
  const auto integer = this->integer<std::int64_t>();
  const Outcome outcome = host::from_integer<Bits>(integer, kRoundings[below(4)]);
  Bits value = neighbour(static_cast<Bits>(outcome.bits));
  // Smaller by a few powers of two: halves and quarters.
  if (below(2) == 0) value -= static_cast<Bits>(below(4)) * kUnit<Bits>;
  return below(4) == 0 ? value & ~Bits{0} << below(kFractionBits<Bits>) : value;
}

template <typename Bits>
template <typename Int>
Int RandomOperands<Bits>::integer() {
  const std::uint64_t random = random_() >> below(64);
  const std::uint64_t high = ~std::uint64_t{0} << below(64);
  const std::uint64_t mixed = below(2) == 0 ? random & high : random;
  return static_cast<Int>(below(2) == 0 ? mixed : -mixed);
}

template std::vector<std::uint32_t> edge_numbers();
template std::vector<std::uint64_t> edge_numbers();
template std::vector<std::uint32_t> main_numbers();
template std::vector<std::uint64_t> main_numbers();
template std::vector<std::int32_t> edge_integers();
template std::vector<std::uint32_t> edge_integers();
template std::vector<std::int64_t> edge_integers();
template std::vector<std::uint64_t> edge_integers();
template class RandomOperands<std::uint32_t>;
template class RandomOperands<std::uint64_t>;
template std::int32_t RandomOperands<std::uint32_t>::integer();
template std::uint32_t RandomOperands<std::uint32_t>::integer();
template std::int64_t RandomOperands<std::uint32_t>::integer();
template std::uint64_t RandomOperands<std::uint32_t>::integer();
template std::int32_t RandomOperands<std::uint64_t>::integer();
template std::uint32_t RandomOperands<std::uint64_t>::integer();
template std::int64_t RandomOperands<std::uint64_t>::integer();
template std::uint64_t RandomOperands<std::uint64_t>::integer();

}  // namespace tern::tb
