// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <verilated.h>

#include <cstddef>
#include <cstdint>

#include "sw/base/math.h"

namespace tern::cosim {

// Uniform access to Verilated ports: integers up to 64 bits, word arrays above.
template <typename T>
std::uint32_t port_word(const T& port, std::size_t word) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(port) >> (32 * word));
}
template <std::size_t N>
std::uint32_t port_word(const VlWide<N>& port, std::size_t word) {
  return port.m_storage[word];
}

template <typename T>
constexpr std::size_t port_words(const T&) {
  return ceil_div(sizeof(T), 4);
}

// The bytes of an input port, least significant first.
template <typename T>
std::uint8_t* port_bytes(T& port) {
  return reinterpret_cast<std::uint8_t*>(&port);
}

// `width` bits (at most 32) from bit `lsb`.
template <typename T>
std::uint32_t port_bits(const T& port, std::size_t lsb, unsigned width) {
  const std::size_t word = lsb / 32;
  std::uint64_t value = port_word(port, word);
  if (word + 1 < port_words(port)) value |= std::uint64_t{port_word(port, word + 1)} << 32;
  return static_cast<std::uint32_t>((value >> (lsb % 32)) & ((std::uint64_t{1} << width) - 1));
}

// Calls f(i) for every set bit of a port.
template <typename T, typename F>
void for_each_set_bit(const T& port, F f) {
  for (std::size_t word = 0; word < port_words(port); ++word) {
    for (std::uint32_t bits = port_word(port, word); bits != 0; bits &= bits - 1) {
      f(32 * word + static_cast<unsigned>(__builtin_ctz(bits)));
    }
  }
}

}  // namespace tern::cosim
