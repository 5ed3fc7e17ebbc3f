// SPDX-License-Identifier: Apache-2.0
#include "tb/riscv/float/host_float.h"

#include <cfenv>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace tern::tb {

namespace {

template <typename Bits>
using Number = std::conditional_t<sizeof(Bits) == 4, float, double>;

template <typename Bits>
Number<Bits> number(Bits bits) {
  Number<Bits> value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

template <typename Bits>
Bits canonical(Number<Bits> value) {
  if (std::isnan(value)) return sizeof(Bits) == 4 ? 0x7fc00000u : Bits(0x7ff8000000000000u);
  Bits bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

// Rounding and flags of the host while it lives.
class HostMode {
 public:
  explicit HostMode(riscv::Rounding rounding) : before_(std::fegetround()) {
    constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    std::fesetround(kModes[static_cast<int>(rounding)]);
    std::feclearexcept(FE_ALL_EXCEPT);
  }
  ~HostMode() { std::fesetround(before_); }
  HostMode(const HostMode&) = delete;
  HostMode& operator=(const HostMode&) = delete;

  static std::uint8_t flags() {
    const int raised = std::fetestexcept(FE_ALL_EXCEPT);
    unsigned flags = 0;
    if ((raised & FE_INEXACT) != 0) flags |= riscv::kInexact;
    if ((raised & FE_UNDERFLOW) != 0) flags |= riscv::kUnderflow;
    if ((raised & FE_OVERFLOW) != 0) flags |= riscv::kOverflow;
    if ((raised & FE_DIVBYZERO) != 0) flags |= riscv::kDivideByZero;
    if ((raised & FE_INVALID) != 0) flags |= riscv::kInvalid;
    return static_cast<std::uint8_t>(flags);
  }

 private:
  const int before_;
};

}  // namespace

template <typename Bits>
Bits host_result(Operation operation, Bits a, Bits b, Bits c, riscv::FloatContext& context) {
  const HostMode mode(context.rounding);
  volatile Number<Bits> x = number(a), y = number(b), z = number(c), r = 0;
  switch (operation) {
    case Operation::kAdd:
      r = x + y;
      break;
    case Operation::kSub:
      r = x - y;
      break;
    case Operation::kMul:
      r = x * y;
      break;
    case Operation::kDiv:
      r = x / y;
      break;
    case Operation::kSqrt:
      r = std::sqrt(x);
      break;
    case Operation::kFma:
      r = std::fma(x, y, z);
      break;
  }
  context.flags |= HostMode::flags();
  return canonical<Bits>(r);
}

std::uint64_t host_widen(std::uint32_t a, riscv::FloatContext& context) {
  const HostMode mode(context.rounding);
  volatile float x = number(a);
  volatile double r = x;
  context.flags |= HostMode::flags();
  return canonical<std::uint64_t>(r);
}

std::uint32_t host_narrow(std::uint64_t a, riscv::FloatContext& context) {
  const HostMode mode(context.rounding);
  volatile double x = number(a);
  volatile float r = static_cast<float>(x);
  context.flags |= HostMode::flags();
  return canonical<std::uint32_t>(r);
}

template <typename Bits>
Bits host_to_integral(Bits a, riscv::Rounding rounding) {
  volatile Number<Bits> x = number(a), r = 0;
  if (rounding == riscv::Rounding::kNearestMaxMagnitude) {
    r = std::round(x);
  } else {
    const HostMode mode(rounding);
    r = std::nearbyint(x);
  }
  return canonical<Bits>(r);
}

template <typename Bits>
Bits host_from_integer(std::int64_t value, bool is_unsigned, riscv::FloatContext& context) {
  const HostMode mode(context.rounding);
  volatile std::int64_t x = value;
  volatile std::uint64_t y = static_cast<std::uint64_t>(value);
  volatile Number<Bits> r =
      is_unsigned ? static_cast<Number<Bits>>(y) : static_cast<Number<Bits>>(x);
  context.flags |= HostMode::flags();
  return canonical<Bits>(r);
}

#define TERN_INSTANTIATE(Bits)                                                        \
  template Bits host_result<Bits>(Operation, Bits, Bits, Bits, riscv::FloatContext&); \
  template Bits host_to_integral<Bits>(Bits, riscv::Rounding);                        \
  template Bits host_from_integer<Bits>(std::int64_t, bool, riscv::FloatContext&);
TERN_INSTANTIATE(std::uint32_t)
TERN_INSTANTIATE(std::uint64_t)
#undef TERN_INSTANTIATE

}  // namespace tern::tb
