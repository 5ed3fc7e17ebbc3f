// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

// Bits of ports: unsigned integers up to 64 bits, arrays of 32-bit words above, as Verilator
// declares them. Plain C++. The packed structs of ports: systemc/cosim/generated.
namespace tern::cosim {

constexpr std::uint64_t bit_mask(unsigned width) {
  return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

// `width` bits (1 to 64) from bit `lsb` on.
template <typename Port>
std::uint64_t get_bits(const Port& port, std::size_t lsb, unsigned width) {
  if constexpr (std::is_integral_v<Port>) {
    return static_cast<std::uint64_t>(port) >> lsb & bit_mask(width);
  } else {
    const std::size_t word = lsb / 32;
    const unsigned shift = lsb % 32;
    std::uint64_t value = port[word] >> shift;
    if (shift + width > 32) value |= std::uint64_t{port[word + 1]} << (32 - shift);
    if (shift + width > 64) value |= std::uint64_t{port[word + 2]} << (64 - shift);
    return value & bit_mask(width);
  }
}

// The same of a signed number of at most 32 bits.
template <typename Port>
std::int32_t get_signed(const Port& port, std::size_t lsb, unsigned width) {
  const auto bits = static_cast<std::uint32_t>(get_bits(port, lsb, width));
  return static_cast<std::int32_t>(bits << (32 - width)) >> (32 - width);
}

// Sets them to the lower bits of `value`.
template <typename Port>
void set_bits(Port& port, std::size_t lsb, unsigned width, std::uint64_t value) {
  if constexpr (std::is_integral_v<Port>) {
    const std::uint64_t mask = bit_mask(width) << lsb;
    port = static_cast<Port>((port & ~mask) | (value << lsb & mask));
  } else {
    std::size_t word = lsb / 32;
    unsigned shift = lsb % 32;
    for (unsigned done = 0; done < width; ++word, shift = 0) {
      const unsigned part = width - done < 32 - shift ? width - done : 32 - shift;
      const auto mask = static_cast<std::uint32_t>(bit_mask(part) << shift);
      const auto bits = static_cast<std::uint32_t>(value >> done << shift);
      port[word] = (port[word] & ~mask) | (bits & mask);
      done += part;
    }
  }
}

// Calls f(i) for every set bit of a port.
template <typename Port, typename F>
void for_each_set_bit(const Port& port, F f) {
  constexpr std::size_t kBits = sizeof(Port) < 4 ? 32 : 8 * sizeof(Port);
  for (std::size_t lsb = 0; lsb < kBits; lsb += 32) {
    auto bits = static_cast<std::uint32_t>(get_bits(port, lsb, 32));
    for (; bits != 0; bits &= bits - 1) {
      f(static_cast<unsigned>(lsb) + static_cast<unsigned>(__builtin_ctz(bits)));
    }
  }
}

// The bytes of an input port, least significant first.
template <typename Port>
std::uint8_t* port_bytes(Port& port) {
  return reinterpret_cast<std::uint8_t*>(&port);
}

}  // namespace tern::cosim
